/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/spank/options.h"

#include <stdlib.h>

#include "cmd/spank/mounts.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

#define NAME_MAX_LEN 96 /* "pyxis_JOBID_" before it */

/* clang-format off */
const struct spank_flag spank_flags[SPANK_OPT_MAX] = {
	[SPANK_IMAGE] = {"container-image", "[USER@][REGISTRY#]IMAGE[:TAG]|PATH",
		"[csbx] the image for the container's file system: a squashfs file on the nodes (a path "
		"that begins with / or .), else an image of a registry",
		"PYXIS_CONTAINER_IMAGE"},
	[SPANK_MOUNTS] = {"container-mounts", "SRC:DST[:FLAGS][,SRC:DST...]",
		"[csbx] bind mounts inside the container. Flags are joined by \"+\": ro+nosuid",
		"PYXIS_CONTAINER_MOUNTS"},
	[SPANK_WORKDIR] = {"container-workdir", "PATH",
		"[csbx] working directory inside the container",
		"PYXIS_CONTAINER_WORKDIR"},
	[SPANK_NAME] = {"container-name", "NAME[:auto|create|exec|no_exec]",
		"[csbx] name of the container on the nodes: it stays when the step has ended, and a later "
		"step that names it uses it again",
		"PYXIS_CONTAINER_NAME"},
	[SPANK_SAVE] = {"container-save", "PATH",
		"[csbx] save the container as a squashfs file on the node when its last task has ended",
		"PYXIS_CONTAINER_SAVE"},
	[SPANK_MOUNT_HOME] = {"container-mount-home", NULL,
		"[csbx] mount the home directory", "PYXIS_CONTAINER_MOUNT_HOME"},
	[SPANK_NO_MOUNT_HOME] = {"no-container-mount-home", NULL,
		"[csbx] do not mount the home directory", NULL},
	[SPANK_REMAP_ROOT] = {"container-remap-root", NULL,
		"[csbx] be root inside the container; grants nothing outside",
		"PYXIS_CONTAINER_REMAP_ROOT"},
	[SPANK_NO_REMAP_ROOT] = {"no-container-remap-root", NULL,
		"[csbx] do not be root inside the container", NULL},
	[SPANK_ENTRYPOINT] = {"container-entrypoint", NULL,
		"[csbx] run the image's entry point, once a node, before the tasks",
		"PYXIS_CONTAINER_ENTRYPOINT"},
	[SPANK_NO_ENTRYPOINT] = {"no-container-entrypoint", NULL,
		"[csbx] do not run the image's entry point", NULL},
	[SPANK_ENTRYPOINT_LOG] = {"container-entrypoint-log", NULL,
		"[csbx] print what the entry point prints", "PYXIS_CONTAINER_ENTRYPOINT_LOG"},
	[SPANK_WRITABLE] = {"container-writable", NULL,
		"[csbx] make the container's file system writable", "PYXIS_CONTAINER_WRITABLE"},
	[SPANK_READONLY] = {"container-readonly", NULL,
		"[csbx] make the container's file system read-only", "PYXIS_CONTAINER_READONLY"},
	[SPANK_ENV] = {"container-env", "NAME[,NAME...]",
		"[csbx] variables whose value outside wins over the image's. All others of the job are "
		"passed too, but the image wins",
		"PYXIS_CONTAINER_ENV"},
	[SPANK_UNSHARE] = {"container-unshare", "net|ipc|uts[,...]",
		"[csbx] namespaces the container does not share with the node",
		"PYXIS_CONTAINER_UNSHARE"},
};
/* clang-format on */

void spank_options_free(struct spank_options *o)
{
	free(o->image);
	free(o->workdir);
	free(o->save);
	free(o->name);
	strv_free(&o->mounts);
	strv_free(&o->sources);
	strv_free(&o->env);
	*o = (struct spank_options)SPANK_OPTIONS_INIT;
}

