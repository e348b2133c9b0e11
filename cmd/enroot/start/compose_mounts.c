/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cmd/enroot/start/compose_priv.h"
#include "cmd/enroot/conf/script.h"
#include "cmd/enroot/conf/dropin.h"
#include "cmd/enroot/conf/expand.h"
#include "cmd/enroot/start/mount_list.h"
#include "cmd/enroot/start/stock.h"
#include "cmd/options/mount_keys.h"
#include "cmd/options/mount_spec.h"
#include "runtime/start/bare.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/spec/fstab.h"
#include "runtime/server/image_meta.h"
#include "runtime/spec/spec.h"

#define FILE_BYTES_MAX (1u << 20)

/* Lines of mounts and the place they come from: a file of the host, the output of a function, an
 * option. */
struct lines {
	const char *place; /* for messages */
	const char *text;
	size_t len;
	bool numbered; /* messages tell the line */
	int pass;      /* only lines of -1, or (0) all others */
};

static struct mount_list list_of(struct compose *c)
{
	return (struct mount_list){c->spec, &c->spec->hooks.mounts_before, c->cwd};
}

static int add_entry(struct compose *c, struct fstab_entry *x, const char *place, struct err *e)
{
	struct mount_list list = list_of(c);
	struct err why = ERR_INIT;
	bool silent = x->silent;
	int r;

	if (x->mount.target && str_eq(x->mount.target, "/etc/rc.local"))
		c->shows_rc_local = true;
	r = mount_list_apply(&list, x, place, &why);
	if (r == MOUNT_MISSING && !silent)
		compose_warn(c, "%s: passed over: %s", place, why.msg);
	if (r < 0)
		*e = why;
	return r < 0 ? r : 0;
}

static int add_line(struct compose *c, const char *line, size_t len, const char *place, int pass,
		    struct err *e)
{
	struct fstab_entry x;
	int r = fstab_parse_line(line, len, c->rootfs, &x, e);

	if (r <= 0)
		return r;
	if ((x.pass == -1) != (pass == -1)) {
		fstab_entry_free(&x);
		return 0;
	}
	return add_entry(c, &x, place, e);
}

static int add_lines(struct compose *c, const struct lines *l, struct err *e)
{
	const char *at = l->text;
	size_t left = l->len;

	for (unsigned number = 1; left; number++) {
		const char *end = memchr(at, '\n', left);
		size_t n = end ? (size_t)(end - at) : left;
		_free_ char *place = l->numbered ? str_printf("%s:%u", l->place, number)
						 : str_printf("%s", l->place);
		int r = place ? add_line(c, at, n, place, l->pass, e) : err_oom(e);

		if (r < 0)
			return place ? err_wrap(e, "%s", place) : r;
		n += end != NULL;
		at += n;
		left -= n;
	}
	return 0;
}

#define IMAGE_MOUNTS_MAX 256u

static int check_count(const struct compose *c, struct err *e)
{
	if (c->spec->n_mounts < IMAGE_MOUNTS_MAX)
		return 0;
	return err_set(e, E2BIG, "the image has more than %u volumes", IMAGE_MOUNTS_MAX);
}

/* The image's own directories: a start may write there, whatever the rest of the root is. */
static int add_volume(struct compose *c, const char *path, struct err *e)
{
	struct fstab_entry x = {.mount = {.kind = MOUNT_SELF}};

	if (mount_list_is_kernels(path))
		return 0;
	if (!path_is_clean_absolute(path) || strspn(path, "/") == strlen(path)) {
		compose_warn(c, "the image's volume %s: passed over: not a path of a directory",
			     path);
		return 0;
	}
	if (check_count(c, e) < 0)
		return -E2BIG;
	x.mount.source = strdup(path);
	x.mount.target = strdup(path);
	if (!x.mount.source || !x.mount.target) {
		fstab_entry_free(&x);
		return err_oom(e);
	}
	return add_entry(c, &x, "a volume of the image", e);
}

/*
 * enroot writes an image's volumes into its fstab as binds of ${ENROOT_ROOTFS}. Those, and a tmpfs,
 * are the image's own affair. Whatever else stands there would be a request of the image to the
 * host, or is the table of a machine that the image was once made of.
 */
static int add_image_line(struct compose *c, const char *line, size_t len, unsigned number,
			  struct err *e)
{
	static const char root[] = "${ENROOT_ROOTFS}";
	struct fstab_entry x;
	int r = fstab_parse_line(line, len, root, &x, NULL);
	bool harmless = r > 0 && x.kind == FSTAB_MOUNT && !x.is_kernel &&
			(x.mount.kind == MOUNT_SELF || x.mount.kind == MOUNT_TMPFS) &&
			str_has_prefix(x.mount.target, "/") && strcmp(x.mount.target, "/") &&
			!str_has_prefix(x.mount.target, "/proc") &&
			!str_has_prefix(x.mount.target, "/sys") &&
			!str_has_prefix(x.mount.target, "/dev");

