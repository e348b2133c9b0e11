/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/start/own_dirs.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/kernel/mount_table.h"
#include "runtime/record/hosts.h"
#include "runtime/record/step_dirs.h"
#include "runtime/record/volume.h"
#include "runtime/settings/paths.h"
#include "runtime/spec/plan.h"
#include "runtime/start/own_dirs_shown.h"
#include "runtime/start/own_dirs_walk.h"

/* A program that holds the directory closes and opens it, or takes things away: no look is of one state. */
static int changed(const char *at, const struct op *op, struct err *e)
{
	return err_set(e, EAGAIN,
		       "csbx's own directory %s must be hidden from a mount, and %s changed while "
		       "csbx looked (end the program that changes it)",
		       op->src, at);
}

/*
 * Another user's directory in one of the caller's: with a writable mount of that a program moves it
 * away, and makes there what csbx believes. 1: no such mount shows it.
 */
static int refuse_to_move(struct shown *s, const char *at, const struct op *op, struct err *e)
{
	int r = shown_writable(s, at, e);

	if (r <= 0)
		return r < 0 ? r : 1;
	return err_set(e, EPERM,
		       "csbx's own directory %s must be hidden from a mount, and its place %s is "
		       "another user's, which a program could move away (chown it, or make the "
		       "directory)",
		       op->src, at);
}

/*
 * The directory at is closed to the caller: the program could open it, as it has the caller's id or
 * a subordinate one that a program has given it to, and make there what could not be hidden. 1: it
 * has no way to, in a directory of root's or of an id that is none here. Only what is seen of the
 * directory itself tells that: one above it may have been closed, and be open again. need: what it
 * did not let the caller do, access(2).
 */
static int pass_over(struct shown *s, const char *at, int need, const struct op *op, struct err *e)
{
	struct stat st;
	int r;

	at = *at ? at : "/";
	if (lstat(at, &st) == 0 && own_walk_is_of_others(&st) &&
	    faccessat(AT_FDCWD, at, need, AT_EACCESS) < 0)
		return own_walk_is_kept(at, op->flags & OP_SITE) ? 1 : refuse_to_move(s, at, op, e);
	r = shown_has_part(s, at, e);
	if (r <= 0)
		return r < 0 ? r : 1;
	if (lstat(at, &st) < 0 || faccessat(AT_FDCWD, at, need, AT_EACCESS) == 0)
		return changed(at, op, e);
	return err_set(e, EACCES,
		       "csbx's own directory %s must be hidden from a mount, and its place %s is "
		       "closed (chmod u+rwx it)",
		       op->src, at);
}

/*
 * The way ends at a link of another user: csbx does not follow it, and has nothing there. 1: so it
 * stays. A program that may write to the link's directory puts one of its own into the link's place,
 * which the next start believes. Or it has given the link away itself, chown(2), and takes it back.
 */
static int pass_over_links(struct shown *s, const char *src, const struct strv *links,
			   struct err *e)
{
	for (size_t i = 0; i < links->n; i++) {
		const char *link = links->items[i];
		const bool is_last = i + 1 == links->n;
		int r = 1;

		if (!own_walk_may_be_replaced(link) &&
		    !(is_last && own_walk_may_be_given_away(link)))
			r = s && own_walk_may_be_given_up(link) ? shown_writable(s, link, e) : 0;
		if (r < 0)
			return r;
		if (r)
			return err_set(
				e, ELOOP,
				"csbx's own directory %s must be hidden from a mount, and "
				"csbx does not follow the symbolic link %s on the way (chown "
				"-h or remove it)",
				src, link);
	}
	return 1;
}

