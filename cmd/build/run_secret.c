/* SPDX-License-Identifier: Apache-2.0 */

/*
 * RUN --mount=type=secret, and the script of a here-document that has an interpreter of its own:
 * files that are there for one step. The caller's file is mounted itself where its mode and owner
 * will do. Others are written for the step, into a volume that goes with it.
 */

#include "cmd/build/run_mounts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/build/build.h"
#include "cmd/frame/cmd.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/record/volume.h"
#include "runtime/spec/spec.h"
#include "cmd/options/input_file.h"

#define SECRET_BYTES_MAX (500u << 10)
#define SECRET_MODE 0400
#define SCRIPT_MODE 0755

/* --- where it comes from --------------------------------------------------------------------- */

/* The member of "id=a,src=b" with that name; caller frees, NULL: none. */
static char *member(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (; *text; text += strcspn(text, ","), text += *text == ',') {
		if (!strncmp(text, name, len) && text[len] == '=')
			return strndup(text + len + 1, strcspn(text + len + 1, ","));
	}
	return NULL;
}

/* The last --secret of that id; NULL: none was given. */
static const char *given(const struct build *b, const char *id)
{
	for (size_t i = b->args->secrets.n; i-- > 0;) {
		const char *item = b->args->secrets.items[i];
		_free_ char *name = member(item, "id");

		if (name && str_eq(name, id))
			return item;
	}
	return NULL;
}

/*
 * *ret_path: its file. *ret_value: the value of a variable, not owned. As docker has it: without a
 * source, the variable with the id's name, else the file. -ENOENT: neither is there.
 */
static int find(const char *item, const char *id, char **ret_path, const char **ret_value,
		struct err *e)
{
	_free_ char *path = member(item, "src"), *env = member(item, "env"),
		    *type = member(item, "type");

	if (!path)
		path = member(item, "source");
	if (type && !str_eq(type, "file") && !str_eq(type, "env"))
		return err_set(e, EINVAL, "--secret %.100s: unsupported secret type \"%.60s\"",
			       item, type);
	if (!env && !(type && str_eq(type, "file")) && !path && getenv(id))
		env = strdup(id);
	if (!env && type && str_eq(type, "env"))
		env = path ? take_ptr(path) : strdup(id);
	if (env) {
		*ret_value = getenv(env);
		return *ret_value ? 0
				  : err_set(e, ENOENT, "secret %s: the variable %s is not set", id,
					    env);
	}
	*ret_path = input_path(path ? path : id, NULL, e);
	return *ret_path ? 0 : err_wrap(e, "secret %s", id);
}

/* --- a file for the step --------------------------------------------------------------------- */

struct step_file {
	const void *data;
	size_t len;
	uint32_t uid, gid;
	unsigned mode;
};

static int write_file(struct build *b, struct run_mount_item *x, const struct step_file *f,
		      char **ret_path, struct err *e)
{
	_free_ char *dir = NULL;
	_close_ int fd = -1;
	int r = volume_open_own(&b->cmd->paths, &x->tree, &dir, e);

	if (r < 0)
		return r;
	*ret_path = str_printf("%s/file", dir);
	if (!*ret_path)
		return err_oom(e);
	fd = open(*ret_path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(e, "%s", *ret_path);
	r = io_write_all(fd, f->data, f->len, e);
	if (r >= 0)
		r = run_owner_set(b, fd, f->uid, f->gid, f->mode, e);
	return r < 0 ? err_wrap(e, "--mount=%s", x->asked) : 0;
}

static int mount_file(struct container_spec *spec, struct run_mount_item *x, char *path,
		      struct err *e)
{
	struct mount_spec *m;
	int r = run_mount_new(spec, MOUNT_BIND, path, x->target ? strdup(x->target) : NULL,
			      x->asked, &m, e);

	if (r >= 0)
		m->readonly = true;
	return r;
}

int run_script_add(struct build *b, struct run_mounts *m, const char *path, const char *text,
		   struct container_spec *spec, struct err *e)
{
	const struct step_file f = {text, strlen(text), 0, 0, SCRIPT_MODE};
	struct run_mount_item *x = &m->items[m->n++]; /* there is always room for it */
	char *file = NULL;
	int r;

	x->lock = -1;
	x->asked = path;
	x->target = strdup(path);
	r = write_file(b, x, &f, &file, e);
	if (r < 0) {
		free(file);
		return r;
	}
	return mount_file(spec, x, file, e);
}

/* --- the secret ------------------------------------------------------------------------------ */

/* "NAME=value" for the program. */
static int set_variable(struct container_spec *spec, const struct run_mount_item *x,
			const struct strbuf *value, struct err *e)
{
	_free_ char *text = NULL;

	if (value->len && memchr(value->data, 0, value->len))
		return err_set(e, EINVAL, "--mount=%s: a variable cannot hold a NUL", x->asked);
	text = str_printf("%s=%s", x->words.env, value->data ? value->data : "");
	if (!text)
		return err_oom(e);
	strv_set_env(&spec->proc.env, text);
	explicit_bzero(text, strlen(text));
	return strv_check(&spec->proc.env, e);
}

static int read_value(const char *path, const char *value, struct strbuf *ret, struct err *e)
{
	if (value) {
		strbuf_addstr(ret, value);
		return strbuf_check(ret, e);
	}
	return io_read_file_at(AT_FDCWD, path, SECRET_BYTES_MAX, ret, e);
}

static int add_file(struct build *b, struct run_mount_item *x, struct container_spec *spec,
		    char **path, const struct strbuf *value, struct err *e)
{
	const struct run_mount *w = &x->words;
	const struct step_file f = {.data = value->data ? value->data : "",
				    .len = value->len,
				    .uid = w->uid,
				    .gid = w->gid,
				    .mode = w->mode_is_set ? w->mode & 07777 : SECRET_MODE};
	char *made = NULL;
	int r;

	if (*path && !w->mode_is_set && !w->uid && !w->gid)
		return mount_file(spec, x, take_ptr(*path), e);
	r = write_file(b, x, &f, &made, e);
	if (r < 0) {
		free(made);
		return r;
	}
	return mount_file(spec, x, made, e);
}

static const char *secret_id(const struct run_mount *w)
{
	const char *slash = w->target ? strrchr(w->target, '/') : NULL;

	return w->id ? w->id : slash ? slash + 1 : w->target ? w->target : w->env;
}

int run_secret_add(struct build *b, struct run_mount_item *x, struct container_spec *spec,
		   struct err *e)
{
	const struct run_mount *w = &x->words;
	const char *id = secret_id(w), *item, *value = NULL;
	_strbuf_ struct strbuf text = STRBUF_INIT;
	_free_ char *path = NULL;
	int r;

	if (!id || !*id)
		return err_set(e, EINVAL, "--mount=%s: a secret needs an id or a target", x->asked);
	item = given(b, id);
	if (!item)
		return w->required ? err_set(e, ENOENT, "secret %s: not found", id) : 0;
	r = find(item, id, &path, &value, e);
	if (r >= 0)
		r = read_value(path, value, &text, e);
	if (r < 0)
		return err_wrap(e, "--mount=%s", x->asked);
	if (!x->target && !w->env)
		x->target = str_printf("/run/secrets/%s", id);
	if (w->env)
		r = set_variable(spec, x, &text, e);
	if (r >= 0 && x->target)
		r = add_file(b, x, spec, &path, &text, e);
	if (text.data)
		explicit_bzero(text.data, text.len);
	return r;
}
