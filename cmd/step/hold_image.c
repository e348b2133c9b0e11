/* SPDX-License-Identifier: Apache-2.0 */

/* Which image, and under which name. */

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/enroot/enroot.h"
#include "cmd/step/child.h"
#include "cmd/step/hold_priv.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"

static bool has_line(const struct strbuf *text, const char *line)
{
	size_t len = strlen(line);

	for (const char *p = strbuf_str(text); (p = strstr(p, line)); p += len) {
		if ((p == text->data || p[-1] == '\n') && (p[len] == '\n' || !p[len]))
			return true;
	}
	return false;
}

/* 1: there is a container of that name. */
static int exists(struct hold *h, const char *name, struct err *e)
{
	_strbuf_ struct strbuf names = STRBUF_INIT;
	int r = hold_enroot(h, &names, e, "list", (char *)NULL);

	return r < 0 ? r : has_line(&names, name);
}

static int use_file(struct hold *h, const char *path, struct err *e)
{
	h->image = realpath(path, NULL);
	return h->image ? 0 : err_sys(e, "--container-image: %s", path);
}

/* What an importer prints: one line, an absolute path. */
static int use_importers(struct hold *h, struct strbuf *out, struct err *e)
{
	size_t len = strcspn(strbuf_str(out), "\n");

	if (*strbuf_str(out) != '/' || (out->data[len] && out->data[len + 1]))
		return err_set(e, EPROTO, "%s did not print one absolute path", h->a.importer);
	out->data[len] = 0;
	return use_file(h, out->data, e);
}

static int ask_importer(struct hold *h, const char *what, struct strbuf *out, struct err *e)
{
	const char *slash = strrchr(h->a.dir, '/');
	_free_ char *runtime =
		str_printf("PYXIS_RUNTIME_PATH=%.*s", (int)(slash - h->a.dir), h->a.dir);
	_strv_ struct strv argv = STRV_INIT, env = STRV_INIT;
	struct step_child c = {h->a.importer, &argv, &env, .in_fd = -1};

	strv_add(&argv, h->a.importer);
	strv_add(&argv, what);
	if (out)
		strv_add(&argv, h->a.image);
	strv_take(&env, take_ptr(runtime));
	strv_add(&env, "PYXIS_VERSION=0.24.0");
	if (strv_check(&argv, e) < 0 || strv_check(&env, e) < 0)
		return -ENOMEM;
	return step_child_run(&c, out, &h->said, e);
}

/* The cache has the layers; the file of them is the step's alone and goes with it. */
static int import_own(struct hold *h, struct err *e)
{
	struct enroot x = {.self = PROGRAM_CSBX};
	_close_ int dirfd = -1;
	_free_ char *path = NULL, *dir = NULL;
	int r = enroot_load_state(&x, e);

	dir = r >= 0 ? str_printf("%s/steps", x.cmd.paths.cache) : NULL;
	path = dir ? str_printf("%s/%s.sqsh", dir, h->dirname) : NULL;
	if (r >= 0 && !path)
		r = err_set(e, ENOMEM, "out of memory");
	if (r >= 0)
		r = dirfd = paths_open(x.cmd.paths.cache, "steps", e);
	enroot_free_state(&x);
	if (r < 0)
		return r;
	unlink(path);
	r = hold_enroot(h, NULL, e, "import", "--output", path, h->a.image, (char *)NULL);
	if (r < 0)
		return r;
	h->image = take_ptr(path);
	h->image_is_ours = true;
	return 0;
}

static int find_image(struct hold *h, struct err *e)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	int r;

	if (!h->a.image)
		return err_set(
			e, EINVAL,
			"a container with name \"%s\" does not exist, and --container-image is "
			"not set",
			h->a.name);
	if (*h->a.image == '/' || *h->a.image == '.')
		return use_file(h, h->a.image, e);
	if (h->a.importer) {
		r = ask_importer(h, "get", &out, e);
		return r < 0 ? err_wrap(e, "could not import %s", h->a.image)
			     : use_importers(h, &out, e);
	}
	r = import_own(h, e);
	return r < 0 ? err_wrap(e, "could not import %s", h->a.image) : 0;
}

void hold_release_image(struct hold *h)
{
	struct err e = ERR_INIT;

	if (h->image_is_ours && h->image)
		unlink(h->image);
	if (h->a.importer && h->a.image && *h->a.image != '/' && *h->a.image != '.' &&
	    ask_importer(h, "release", NULL, &e) < 0)
		cmd_error(&e, "%s release", h->a.importer);
}

static int create(struct hold *h, const char *name, struct err *e)
{
	int r = find_image(h, e);

	if (r >= 0)
		r = hold_enroot(h, NULL, e, "create", "--name", name, h->image, (char *)NULL);
	if (r < 0)
		return r;
	h->target = str_printf("%s", name);
	return h->target ? 0 : err_set(e, ENOMEM, "out of memory");
}

static int find_named(struct hold *h, struct err *e)
{
	const char *name = h->a.name;
	int r;

	if (h->a.how == HOLD_EXEC)
		return err_set(
			e, ESRCH,
			"\"exec\" flag was passed to --container-name but the container is not "
			"running");
	r = exists(h, name, e);
	if (r > 0 && h->a.how == HOLD_CREATE)
		return err_set(e, EEXIST,
			       "\"create\" flag was passed to --container-name but the container "
			       "already exists");
	if (r > 0) {
		h->target = str_printf("%s", name);
		return h->target ? 0 : err_set(e, ENOMEM, "out of memory");
	}
	if (r == 0 && h->a.scope)
		r = hold_remember_name(h, e);
	return r < 0 ? r : create(h, name, e);
}

int hold_find(struct hold *h, struct err *e)
{
	_free_ char *own = NULL;
	int r;

	if (h->a.name)
		return find_named(h, e);
	/* To be saved it must have a layer that outlives its processes. */
	if (h->a.save) {
		own = str_printf("pyxis_%s", h->dirname);
		if (!own)
			return err_set(e, ENOMEM, "out of memory");
		h->name_is_ours = true;
		return create(h, own, e);
	}
	r = find_image(h, e);
	if (r >= 0)
		h->target = str_printf("%s", h->image);
	return r < 0 || h->target ? r : err_set(e, ENOMEM, "out of memory");
}