int own_dirs_stat(const char *path, struct stat *ret, struct err *e)
{
	_strv_ struct strv links = STRV_INIT;
	struct own_walk w = {.is_missing = false};
	int r = own_walk_look_plainly(path);

	if (r == 0)
		return stat(path, ret) < 0 ? err_sys(e, "csbx's own directory %s", path) : 0;
	if (r == -ENOENT)
		return 1;
	r = own_walk(path, &w, &links, NULL);
	if (w.is_foreign)
		return pass_over_links(NULL, path, &links, e);
	if (r == -ENOENT || r == -ENOTDIR)
		return 1;
	if (r >= 0)
		return stat(w.at, ret) < 0 ? err_sys(e, "csbx's own directory %s", path) : 0;
	if (r == -EACCES && lstat(*w.at ? w.at : "/", ret) == 0 && own_walk_is_of_others(ret) &&
	    faccessat(AT_FDCWD, *w.at ? w.at : "/", X_OK, AT_EACCESS) < 0)
		return 1;
	return err_set(e, -r, "csbx's own directory %s cannot be looked at, to leave it out", path);
}

/* What is missing is seen once it is made; a link to it could be replaced. */
static int is_shown(struct shown *s, const struct own_walk *w, const struct strv *links,
		    struct err *e)
{
	int r = shown_has(s, *w->at ? w->at : "/", e);

	for (size_t i = 0; i < links->n && !r; i++)
		r = shown_has(s, links->items[i], e);
	return r;
}

/* Where at is mounted read-only it is not for csbx to make, but by another mount for the program. 1: there is none. */
static int pass_over_closed_mount(struct shown *s, const char *at, const struct op *op,
				  struct err *e)
{
	int r = shown_writable(s, *at ? at : "/", e);

	if (r <= 0)
		return r < 0 ? r : 1;
	return err_set(e, EROFS,
		       "csbx's own directory %s must be hidden from a mount that can be written "
		       "to, and csbx cannot make it: it is mounted read-only where csbx looks",
		       op->src);
}

/*
 * A session directory that is missing is not used (runtime_dir()). The one that csbx has to make is
 * open to be looked into, and marked, so that it is not used either: what runs now has its sockets elsewhere.
 */
static int leave_session_unused(const struct own_walk *w, const struct op *op, int fd,
				struct err *e)
{
	const char *session = getenv("XDG_RUNTIME_DIR"), *name;
	size_t n = own_walk_next_name(w, &name);
	_close_ int dir = -1, mark = -1;

	if (!session || !str_has_prefix(op->src, session) ||
	    !str_eq(op->src + strlen(session), "/csbx") || !name[n])
		return 0;
	dir = openat(fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0 || fchmod(dir, 0755) < 0)
		return err_sys(e, "chmod %s", session);
	mark = openat(fd, PATHS_SESSION_UNUSED, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	return mark < 0 ? err_sys(e, "make %s/csbx/%s", session, PATHS_SESSION_UNUSED) : 0;
}

/*
 * In the place that the way has led to, as the program could: csbx itself may not make it by the same
 * links, and read it by them. 1: it cannot be made, and so not by the program either, which is no
 * more than the caller.
 */
static int make(struct shown *s, const struct own_walk *w, const struct op *op, struct err *e)
{
	const char *at = w->at;
	_free_ char *place = str_printf("%s/%s", at, w->rest);
	struct err why = ERR_INIT;
	_close_ int fd = place ? path_open_private_dir(place, &why) : err_oom(&why);

	if (fd == -EACCES)
		return pass_over(s, at, W_OK | X_OK, op, e);
	if (fd == -ELOOP) /* there was no link */
		return changed(*at ? at : "/", op, e);
	if (fd == -EROFS)
		return pass_over_closed_mount(s, at, op, e);
	if (fd == -EPERM) /* also of one that was made, if all are open to others there */
		return 0;
	if (fd < 0)
		return err_set(e, why.code, "hide csbx's own directory from a mount: %s", why.msg);
	/* Root's has the users' directories in it: as the plugin makes it. */
	if (op->flags & OP_STEPS && fchmod(fd, 0755) < 0)
		return err_sys(e, "chmod %s", op->src);
	return leave_session_unused(w, op, fd, e);
}

/* The plugin believes none that is not root's: one of the caller's would be in its way. */
static bool is_for_root(const struct op *op)
{
	return geteuid() != 0 && step_dirs_is_roots(op->src);
}

/* What other users use as well is not for the first of them to make. 1: nor can the program make it. */
static int leave_to_site(struct shown *s, const struct own_walk *w, const struct op *op,
			 struct err *e)
{
	const char *at = *w->at ? w->at : "/";
	int r;

