/* SPDX-License-Identifier: Apache-2.0 */
#include "image/table/image_name.h"

#include <stdlib.h>

#include "image/table/ref_part.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

#define HUB "docker.io"
#define DIGEST_PREFIX "sha256:"

static bool is_hex(const char *s, size_t len)
{
	return strlen(s) == len && strspn(s, "0123456789abcdef") == len;
}

const char *image_id_hex(const char *text)
{
	if (str_has_prefix(text, DIGEST_PREFIX))
		text += strlen(DIGEST_PREFIX);
	return is_hex(text, IMAGE_ID_HEX) ? text : NULL;
}

static bool digest_ok(const char *s)
{
	return (str_has_prefix(s, DIGEST_PREFIX) && is_hex(s + strlen(DIGEST_PREFIX), 64)) ||
	       (str_has_prefix(s, "sha512:") && is_hex(s + strlen("sha512:"), 128));
}

static bool has_upper(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (s[i] >= 'A' && s[i] <= 'Z')
			return true;
	}
	return false;
}

/* The first component is a registry when it cannot be one of a repository's. */
static size_t domain_len(const char *text)
{
	const char *slash = strchr(text, '/');
	size_t n = slash ? (size_t)(slash - text) : 0;

	if (!slash)
		return 0;
	if (memchr(text, '.', n) || memchr(text, ':', n) || has_upper(text, n) ||
	    (n == strlen("localhost") && !memcmp(text, "localhost", n)))
		return n;
	return 0;
}

/* domain, and path with what follows it. */
static int split_domain(const char *text, struct image_name *n, struct err *e)
{
	size_t len = domain_len(text);
	const char *rest = len ? text + len + 1 : text;

	n->domain = len ? strndup(text, len) : strdup(HUB);
	if (n->domain && str_eq(n->domain, "index." HUB)) {
		free(n->domain);
		n->domain = strdup(HUB);
	}
	if (!n->domain)
		return err_oom(e);
	if (str_eq(n->domain, HUB) && !strchr(rest, '/'))
		n->path = str_printf("library/%s", rest);
	else
		n->path = strdup(rest);
	return n->path ? 0 : err_oom(e);
}

/* Cuts "@digest" and ":tag" off the path. */
static int split_rest(struct image_name *n, struct err *e)
{
	char *at = strchr(n->path, '@'), *slash, *colon;

	if (at) {
		*at = 0;
		n->digest = strdup(at + 1);
	}
	slash = strrchr(n->path, '/');
	colon = strchr(slash ? slash : n->path, ':');
	if (colon) {
		*colon = 0;
		n->tag = strdup(colon + 1);
	}
	if ((at && !n->digest) || (colon && !n->tag))
		return err_oom(e);
	return 0;
}

static int check(const struct image_name *n, struct err *e)
{
	if (has_upper(n->path, strlen(n->path)))
		return err_set(e, EINVAL,
			       "invalid reference format: repository name (%.300s) must be "
			       "lowercase",
			       n->path);
	if (strlen(n->path) > REF_REPOSITORY_MAX)
		return err_set(e, EINVAL, "repository name must not be more than %d characters",
			       REF_REPOSITORY_MAX);
	if (strlen(n->domain) > REF_REPOSITORY_MAX || !ref_registry_ok(n->domain) ||
	    !ref_repository_ok(n->path) || (n->tag && !ref_tag_ok(n->tag)) ||
	    (n->digest && !digest_ok(n->digest)))
		return err_set(e, EINVAL, "invalid reference format");
	return 0;
}

int image_name_parse(const char *text, struct image_name *ret, struct err *e)
{
	_image_name_ struct image_name n = {0};
	int r;

	if (is_hex(text, IMAGE_ID_HEX))
		return err_set(e, EINVAL,
			       "invalid repository name (%s), cannot specify 64-byte hexadecimal "
			       "strings",
			       text);
	r = split_domain(text, &n, e);
	if (r >= 0)
		r = split_rest(&n, e);
	if (r >= 0)
		r = check(&n, e);
	if (r < 0)
		return r;
	*ret = n;
	n = (struct image_name){0};
	return 0;
}

void image_name_free(struct image_name *n)
{
	free(n->domain);
	free(n->path);
	free(n->tag);
	free(n->digest);
	*n = (struct image_name){0};
}

char *image_name_canonical(const struct image_name *n)
{
	if (n->digest)
		return str_printf("%s/%s@%s", n->domain, n->path, n->digest);
	return str_printf("%s/%s:%s", n->domain, n->path, n->tag ? n->tag : "latest");
}

const char *image_name_familiar(const char *canonical)
{
	const char *path = canonical;

	if (!str_has_prefix(canonical, HUB "/"))
		return canonical;
	path += strlen(HUB "/");
	if (str_has_prefix(path, "library/") && !strchr(path + strlen("library/"), '/'))
		path += strlen("library/");
	return path;
}

size_t image_name_repository_len(const char *name)
{
	const char *at = strchr(name, '@');
	size_t end = at ? (size_t)(at - name) : strlen(name);
	const char *slash = memrchr(name, '/', end);
	const char *from = slash ? slash : name;
	const char *colon = memchr(from, ':', end - (size_t)(from - name));

	return colon ? (size_t)(colon - name) : end;
}
