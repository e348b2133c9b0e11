/* SPDX-License-Identifier: Apache-2.0 */
#include "image/registry/priv.h"

#include <stdlib.h>
#include <sys/random.h>

#include "image/model/digest.h"
#include "image/registry/http_value.h"
#include "runtime/base/json/json.h"
#include "image/oci/json.h"
#include "image/table/ref.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/num.h"

#define ACCEPT_ALL                                                    \
	"Accept: " OCI_MEDIA_INDEX ", " OCI_MEDIA_MANIFEST            \
	", application/vnd.docker.distribution.manifest.list.v2+json" \
	", application/vnd.docker.distribution.manifest.v2+json"
#define MEDIA_SCHEMA1 "application/vnd.docker.distribution.manifest.v1+"

static int set_name(struct registry *r, const struct image_ref *ref, struct err *e)
{
	const char *registry = credentials_canonical(ref->registry);
	char digest[DIGEST_TEXT_MAX];

	r->name = digest_is_set(&ref->digest)
			  ? str_printf("%s/%s@%.20s...", registry, ref->repository,
				       digest_format(&ref->digest, digest))
			  : str_printf("%s/%s:%s", registry, ref->repository, ref->tag);
	r->tag = strdup(ref->tag);
	r->user = ref->user ? strdup(ref->user) : NULL;
	r->digest = ref->digest;
	return r->name && r->tag && !ref->user == !r->user ? 0 : err_oom(e);
}

int registry_open(struct registry **ret, const struct image_ref *ref,
		  const struct registry_options *o, struct err *e)
{
	struct registry *r = calloc(1, sizeof(*r));
	unsigned seed = 0;
	int k;

	if (!r)
		return err_oom(e);
	r->o = *o;
	/* A poor seed makes poor jitter, nothing worse. */
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) == sizeof(seed))
		r->jitter = seed;
	pthread_mutex_init(&r->lock, NULL);
	k = set_name(r, ref, e);
	if (k >= 0)
		k = servers_init(r, ref, e);
	if (k < 0)
		registry_close(&r);
	*ret = r;
	return k;
}

int registry_open_host(struct registry **ret, const char *name, const struct registry_options *o,
		       struct err *e)
{
	_free_ char *text = str_printf("%s#x", name);
	struct registry_options without_mirrors = *o;
	_image_ref_ struct image_ref ref = {0};
	int k = text ? image_ref_parse(text, &ref, e) : err_oom(e);

	if (k < 0)
		return k;
	without_mirrors.mirrors = NULL;
	k = registry_open(ret, &ref, &without_mirrors, e);
	if (k < 0)
		return k;
	(*ret)->servers[0].repository[0] = 0;
	free((*ret)->name);
	(*ret)->name = strdup((*ret)->servers[0].name);
	return (*ret)->name ? 0 : err_oom(e);
}

void registry_close(struct registry **ret)
{
	struct registry *r = *ret;

	if (!r)
		return;
	servers_free(r);
	pthread_mutex_destroy(&r->lock);
	free(r->user);
	free(r->tag);
	free(r->name);
	free(r);
	*ret = NULL;
}

void registry_manifest_free(struct registry_manifest *m)
{
	strbuf_free(&m->text);
	free(m->media_type);
	*m = (struct registry_manifest){0};
}

static char *manifest_path(const struct registry *r, const struct digest *want)
{
	char digest[DIGEST_TEXT_MAX];

	if (!want && digest_is_set(&r->digest))
		want = &r->digest;
	return str_printf("manifests/%s", want ? digest_format(want, digest) : r->tag);
}

/* The type an answer has, where it is one of an image's; others say nothing reliable. */
static int read_type(const struct registry *r, const struct http_response *answer,
		     struct registry_manifest *m, struct err *e)
{
	const char *value = http_answer_header(answer, "Content-Type", 0);
	char type[128];

	if (!value || !media_type_parse(value, type, sizeof(type)))
		return 0;
	if (str_has_prefix(type, MEDIA_SCHEMA1))
		return err_set(
			e, EOPNOTSUPP,
			"%s: the image has a docker manifest of schema 1, which is "
			"obsolete and not supported; pull and push it again with a current tool",
			r->name);
	if (str_eq(type, "text/html"))
		return err_set(e, EPROTO, "%s: the answer is a web page; is it a registry?",
			       r->name);
	if (oci_kind_of(type) < 0)
		return 0;
	m->media_type = strdup(type);
	return m->media_type ? 0 : err_oom(e);
}

/* Docker-Content-Digest, when the registry sends one that can be one. */
static int read_digest(const struct registry *r, const struct http_response *answer,
		       struct digest *ret, struct err *e)
{
	const char *value = http_answer_header(answer, "Docker-Content-Digest", 0);

	if (!value)
		return 0;
	if (digest_parse(value, ret, e) < 0)
		return err_wrap(e, "%s: Docker-Content-Digest", r->name);
	return 0;
}

