/* SPDX-License-Identifier: Apache-2.0 */
#include "image/model/digest.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/err.h"
#include "runtime/base/str.h"

static size_t hex_length(const char *alg)
{
	if (str_eq(alg, "sha256"))
		return 64;
	if (str_eq(alg, "sha512"))
		return 128;
	return 0;
}

int digest_parse(const char *text, struct digest *ret, struct err *e)
{
	const char *colon = strchr(text, ':'), *hex = colon ? colon + 1 : "";
	struct digest d = {0};
	size_t want;

	if (!colon || (size_t)(colon - text) >= sizeof(d.alg))
		return err_set(e, EINVAL, "digest '%.80s': not of the form sha256:HEX", text);
	memcpy(d.alg, text, (size_t)(colon - text));
	want = hex_length(d.alg);
	if (!want)
		return err_set(e, EINVAL, "digest '%.80s': only sha256 and sha512 are known", text);
	if (strlen(hex) != want || strspn(hex, "0123456789abcdef") != want)
		return err_set(e, EINVAL, "digest '%.80s': %s takes %zu lower-case hex digits",
			       text, d.alg, want);
	memcpy(d.hex, hex, want);
	*ret = d;
	return 0;
}

bool digest_is_set(const struct digest *d)
{
	return d->alg[0];
}

bool digest_equal(const struct digest *a, const struct digest *b)
{
	return digest_is_set(a) && str_eq(a->alg, b->alg) && str_eq(a->hex, b->hex);
}

const char *digest_format(const struct digest *d, char buf[DIGEST_TEXT_MAX])
{
	if (digest_is_set(d))
		snprintf(buf, DIGEST_TEXT_MAX, "%s:%s", d->alg, d->hex);
	else
		buf[0] = 0;
	return buf;
}

int digest_init(struct digest_ctx *c, const char *alg, struct err *e)
{
	const char *name = alg[0] ? alg : "sha256";
	const EVP_MD *md = str_eq(name, "sha512") ? EVP_sha512() : EVP_sha256();

	if (!hex_length(name))
		return err_set(e, EINVAL, "hash '%s' is not known", name);
	*c = (struct digest_ctx)DIGEST_CTX_INIT;
	c->impl = EVP_MD_CTX_new();
	if (!c->impl || EVP_DigestInit_ex(c->impl, md, NULL) != 1) {
		digest_free(c);
		return err_set(e, ENOMEM, "start %s", name);
	}
	snprintf(c->alg, sizeof(c->alg), "%s", name);
	return 0;
}

void digest_update(struct digest_ctx *c, const void *data, size_t len)
{
	if (c->impl && EVP_DigestUpdate(c->impl, data, len) != 1)
		c->failed = true;
}

int digest_final(struct digest_ctx *c, struct digest *ret, struct err *e)
{
	unsigned char raw[EVP_MAX_MD_SIZE];
	unsigned n = 0;
	bool ok = c->impl && !c->failed && EVP_DigestFinal_ex(c->impl, raw, &n) == 1;
	struct digest d = {0};

	memcpy(d.alg, c->alg, sizeof(d.alg));
	digest_free(c);
	if (!ok || n * 2 > DIGEST_HEX_MAX)
		return err_set(e, EIO, "%s failed", d.alg);
	for (unsigned i = 0; i < n; i++)
		snprintf(d.hex + 2 * i, 3, "%02x", raw[i]);
	*ret = d;
	return 0;
}

void digest_free(struct digest_ctx *c)
{
	EVP_MD_CTX_free(c->impl);
	*c = (struct digest_ctx)DIGEST_CTX_INIT;
}

static int hash(const void *data, size_t len, const char *alg, struct digest *ret, struct err *e)
{
	struct digest_ctx c;
	int r = digest_init(&c, alg, e);

	if (r < 0)
		return r;
	digest_update(&c, data, len);
	return digest_final(&c, ret, e);
}

int digest_of(const void *data, size_t len, struct digest *ret, struct err *e)
{
	return hash(data, len, "sha256", ret, e);
}

int digest_verify(const void *data, size_t len, const struct digest *want, struct err *e)
{
	char a[DIGEST_TEXT_MAX], b[DIGEST_TEXT_MAX];
	struct digest got;
	int r = hash(data, len, want->alg, &got, e);

	if (r < 0)
		return r;
	if (!digest_equal(&got, want))
		return err_set(e, EBADMSG, "content is %s, not %s", digest_format(&got, a),
			       digest_format(want, b));
	return 0;
}