	if (harmless && check_count(c, e) < 0) {
		fstab_entry_free(&x);
		return -E2BIG;
	}
	if (harmless)
		return add_entry(c, &x, "the image's /etc/fstab", e);
	if (r > 0)
		fstab_entry_free(&x);
	if (r)
		compose_warn(c,
			     "the image's /etc/fstab:%u: passed over: an image does not choose "
			     "mounts of the host",
			     number);
	return 0;
}

static int add_image(struct compose *c, struct err *e)
{
	const struct image_meta *m = c->q->meta;
	const char *at = m->has_config ? NULL : m->fstab;
	size_t left = at ? m->fstab_len : 0;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < m->volumes.n; i++)
		r = add_volume(c, m->volumes.items[i], e);
	for (unsigned number = 1; r >= 0 && left; number++) {
		const char *end = memchr(at, '\n', left);
		size_t n = end ? (size_t)(end - at) : left;

		r = add_image_line(c, at, n, number, e);
		n += end != NULL;
		at += n;
		left -= n;
	}
	return r;
}

static int add_file(struct compose *c, const char *path, int pass, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT, expanded = STRBUF_INIT;
	int r = path_read_believed(path, FILE_BYTES_MAX, &text, e);

	if (r < 0)
		return err_wrap(e, "%s", path);
	expand_variables(strbuf_str(&text), text.len, c->script_env.items, &expanded);
	if (strbuf_check(&expanded, e) < 0)
		return -ENOMEM;
	return add_lines(c, &(struct lines){path, strbuf_str(&expanded), expanded.len, true, pass},
			 e);
}

static int add_files(struct compose *c, const struct strv *files, int pass, struct err *e)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < files->n; i++)
		r = add_file(c, files->items[i], pass, e);
	return r;
}

static int add_text(struct compose *c, const char *place, const char *text, struct err *e)
{
	return add_lines(c, &(struct lines){place, text, strlen(text), false, 0}, e);
}

static int add_pmix(struct compose *c, const char *dir, struct err *e)
{
	static const char place[] = "the directory of the job's PMIx server";
	struct fstab_entry x = {.silent = true};
	struct err why = ERR_INIT;
	int r = stock_slurm_open_pmix(dir, &x.mount.source, &why);

	if (r < 0)
		compose_warn(c, "%s: %s", place, why.msg);
	if (r <= 0)
		return 0;
	x.mount.target = strdup(dir);
	x.mount.optional = x.mount.non_recursive = x.mount.no_links = true;
	return add_entry(c, &x, place, e);
}

/* 10-home and 50-slurm-pmi. */
static int add_stock(struct compose *c, struct err *e)
{
	const char *home = env_list_get(c->q->host_env, "HOME", 4);
	_strv_ struct strv pmix = STRV_INIT;
	int r = stock_slurm_pmix_dirs(c->q->host_env, &pmix, e);

	for (size_t i = 0; r >= 0 && i < pmix.n; i++)
		r = add_pmix(c, pmix.items[i], e);
	if (r >= 0 && c->q->mount_home && home && *home == '/') {
		struct fstab_entry x = {0};

		x.mount.source = strdup(home);
		x.mount.target = strdup(c->home);
		r = add_entry(c, &x, "ENROOT_MOUNT_HOME", e);
	}
	return r;
}

static int add_script(struct compose *c, struct err *e)
{
	const struct conf_script *s = c->q->script;
	_strbuf_ struct strbuf out = STRBUF_INIT;
	_free_ char *place = NULL;
	int r;

	if (!s || !s->has[CONF_MOUNTS])
		return 0;
	r = conf_script_call(s, CONF_MOUNTS, c->q->argv, c->script_env.items, &out, e);
	place = str_printf("%s: mounts()", s->path);
	if (r < 0 || !place)
		return r < 0 ? r : err_oom(e);
	return add_lines(c, &(struct lines){place, strbuf_str(&out), out.len, true, 0}, e);
}