static int digest_differs(const struct registry *r, const struct digest *got,
			  const struct digest *want, const char *who, struct err *e)
{
	char a[DIGEST_TEXT_MAX], b[DIGEST_TEXT_MAX];

	return err_set(e, EBADMSG,
		       "%s: the manifest has %s, but %s %s; try again, or ask who runs the "
		       "registry",
		       r->name, digest_format(got, a), who, digest_format(want, b));
}

static int hash(const struct strbuf *text, const char *alg, struct digest *ret, struct err *e)
{
	_digest_ctx_ struct digest_ctx c = DIGEST_CTX_INIT;
	int k = digest_init(&c, alg, e);

	if (k < 0)
		return k;
	digest_update(&c, strbuf_str(text), text->len);
	return digest_final(&c, ret, e);
}

/*
 * A manifest that was asked for by digest must have that digest; one that was asked for by tag, the
 * digest that it came with.
 */
static int verify(const struct registry *r, const struct http_response *answer,
		  const struct digest *want, struct registry_manifest *m, struct err *e)
{
	struct digest told = {0};
	int k = read_digest(r, answer, &told, e);

	if (!want && digest_is_set(&r->digest))
		want = &r->digest;
	if (k >= 0)
		k = hash(&m->text,
			 want                   ? want->alg
			 : digest_is_set(&told) ? told.alg
						: "",
			 &m->digest, e);
	if (k < 0)
		return k;
	if (want && !digest_equal(&m->digest, want))
		return digest_differs(r, &m->digest, want, "was asked for as", e);
	if (!want && digest_is_set(&told) && !digest_equal(&m->digest, &told))
		return digest_differs(r, &m->digest, &told, "came as", e);
	return 0;
}

/* A manifest that is asked for, and what came. */
struct wanted {
	struct registry *r;
	const struct digest *digest; /* NULL: the one of the reference */
	struct registry_manifest m;
};

static int check_head(void *arg, struct http_response *answer, struct err *e)
{
	struct wanted *w = arg;
	const char *length = http_answer_header(answer, "Content-Length", 0);
	int k;

	registry_manifest_free(&w->m);
	k = read_type(w->r, answer, &w->m, e);
	if (k >= 0)
		k = read_digest(w->r, answer, &w->m.digest, e);
	if (k < 0)
		return k;
	if (!digest_is_set(&w->m.digest))
		return err_set(e, ENODATA, "%s: the registry does not tell the digest", w->r->name);
	if (digest_is_set(&w->r->digest) && !digest_equal(&w->m.digest, &w->r->digest))
		return digest_differs(w->r, &w->m.digest, &w->r->digest, "the reference says", e);
	if (!length || num_parse_u64(length, JSON_MANIFEST_MAX, &w->m.size_bytes) < 0)
		w->m.size_bytes = UINT64_MAX;
	return 0;
}

static int check_manifest(void *arg, struct http_response *answer, struct err *e)
{
	struct wanted *w = arg;
	int k;

	registry_manifest_free(&w->m);
	k = read_type(w->r, answer, &w->m, e);
	if (k < 0)
		return k;
	w->m.text = answer->body;
	answer->body = (struct strbuf)STRBUF_INIT;
	w->m.size_bytes = w->m.text.len;
	return verify(w->r, answer, w->digest, &w->m, e);
}

static int ask_manifest(struct wanted *w, const char *method,
			int (*check)(void *arg, struct http_response *answer, struct err *e),
			struct registry_manifest *ret, struct err *e)
{
	_http_response_ struct http_response answer = {0};
	_free_ char *path = manifest_path(w->r, w->digest);
	const struct question q = {.method = method,
				   .path = path,
				   .accept = ACCEPT_ALL,
				   .max_bytes = JSON_MANIFEST_MAX,
				   .what = "the manifest",
				   .check = check,
				   .arg = w};
	int k = path ? registry_ask(w->r, &q, &answer, e) : err_oom(e);

	if (k < 0)
		registry_manifest_free(&w->m);
	else
		*ret = w->m;
	return k;
}

int registry_head(struct registry *r, struct registry_manifest *ret, struct err *e)
{
	struct wanted w = {.r = r};

	return ask_manifest(&w, "HEAD", check_head, ret, e);
}

int registry_get_manifest(struct registry *r, const struct digest *want,
			  struct registry_manifest *ret, struct err *e)
{
	struct wanted w = {.r = r, .digest = want};

	return ask_manifest(&w, "GET", check_manifest, ret, e);
}

int registry_ping(struct registry *r, struct err *e)
{
	_http_response_ struct http_response answer = {0};
	const struct question q = {.method = "GET", .max_bytes = 1u << 20, .what = "logging in"};
	int k = registry_ask(r, &q, &answer, e);

	return k < 0 ? k : r->servers[r->n_servers - 1].has_credentials;
}