	if (faccessat(AT_FDCWD, at, W_OK | X_OK, AT_EACCESS) < 0)
		return pass_over(s, at, W_OK | X_OK, op, e);
	s->wants_writable = true;
	r = is_shown(s, w, &op->links, e);
	s->wants_writable = false;
	if (r <= 0)
		return r < 0 ? r : 1;
	return err_set(e, EPERM,
		       "%s does not exist, and a program with a mount of %s could make it, which "
		       "csbx would then trust (make it first, or name no such directory)",
		       op->src, at);
}

static bool is_of_site(const struct own_walk *w, const struct op *op)
{
	struct stat st;

	return op->flags & OP_SITE &&
	       (lstat(*w->at ? w->at : "/", &st) < 0 || st.st_uid != geteuid());
}

/*
 * A file or a loop of links in the way, a file system that does not answer: 1 where no mount shows
 * the place, nor a link on the way.
 */
static int no_directory(struct shown *s, struct own_walk *w, const struct op *op, int why,
			struct err *e)
{
	const char *name;
	size_t n = own_walk_next_name(w, &name), len = strlen(w->at);
	int r;

	/* What could not be looked at, and not the directory that it is in. */
	if (why != -ENOTDIR && n && len + n + 2 <= sizeof(w->at))
		snprintf(w->at + len, n + 2, "/%s", name);
	r = is_shown(s, w, &op->links, e);
	if (r <= 0)
		return r < 0 ? r : 1;
	if (why == -ENOTDIR)
		return err_set(e, ENOTDIR, "%s: a file is in the way of csbx's own directory",
			       op->src);
	return err_set(e, -why, "csbx's own directory %s must be hidden from a mount: %s", op->src,
		       strerror(-why));
}

/* 1: there is nothing to hide. */
static int walk_or_make(struct shown *s, struct op *op, struct own_walk *w, struct err *e)
{
	int r = own_walk(op->src, w, &op->links, e);

	if (w->is_foreign)
		return pass_over_links(s, op->src, &op->links, e);
	if (r == -ENOENT && w->is_missing && is_for_root(op))
		return 1;
	if (r == -ENOENT && w->is_missing) {
		r = is_shown(s, w, &op->links, e);
		if (r < 0)
			return r;
		if (r)
			r = is_of_site(w, op) ? leave_to_site(s, w, op, e) : make(s, w, op, e);
		else
			r = 1;
		if (r)
			return r;
		strv_free(&op->links);
		*w = (struct own_walk){.is_missing = false};
		r = own_walk(op->src, w, &op->links, e);
	}
	if (r == -EACCES || r == -ENOENT)
		return pass_over(s, w->at, r == -EACCES ? X_OK : W_OK | X_OK, op, e);
	return r < 0 ? no_directory(s, w, op, r, e) : r;
}

/*
 * Another user's, in a directory with the sticky bit: what is mounted over it goes when that user
 * removes it, and the program makes it anew.
 */
static int refuse_given_up(struct shown *s, const struct op *op, struct err *e)
{
	struct stat st;
	int r;

	if (lstat(op->real, &st) < 0 || !st.st_uid || !own_walk_is_of_others(&st) ||
	    own_walk_is_kept(op->real, op->flags & OP_SITE))
		return 0;
	r = shown_writable(s, op->real, e);
	if (r <= 0)
		return r;
	return err_set(e, EPERM,
		       "csbx's own directory %s must be hidden from a mount that can be written "
		       "to, and it is another user's, who could remove it for a program to make it "
		       "(mount its directory read-only, or have it removed)",
		       op->src);
}

/* 1: there is nothing to hide. */
static int find(struct shown *s, struct op *op, struct err *e)
{
	struct own_walk w = {.is_missing = false};
	int r = own_walk_look_plainly(op->src);

	if (r == 0) {
		op->real = strdup(op->src);
		return op->real ? refuse_given_up(s, op, e) : err_oom(e);
	}
	/* The part of it that exists begins as src does. */
	if (r == -ENOENT) {
		r = shown_has(s, op->src, e);
		if (r <= 0)
			return r < 0 ? r : 1;
	}
	r = walk_or_make(s, op, &w, e);
	if (r)
		return r;
	op->real = str_printf("%s", *w.at ? w.at : "/");
	r = op->real ? strv_check(&op->links, e) : err_oom(e);
	return r < 0 ? r : refuse_given_up(s, op, e);
}

/* --- what may be mounted ------------------------------------------------------------------ */

static int refuse(const struct op *mount, const struct op *own, struct err *e)
{
	return err_set(
		e, EPERM,
		"mount %s: it lies in %s, which is csbx's own and is hidden from programs "
		"inside; mount another directory, or set CSBX_*_PATH to have csbx's elsewhere",
		mount->src, own->src);
}

/* beyond: the source's place in the directory. */
static bool may_be_mounted(const struct op *op, const char *beyond, const struct op *own,
			   const struct paths *p)
{
	if (str_eq(own->src, p->data) && (volume_has(beyond) || hosts_file_is(beyond)))
		return true;
	if (!(op->flags & OP_RDONLY))
		return false;
	return (str_eq(own->src, p->cache) && clone_has(beyond)) ||
	       (own->flags & OP_STEPS && step_file_is(beyond));
}

static int check_mounts(const struct plan *plan, const struct op *own, const struct paths *p,
			struct err *e)
{
	for (size_t i = 0; i < plan->n; i++) {
		const struct op *op = &plan->ops[i];
		const char *beyond = op->real && (op->kind == OP_BIND || op->kind == OP_COPY)
					     ? path_beyond(own->real, op->real)
					     : NULL;

		if (beyond && !may_be_mounted(op, beyond, own, p))
			return refuse(op, own, e);
	}
	return 0;
}

static bool has_steps(const struct op *own)
{
	const char *told = step_dirs_told();

	return step_dirs_is_roots(own->src) || (told && str_eq(own->src, told));
}

/* One directory by two paths: the first has what may be seen of it. */
static bool is_hidden_before(const struct plan *plan, const struct op *op)
{
	for (const struct op *o = plan->ops; o < op; o++) {
		if (o->kind == OP_HIDE && !o->skip && str_eq(o->real, op->real))
			return true;
	}
	return false;
}

/* A program that may mount puts another root in the place of its own, and moves directories that were mount points. */
static int refuse_unpinned(struct shown *s, const struct op *op, struct err *e)
{
	int r = shown_writable(s, op->real, e);

	if (r <= 0)
		return r;
	return err_set(e, EPERM,
		       "csbx's own directory %s must be hidden from a mount that can be written "
		       "to, and CAP_SYS_ADMIN without Landlock takes that away (leave Landlock "
		       "on, mount read-only, or mount another directory)",
		       op->src);
}

static int settle(struct plan *plan, struct shown *s, const struct paths *p, bool can_unmount,
		  struct err *e)
{
	for (size_t i = 0; i < plan->n; i++) {
		struct op *op = &plan->ops[i];
		int r;

		if (op->kind != OP_HIDE)
			continue;
		if (has_steps(op))
			op->flags |= OP_STEPS;
		if (own_dirs_is_site(op->src, p))
			op->flags |= OP_SITE;
		r = find(s, op, e);
		if (r == 0 && !is_hidden_before(plan, op))
			r = check_mounts(plan, op, p, e);
		if (r == 0 && can_unmount)
			r = refuse_unpinned(s, op, e);
		if (r < 0)
			return r;
		op->skip = r > 0 || is_hidden_before(plan, op);
		if (!op->skip && str_eq(op->src, p->data))
			op->flags |= OP_VOLUMES;
		if (!op->skip && str_eq(op->src, p->cache))
			op->flags |= OP_CLONES;
	}
	return 0;
}

int own_dirs_settle(struct plan *plan, const struct paths *p, struct own_dirs_facts facts,
		    struct err *e)
{
	struct shown s = {.plan = plan, .paths = p, .has_hooks = facts.has_hooks};
	int r = settle(plan, &s, p, facts.can_unmount, e);

	shown_free(&s);
	return r;
}