/* Once, or again with the same value. */
static int set_text(char **at, const char *value, size_t len, struct err *e)
{
	if (*at && strlen(*at) == len && !strncmp(*at, value, len))
		return 0;
	if (*at)
		return err_set(e, EINVAL, "specified multiple times");
	*at = str_printf("%.*s", (int)len, value);
	return *at ? 0 : err_set(e, ENOMEM, "could not allocate memory");
}

/* A path, or what the enroot dialect's import understands; a bare reference is docker's. */
static int set_image(struct spank_options *o, const char *arg, struct err *e)
{
	bool is_uri = str_has_prefix(arg, "docker://") || str_has_prefix(arg, "dockerd://") ||
		      str_has_prefix(arg, "podman://");
	_free_ char *value =
		str_printf("%s%s", *arg == '/' || *arg == '.' || is_uri ? "" : "docker://", arg);

	if (!value)
		return err_set(e, ENOMEM, "could not allocate memory");
	if (strstr(arg, "://") && !is_uri)
		return err_set(e, EINVAL, "unknown scheme: %.200s", arg);
	return set_text(&o->image, value, strlen(value), e);
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '.' || c == '+' || c == '-';
}

static int name_how(const char *word, enum spank_name_how *ret, struct err *e)
{
	static const char *const words[] = {"auto", "create", "exec", "no_exec"};

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (str_eq(word, words[i])) {
			*ret = (enum spank_name_how)i;
			return 0;
		}
	}
	return err_set(e, EINVAL, "flag must be \"auto\", \"create\", \"exec\" or \"no_exec\"");
}

static int set_name(struct spank_options *o, const char *arg, struct err *e)
{
	size_t len = strcspn(arg, ":");
	enum spank_name_how how = SPANK_NAME_AUTO;
	int r;

	if (!len)
		return err_set(e, EINVAL, "empty name");
	for (size_t i = 0; i < len; i++) {
		if (!is_name_char(arg[i]))
			return err_set(e, EINVAL, "a name is made of letters, digits and _.+-");
	}
	if (len > NAME_MAX_LEN)
		return err_set(e, EINVAL, "a name has at most %d characters", NAME_MAX_LEN);
	if (arg[len] && arg[len + 1] && name_how(arg + len + 1, &how, e) < 0)
		return -EINVAL;
	if (o->name && how != o->name_how)
		return err_set(e, EINVAL, "specified multiple times");
	r = set_text(&o->name, arg, len, e);
	o->name_how = how;
	return r;
}

static int set_save(struct spank_options *o, const char *arg, struct err *e)
{
	if (str_has_suffix(arg, "/"))
		return err_set(e, EINVAL, "target is a directory");
	return set_text(&o->save, arg, strlen(arg), e);
}

static int set_workdir(struct spank_options *o, const char *arg, struct err *e)
{
	if (*arg != '/')
		return err_set(e, EINVAL, "not an absolute path: %.200s", arg);
	return set_text(&o->workdir, arg, strlen(arg), e);
}

static bool is_variable(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		bool letter =
			s[i] == '_' || (s[i] >= 'a' && s[i] <= 'z') || (s[i] >= 'A' && s[i] <= 'Z');

		if (!letter && !(i && s[i] >= '0' && s[i] <= '9'))
			return false;
	}
	return len > 0;
}

static void add_once(struct strv *v, const char *s, size_t len)
{
	for (size_t i = 0; i < v->n; i++) {
		if (strlen(v->items[i]) == len && !strncmp(v->items[i], s, len))
			return;
	}
	strv_addn(v, s, len);
}

static int add_variable(struct spank_options *o, const char *word, size_t len, struct err *e)
{
	if (!is_variable(word, len))
		return err_set(e, EINVAL, "invalid format: %.*s", (int)(len > 200 ? 200 : len),
			       word);
	add_once(&o->env, word, len);
	return 0;
}

static int add_namespace(struct spank_options *o, const char *word, size_t len, struct err *e)
{
	static const char *const names[] = {"net", "ipc", "uts"};

	for (unsigned i = 0; i < 3; i++) {
		if (len == 3 && !strncmp(names[i], word, 3)) {
			o->unshare |= 1u << i;
			return 0;
		}
	}
	return err_set(e, EINVAL, "unknown namespace \"%.*s\", must be \"net\", \"ipc\" or \"uts\"",
		       (int)(len > 40 ? 40 : len), word);
}

