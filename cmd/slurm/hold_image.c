/* SPDX-License-Identifier: Apache-2.0 */

/* Finds the image of a step and the name that it gets. */

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/enroot/frame/enroot.h"
#include "cmd/options/input_file.h"
#include "cmd/slurm/step_child.h"
#include "cmd/slurm/hold_priv.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"

#define IMPORTS "steps" /* in the cache */
#define DOCKER "docker://"

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
	h->image = input_path(path, NULL, e);
	return h->image ? 0 : err_wrap(e, "--container-image");
}

/* Reads the output of an importer: one line, an absolute path. */
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
	struct step_child c = {h->a.importer, &argv, &env, .in_fd = -1, .stop_fd = h->stop_fd};

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

/* Files of holders that were killed; not while another one of the user's imports. */
static void sweep_imports(int dirfd)
{
	_close_ int lock = temp_try_exclusive(dirfd, NULL);
	int list = lock < 0 ? -1 : openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = list < 0 ? NULL : fdopendir(list);
	const struct dirent *ent;

	if (!d)
		fd_close(&list);
	while (d && (ent = readdir(d))) {
		if (temp_is_name(ent->d_name))
			path_remove_tree_at(dirfd, ent->d_name, NULL);
	}
	if (d)
		closedir(d);
}

static int open_imports(char **ret_path, struct err *e)
{
	struct enroot x = {.self = PROGRAM_CSBX};
	int r = enroot_load_state(&x, e);

	*ret_path = r < 0 ? NULL : str_printf("%s/" IMPORTS, x.cmd.paths.cache);
	if (r >= 0)
		r = *ret_path ? paths_open(x.cmd.paths.cache, IMPORTS, e) : err_oom(e);
	enroot_free_state(&x);
	return r;
}

void hold_sweep_imports(void)
{
	_free_ char *path = NULL;
	_close_ int dirfd = open_imports(&path, NULL);

	if (dirfd >= 0)
		sweep_imports(dirfd);
}

void hold_drop_import(struct hold *h)
{
	if (h->imports_fd >= 0 && *h->import)
		path_remove_tree_at(h->imports_fd, h->import, NULL);
	*h->import = 0;
	fd_close(&h->imports_fd);
	fd_close(&h->imports_lock);
}

/* A place that is debris once we are dead. */
static int make_place(struct hold *h, struct err *e)
{
	int r = h->imports_lock = temp_begin(h->imports_fd, e);

	if (r >= 0)
		r = temp_name(h->import, e);
	if (r >= 0 && mkdirat(h->imports_fd, h->import, 0700) < 0)
		r = err_sys(e, "mkdir %s", h->import);
	return r;
}

/* The cache has the layers; the file of them is the step's alone. */
static int import_own(struct hold *h, struct err *e)
{
	_free_ char *dir = NULL, *path = NULL;
	int r = h->imports_fd = open_imports(&dir, e);

	if (r < 0)
		return r;
	sweep_imports(h->imports_fd);
	r = make_place(h, e);
	if (r < 0)
		return r;
	path = str_printf("%s/%s/%s.sqsh", dir, h->import, h->dirname);
	if (!path)
		return err_oom(e);
	r = hold_enroot(h, NULL, e, "import", "--output", path, h->a.image, (char *)NULL);
	if (r >= 0)
		h->image = take_ptr(path);
	return r;
}

/* The commonest slip: a word without a slash is a name in a registry, also where a file has that
 * name. */
static int not_imported(const struct hold *h, struct err *e)
{
	const char *name =
		str_has_prefix(h->a.image, DOCKER) ? h->a.image + strlen(DOCKER) : h->a.image;
	struct stat st;
	int r = err_wrap(e, "could not import %s", h->a.image);

	if (stat(name, &st) == 0 && S_ISREG(st.st_mode))
		err_append(e, "the file of that name is ./%s", name);
	return r;
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
		return r < 0 ? not_imported(h, e) : use_importers(h, &out, e);
	}
	r = import_own(h, e);
	return r < 0 ? not_imported(h, e) : 0;
}

void hold_release_image(struct hold *h)
{
	struct err e = ERR_INIT;

	hold_drop_import(h);
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
	return h->target ? 0 : err_oom(e);
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
		return h->target ? 0 : err_oom(e);
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
			return err_oom(e);
		h->name_is_ours = true;
		r = hold_names_add(h->dirfd, HOLD_OWN_NAME, own, e);
		return r < 0 ? r : create(h, own, e);
	}
	r = find_image(h, e);
	if (r >= 0)
		h->target = str_printf("%s", h->image);
	return r < 0 || h->target ? r : err_oom(e);
}