/* Fields of -m are separated by colons; blanks are \040. */
static int add_option(struct compose *c, const char *text, struct err *e)
{
	_free_ char *line = strdup(text);

	if (!line)
		return err_oom(e);
	if (mount_keys_match(text)) {
		struct fstab_entry x = {0};

		return mount_parse(text, &x.mount, e) < 0
			       ? err_wrap(e, "Invalid argument: %s", text)
			       : add_entry(c, &x, text, e);
	}
	if (!*text || strpbrk(text, " \t\r\n") || *text == ':' || str_has_suffix(text, ":") ||
	    strstr(text, "::"))
		return err_set(e, EINVAL, "Invalid argument: %s", text);
	for (char *colon = line; (colon = strchr(colon, ':')); colon++)
		*colon = ' ';
	return add_text(c, text, line, e);
}

static int add_options(struct compose *c, struct err *e)
{
	const struct strv *given = c->q->mounts;
	int r = 0;

	for (size_t i = 0; given && r >= 0 && i < given->n; i++)
		r = add_option(c, given->items[i], e);
	return r;
}

/*
 * A site that has enroot's own files says by them what the system's mounts are: csbx does not make
 * a mount that the site took out of them. Mounts that were not asked for are those of
 * bare_system_mounts().
 */
static void drop_replaced(struct compose *c, const struct strv *files)
{
	struct mount_list list = list_of(c);

	for (size_t f = 0; f < files->n; f++) {
		const char *name = dropin_name(files->items[f]);
		bool system = str_eq(name, "10-system.fstab");

		if (!system && !str_eq(name, "20-config.fstab"))
			continue;
		for (size_t i = c->spec->n_mounts; i-- > 0;) {
			const struct mount_spec *m = &c->spec->mounts[i];

			if (!m->asked && (m->kind == MOUNT_TMPFS) == system)
				(void)mount_list_remove(&list, m->target);
		}
	}
}

/*
 * 10-shadow, which makes the home in what is mounted by then: a directory in memory (/tmp, /run)
 * hides the one that the root has.
 */
static int add_covered_home(struct compose *c, struct err *e)
{
	struct fstab_entry x = {.mount = {.kind = MOUNT_TMPFS, .tmpfs_mode = 0700}};
	bool covered = false;

	if (c->q->mount_home || !compose_home_is_plain(c))
		return 0;
	for (size_t i = 0; i < c->spec->n_mounts; i++) {
		const struct mount_spec *m = &c->spec->mounts[i];

		if (path_is_within(m->target, c->home))
			return 0;
		if (path_is_within(c->home, m->target))
			covered = m->kind == MOUNT_TMPFS;
	}
	if (!covered)
		return 0;
	x.mount.target = strdup(c->home);
	return add_entry(c, &x, "the home directory", e);
}

static int add_host(struct compose *c, struct err *e)
{
	_strv_ struct strv files = STRV_INIT;
	int r = dropin_list(c->q->system_dir, "mounts.d", ".fstab", &files, e);

	if (r >= 0)
		r = dropin_list(c->q->user_dir, "mounts.d", ".fstab", &files, e);
	drop_replaced(c, &files);
	if (r >= 0)
		r = add_files(c, &files, -1, e);
	if (r >= 0)
		r = add_covered_home(c, e);
	c->spec->hooks.mounts_before = c->spec->n_mounts;
	if (r >= 0)
		r = add_files(c, &files, 0, e);
	return r < 0 ? r : add_stock(c, e);
}

/* The mounts of csbx's own configuration are there before the rest is asked for; it comes last. */
static int add_given(struct compose *c, struct mount_spec *given, size_t n, struct err *e)
{
	struct mount_list list = list_of(c);
	int r = 0;

	for (size_t i = 0; i < n; i++) {
		struct mount_spec *to;

		(void)mount_list_remove(&list, given[i].target);
		to = spec_add_mount(c->spec);
		if (to) {
			*to = given[i];
		} else {
			spec_free_mount(&given[i]);
			r = err_oom(e);
		}
	}
	return r;
}

int compose_mounts(struct compose *c, struct err *e)
{
	_free_ struct mount_spec *given = take_ptr(c->spec->mounts);
	size_t n_given = c->spec->n_mounts;
	int r, k;

	c->spec->n_mounts = 0;
	r = c->q->is_sandbox ? 0 : bare_system_mounts(c->spec, e);
	if (c->q->restrict_dev || c->spec->ns.ipc == IPC_PRIVATE)
		c->spec->ns.host_dev = false;
	if (r >= 0)
		r = add_image(c, e);
	c->spec->hooks.mounts_before = c->spec->n_mounts;
	if (r >= 0 && !c->q->is_sandbox)
		r = add_host(c, e);
	if (r >= 0)
		r = add_script(c, e);
	if (r >= 0)
		r = add_options(c, e);
	k = add_given(c, given, n_given, r < 0 ? NULL : e);
	return r < 0 ? r : k;
}
