/* SPDX-License-Identifier: Apache-2.0 */
#include "image/pack/copy_rules.h"

#include <errno.h>
#include <stdlib.h>

#include "runtime/base/str.h"

bool copy_path_is_content(const char *path)
{
	return str_eq(path, ".") || str_has_suffix(path, "/.");
}

bool copy_path_wants_directory(const char *path)
{
	return copy_path_is_content(path) || str_has_suffix(path, "/");
}

/* Length without "/" and "/." at the end; of "/" and "." 0. */
static size_t bare_length(const char *path)
{
	size_t n = strlen(path);

	for (;;) {
		if (!n ||
		    (path[n - 1] != '/' && (path[n - 1] != '.' || (n > 1 && path[n - 2] != '/'))))
			return n;
		n--;
	}
}

static size_t last_start(const char *path, size_t len)
{
	while (len && path[len - 1] != '/')
		len--;
	return len;
}

/* The last component; "." where there is none to tell: of "/", "." and "x/..". */
static char *last_component(const char *path)
{
	size_t len = bare_length(path), start = last_start(path, len);
	char *name = strndup(path + start, len - start);

	if (name && (!*name || str_eq(name, ".."))) {
		free(name);
		name = strdup(".");
	}
	return name;
}

/* The directory of the last component: "/" or "." at least. */
static char *directory_of(const char *path)
{
	size_t start = last_start(path, bare_length(path));

	if (!start)
		return strdup(path[0] == '/' ? "/" : ".");
	return strndup(path, start);
}

static int check(const struct copy_source *s, const struct copy_target *t)
{
	if (t->exists && t->is_directory)
		return 0;
	if (t->exists && s->is_directory)
		return -EISDIR;
	if (t->exists)
		return copy_path_wants_directory(t->path) ? -ENOTDIR : 0;
	return !s->is_directory && copy_path_wants_directory(t->path) ? -ENOENT : 0;
}

int copy_plan_make(const struct copy_source *s, const struct copy_target *t, struct copy_plan *ret)
{
	struct copy_plan p = {0};
	int r = check(s, t);

	if (r < 0)
		return r;
	p.member = s->is_directory && copy_path_is_content(s->path) ? strdup(".")
								    : last_component(s->path);
	if (t->exists && t->is_directory) {
		p.parent = strdup(t->path);
		p.name = p.member ? strdup(str_eq(p.member, ".") ? "" : p.member) : NULL;
	} else {
		p.parent = directory_of(t->path);
		p.name = last_component(t->path);
	}
	if (!p.parent || !p.member || !p.name) {
		copy_plan_free(&p);
		return -ENOMEM;
	}
	*ret = p;
	return 0;
}

void copy_plan_free(struct copy_plan *p)
{
	free(p->parent);
	free(p->member);
	free(p->name);
	*p = (struct copy_plan){0};
}