static int add_mount(struct spank_options *o, const char *word, size_t len, struct err *e)
{
	return spank_mount_add(&o->mounts, &o->sources, word, len, e);
}

typedef int add_fn(struct spank_options *o, const char *word, size_t len, struct err *e);

static int add_list(struct spank_options *o, const char *arg, add_fn *add, struct err *e)
{
	for (const char *p = arg;; p++) {
		size_t len = strcspn(p, ",");
		int r = add(o, p, len, e);

		if (r < 0)
			return r;
		p += len;
		if (!*p)
			return 0;
	}
}

static int choose(enum spank_choice *at, enum spank_choice value, const char *yes, const char *no,
		  struct err *e)
{
	if (*at != SPANK_UNSET && *at != value)
		return err_set(e, EINVAL, "both --%s and --%s were specified", yes, no);
	*at = value;
	return 0;
}

static int set_choice(struct spank_options *o, enum spank_opt which, struct err *e)
{
	static const struct {
		size_t offset;
		enum spank_opt yes, no;
	} pairs[] = {
		{offsetof(struct spank_options, mount_home), SPANK_MOUNT_HOME, SPANK_NO_MOUNT_HOME},
		{offsetof(struct spank_options, remap_root), SPANK_REMAP_ROOT, SPANK_NO_REMAP_ROOT},
		{offsetof(struct spank_options, entrypoint), SPANK_ENTRYPOINT, SPANK_NO_ENTRYPOINT},
		{offsetof(struct spank_options, writable), SPANK_WRITABLE, SPANK_READONLY},
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		if (which != pairs[i].yes && which != pairs[i].no)
			continue;
		return choose((void *)((char *)o + pairs[i].offset),
			      which == pairs[i].yes ? SPANK_YES : SPANK_NO,
			      spank_flags[pairs[i].yes].name, spank_flags[pairs[i].no].name, e);
	}
	if (which != SPANK_ENTRYPOINT_LOG)
		return err_set(e, EINVAL, "unknown option");
	o->entrypoint_log = SPANK_YES;
	return 0;
}

static int set_value(struct spank_options *o, enum spank_opt which, const char *arg, struct err *e)
{
	switch (which) {
	case SPANK_IMAGE:
		return set_image(o, arg, e);
	case SPANK_MOUNTS:
		return add_list(o, arg, add_mount, e);
	case SPANK_WORKDIR:
		return set_workdir(o, arg, e);
	case SPANK_NAME:
		return set_name(o, arg, e);
	case SPANK_SAVE:
		return set_save(o, arg, e);
	case SPANK_ENV:
		return add_list(o, arg, add_variable, e);
	case SPANK_UNSHARE:
		return add_list(o, arg, add_namespace, e);
	default:
		return err_set(e, EINVAL, "takes no argument");
	}
}

static int check_value(const char *arg, struct err *e)
{
	if (!arg || !*arg)
		return err_set(e, EINVAL, "argument required");
	if (strlen(arg) > SPANK_VALUE_MAX)
		return err_set(e, EINVAL, "argument too long");
	for (const char *p = arg; *p; p++) {
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			return err_set(e, EINVAL, "argument has control characters");
	}
	return 0;
}

int spank_options_set(struct spank_options *o, enum spank_opt which, const char *arg, struct err *e)
{
	int r;

	if ((unsigned)which >= SPANK_OPT_MAX)
		return err_set(e, EINVAL, "unknown option");
	if (!spank_flags[which].arg) {
		r = set_choice(o, which, e);
		if (r < 0) /* it names both flags */
			return r;
	} else {
		r = check_value(arg, e);
		if (r >= 0)
			r = set_value(o, which, arg, e);
	}
	if (r >= 0)
		r = o->mounts.failed || o->sources.failed || o->env.failed
			    ? err_set(e, ENOMEM, "could not allocate memory")
			    : 0;
	if (r < 0)
		return err_wrap(e, "--%s", spank_flags[which].name);
	o->given |= 1u << which;
	return 0;
}

