/* SPDX-License-Identifier: Apache-2.0 */
#include "image/oci/source_uri.h"

#include <stdlib.h>

#include "image/model/digest.h"
#include "image/model/engine_name.h"
#include "image/table/ref.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"

static const struct {
	const char *prefix;
	enum source_kind kind;
	bool selects;
} schemes[] = {
	{"oci:", SOURCE_OCI_LAYOUT, true},
	{"oci-archive:", SOURCE_OCI_ARCHIVE, true},
	{"docker-archive:", SOURCE_DOCKER_ARCHIVE, true},
	{"tar:", SOURCE_TAR, false},
	{"dir:", SOURCE_DIRECTORY, false},
};

static const struct {
	const char *prefix;
	enum source_kind kind;
} engines[] = {
	{"dockerd://", SOURCE_DOCKERD},
	{"podman://", SOURCE_PODMAN},
};

/* Behind the path: ":REF", "@DIGEST", "@N", ":@N". */
static int parse_selection(const char *s, struct source_uri *u, struct err *e)
{
	uint64_t place;
	int r;

	if (*s == ':' && s[1] == '@')
		s++;
	if (*s == ':') {
		if (!s[1])
			return err_set(e, EINVAL, "no image name behind the colon");
		u->select = SELECT_REF;
		u->ref = strdup(s + 1);
		return u->ref ? 0 : err_oom(e);
	}
	s++;
	if (strchr(s, ':')) {
		u->select = SELECT_DIGEST;
		return digest_parse(s, &u->digest, e);
	}
	r = num_parse_u64(s, 1000000, &place);
	if (r < 0)
		return err_set(e, EINVAL, "@%.100s: neither a digest nor a number", s);
	u->select = SELECT_PLACE;
	u->place = (size_t)place;
	return 0;
}

/* The end of the path: the longest beginning that exists, else the first separator. */
static size_t path_end(char *text, bool (*exists)(const char *path))
{
	for (size_t n = strlen(text); n; n--) {
		char c = text[n];
		bool there;

		if (c && c != ':' && c != '@')
			continue;
		text[n] = 0;
		there = str_eq(text, "-") || exists(text);
		text[n] = c;
		if (there)
			return n;
	}
	return strcspn(text, ":@");
}

static int parse_path(const char *text, bool selects, bool (*exists)(const char *path),
		      struct source_uri *u, struct err *e)
{
	_free_ char *copy = strdup(text);
	size_t n;

	if (!copy)
		return err_oom(e);
	n = selects ? path_end(copy, exists) : strlen(copy);
	if (!n)
		return err_set(e, EINVAL, "no path given");
	u->path = strndup(copy, n);
	if (!u->path)
		return err_oom(e);
	return copy[n] ? parse_selection(copy + n, u, e) : 0;
}

static int parse_engine(const char *name, enum source_kind kind, struct source_uri *ret,
			struct err *e)
{
	int r = engine_check_name(name, e);

	if (r < 0)
		return r;
	*ret = (struct source_uri){.kind = kind, .path = strdup(name)};
	return ret->path ? 0 : err_oom(e);
}

int source_uri_parse(const char *text, bool (*exists)(const char *path), struct source_uri *ret,
		     struct err *e)
{
	_source_uri_ struct source_uri u = {0};
	bool selects = false;
	int r;

	if (str_has_prefix(text, "docker://"))
		return err_set(e, EOPNOTSUPP,
			       "docker:// is not supported: import from a file or a directory");
	for (unsigned i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
		if (str_has_prefix(text, engines[i].prefix))
			return parse_engine(text + strlen(engines[i].prefix), engines[i].kind, ret,
					    e);
	}
	for (unsigned i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		if (!str_has_prefix(text, schemes[i].prefix))
			continue;
		u.kind = schemes[i].kind;
		selects = schemes[i].selects;
		text += strlen(schemes[i].prefix);
		break;
	}
	r = parse_path(text, selects, exists, &u, e);
	if (r < 0)
		return r;
	*ret = u;
	u = (struct source_uri){0};
	return 0;
}

void source_uri_free(struct source_uri *u)
{
	free(u->path);
	free(u->ref);
	*u = (struct source_uri){0};
}

static void cut_suffix(char *name)
{
	static const char *const suffixes[] = {".gz", ".zst", ".zstd", ".tgz", ".tzst", ".tar"};

	for (unsigned i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t n = strlen(name), k = strlen(suffixes[i]);

		if (n > k && str_has_suffix(name, suffixes[i]))
			name[n - k] = 0;
	}
}

/* "dir/python-image.tar.gz" -> "python-image" */
static char *base_name(const struct source_uri *u, const char *base)
{
	const char *path = u->path, *slash;
	size_t n = strlen(path);
	char *name;

	while (n && path[n - 1] == '/')
		n--;
	slash = memrchr(path, '/', n);
	if (slash) {
		n -= (size_t)(slash + 1 - path);
		path = slash + 1;
	}
	name = strndup(path, n);
	if (name && u->kind != SOURCE_OCI_LAYOUT && u->kind != SOURCE_DIRECTORY)
		cut_suffix(name);
	if (name && (!*name || str_is_dots(name) || str_eq(name, "-"))) {
		free(name);
		return strdup(base);
	}
	return name;
}

static char *engine_image_name(const char *image)
{
	char *name = strdup(image);

	for (char *p = name; p && (p = strpbrk(p, "/:"));)
		*p = '+';
	return name;
}

char *source_uri_name(const struct source_uri *u, const char *base)
{
	bool engine = u->kind == SOURCE_DOCKERD || u->kind == SOURCE_PODMAN;
	_free_ char *stem = engine ? engine_image_name(u->path) : base_name(u, base);
	_image_ref_ struct image_ref ref = {0};
	char digest[DIGEST_TEXT_MAX], *name;

	if (!stem)
		return NULL;
	if (u->select == SELECT_REF && strpbrk(u->ref, "/:") &&
	    !image_ref_parse(u->ref, &ref, NULL))
		return image_ref_output_name(&ref);
	if (u->select == SELECT_REF)
		name = str_printf("%s+%s", stem, u->ref);
	else if (u->select == SELECT_DIGEST)
		name = str_printf("%s+%s", stem, digest_format(&u->digest, digest));
	else if (u->select == SELECT_PLACE)
		name = str_printf("%s+%zu", stem, u->place);
	else
		name = take_ptr(stem);
	for (char *p = name; p && (p = strchr(p, '/'));)
		*p = '+';
	return name;
}
