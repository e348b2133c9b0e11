/* SPDX-License-Identifier: Apache-2.0 */
#include "image/table/ref.h"

#include <stdlib.h>

#include "image/model/digest.h"
#include "image/table/ref_part.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

/* It ends up in credentials files and request headers: printable and without blanks. */
static bool user_ok(const char *s)
{
	if (!*s)
		return false;
	for (; *s; s++) {
		if (*s <= ' ' || *s == 0x7f || (*s & 0x80))
			return false;
	}
	return true;
}

/* Cuts "@alg:hex" off the end; an "@" before it belongs to USER. */
static int cut_digest(char *text, struct image_ref *r, struct err *e)
{
	char *at = strrchr(text, '@');

	/* The part after USER@ may hold a colon as well: only a known algorithm makes a digest. */
	if (!at || (!str_has_prefix(at + 1, "sha256:") && !str_has_prefix(at + 1, "sha512:")))
		return 0;
	*at = 0;
	return digest_parse(at + 1, &r->digest, e);
}

/* Takes REGISTRY off the front of IMAGE; ret_image points behind it. */
static char *cut_registry(char *text, char **ret_image)
{
	char *hash = strchr(text, '#'), *slash = strchr(text, '/');

	*ret_image = text;
	if (hash) {
		*hash = 0;
		*ret_image = hash + 1;
		return text;
	}
	if (!slash)
		return NULL;
	*slash = 0;
	if (strpbrk(text, ".:") || str_eq(text, "localhost")) {
		*ret_image = slash + 1;
		return text;
	}
	*slash = '/';
	return NULL;
}

static bool is_hub(const char *registry)
{
	return !registry || str_eq(registry, "docker.io") || str_eq(registry, "index.docker.io") ||
	       str_eq(registry, REF_HUB);
}

static int check_parts(const struct image_ref *r, struct err *e)
{
	if (!r->registry || !r->repository || !r->tag)
		return err_oom(e);
	if (!ref_registry_ok(r->registry))
		return err_set(e, EINVAL, "%.200s: not a registry (HOST[:PORT])", r->registry);
	if (!ref_repository_ok(r->repository))
		return err_set(
			e, EINVAL,
			"%.255s: not an image name (lower case letters, digits, . _ - and /)",
			r->repository);
	if (!ref_tag_ok(r->tag))
		return err_set(e, EINVAL, "%.200s: not a tag", r->tag);
	if (r->user && !user_ok(r->user))
		return err_set(e, EINVAL, "malformed user name");
	return 0;
}

int image_ref_parse(const char *text, struct image_ref *ret, struct err *e)
{
	_image_ref_ struct image_ref ref = {0};
	_free_ char *copy = strdup(text);
	char *rest = copy, *at, *registry, *image, *slash, *colon;
	int r;

	if (!copy)
		return err_oom(e);
	r = cut_digest(copy, &ref, e);
	if (r < 0)
		return r;
	at = strrchr(copy, '@');
	if (at) {
		*at = 0;
		rest = at + 1;
		ref.user = strdup(copy);
		if (!ref.user)
			return err_oom(e);
	}
	registry = cut_registry(rest, &image);
	slash = strrchr(image, '/');
	colon = strchr(slash ? slash : image, ':');
	if (colon)
		*colon = 0;
	ref.tag = strdup(colon ? colon + 1 : "latest");
	ref.registry = strdup(is_hub(registry) ? REF_HUB : registry);
	ref.repository =
		is_hub(registry) && !slash ? str_printf("library/%s", image) : strdup(image);
	r = check_parts(&ref, e);
	if (r < 0)
		return r;
	*ret = ref;
	ref = (struct image_ref){0};
	return 0;
}

void image_ref_free(struct image_ref *r)
{
	free(r->user);
	free(r->registry);
	free(r->repository);
	free(r->tag);
	*r = (struct image_ref){0};
}

char *image_ref_output_name(const struct image_ref *r)
{
	const char *image = r->repository;
	char digest[DIGEST_TEXT_MAX], *name;

	if (str_eq(r->registry, REF_HUB) && str_has_prefix(image, "library/"))
		image += strlen("library/");
	name = str_printf("%s+%s", image,
			  digest_is_set(&r->digest) ? digest_format(&r->digest, digest) : r->tag);
	for (char *p = name; p && (p = strchr(p, '/'));)
		*p = '+';
	return name;
}

bool image_ref_same(const char *a, const char *b)
{
	_image_ref_ struct image_ref x = {0}, y = {0};

	if (image_ref_parse(a, &x, NULL) < 0 || image_ref_parse(b, &y, NULL) < 0)
		return false;
	return str_eq(x.registry, y.registry) && str_eq(x.repository, y.repository) &&
	       str_eq(x.tag, y.tag);
}