/* pyxis's words for yes and no. */
static int parse_choice(const char *word)
{
	static const char *const yes[] = {"1", "true", "yes", "y"};
	static const char *const no[] = {"0", "false", "no", "n"};

	for (unsigned i = 0; i < 4; i++) {
		if (!strcasecmp(word, yes[i]))
			return SPANK_YES;
		if (!strcasecmp(word, no[i]))
			return SPANK_NO;
	}
	return -EINVAL;
}

/* The flag that a variable's "no" stands for. */
static enum spank_opt opposite(enum spank_opt which)
{
	switch (which) {
	case SPANK_MOUNT_HOME:
		return SPANK_NO_MOUNT_HOME;
	case SPANK_REMAP_ROOT:
		return SPANK_NO_REMAP_ROOT;
	case SPANK_ENTRYPOINT:
		return SPANK_NO_ENTRYPOINT;
	case SPANK_WRITABLE:
		return SPANK_READONLY;
	case SPANK_READONLY:
		return SPANK_WRITABLE;
	default:
		return SPANK_OPT_MAX;
	}
}

/* True where the command line, or an earlier variable, has had its say. */
static bool is_decided(const struct spank_options *o, enum spank_opt which)
{
	enum spank_opt other = opposite(which);

	return (o->given & 1u << which) || (other != SPANK_OPT_MAX && (o->given & 1u << other));
}

static int take_variable(struct spank_options *o, enum spank_opt which, const char *value,
			 struct err *e)
{
	int choice;

	if (spank_flags[which].arg)
		return spank_options_set(o, which, value, e);
	choice = parse_choice(value);
	if (choice < 0)
		return err_set(e, EINVAL, "neither yes nor no: %.200s", value);
	if (choice == SPANK_YES)
		return spank_options_set(o, which, NULL, e);
	which = opposite(which);
	return which == SPANK_OPT_MAX ? 0 : spank_options_set(o, which, NULL, e);
}

static int take_variables(struct spank_options *o, enum spank_opt first, enum spank_opt end,
			  const char *(*get)(void *ctx, const char *name), void *ctx, struct err *e)
{
	for (enum spank_opt i = first; i < end; i++) {
		const char *name = spank_flags[i].variable;
		const char *value = name && !is_decided(o, i) ? get(ctx, name) : NULL;

		if (value && *value && take_variable(o, i, value, e) < 0)
			return err_wrap(e, "%s", name);
	}
	return 0;
}

static int check_whole(const struct spank_options *o, struct err *e)
{
	if (o->name && o->name_how == SPANK_NAME_EXEC && (o->given & 1u << SPANK_IMAGE))
		return err_set(e, EINVAL,
			       "--container-image: of no use with --container-name=%s:exec",
			       o->name);
	if (o->entrypoint_log == SPANK_YES && o->entrypoint == SPANK_NO)
		return err_set(e, EINVAL,
			       "both --container-entrypoint-log and "
			       "--no-container-entrypoint were specified");
	return 0;
}

int spank_options_finish(struct spank_options *o, const char *(*get)(void *ctx, const char *name),
			 void *ctx, struct err *e)
{
	unsigned asked = o->given;
	int r = 0;

	/* First look if there is a container at all: without one the other variables mean
	 * nothing. */
	if (get)
		r = take_variables(o, SPANK_IMAGE, SPANK_IMAGE + 1, get, ctx, e);
	if (get && r >= 0)
		r = take_variables(o, SPANK_NAME, SPANK_NAME + 1, get, ctx, e);
	if (r < 0)
		return r;
	for (enum spank_opt i = 0; !spank_options_active(o) && i < SPANK_OPT_MAX; i++) {
		if (asked & 1u << i)
			return err_set(
				e, EINVAL,
				"--%s: neither --container-image nor --container-name is set",
				spank_flags[i].name);
	}
	if (get && spank_options_active(o))
		r = take_variables(o, SPANK_IMAGE, SPANK_OPT_MAX, get, ctx, e);
	return r < 0 ? r : check_whole(o, e);
}
