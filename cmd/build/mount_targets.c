/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A container makes the targets of its mounts where they are missing. Those of RUN --mount are no
 * part of the image: a child looks before the step which there are, another one removes the rest
 * behind it, each from inside, where the links of the image lead.
 */

#include "cmd/build/run_mounts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/build/build.h"
#include "cmd/build/build_child.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/kernel/process_id.h"

struct targets_work {
	const struct run_mounts *m;
	struct build_view view;
	unsigned *found; /* by item; shared with the child */
};

/* The first n components of a path; caller frees. */
static char *beginning(const char *path, unsigned n)
{
	const char *p = path;

	while (*p && n--)
		p += 1 + strcspn(p + 1, "/");
	return strndup(path, (size_t)(p - path));
}

static unsigned components(const char *path)
{
	unsigned n = 0;

	for (; *path; path++)
		n += *path == '/' && path[1];
	return n;
}

static bool is_there(int root, const char *path, unsigned n)
{
	_free_ char *part = beginning(path, n);
	int fd = part ? path_open_in_root(root, *part ? part : "/", O_PATH, 0, NULL) : -1;

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int look_child(void *arg, int parent, struct err *e)
{
	struct targets_work *w = arg;
	int root = build_view_enter(&w->view, e);

	if (root < 0 || process_end_with(parent, e) < 0)
		return root < 0 ? root : -ESRCH;
	for (unsigned i = 0; i < w->m->n; i++) {
		const char *target = w->m->items[i].target;
		unsigned all = target ? components(target) : 0;

		while (w->found[i] < all && is_there(root, target, w->found[i] + 1))
			w->found[i]++;
	}
	return 0;
}

/* False: it holds something, which stays. */
static bool remove_empty(int root, const char *path, unsigned n)
{
	_free_ char *parent = beginning(path, n - 1), *whole = beginning(path, n);
	const char *name = whole ? strrchr(whole, '/') + 1 : NULL;
	_close_ int dir = -1;
	struct stat st;

	if (!parent || !name)
		return false;
	dir = path_open_in_root(root, *parent ? parent : "/", O_PATH | O_DIRECTORY, 0, NULL);
	if (dir < 0 || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return false;
	if (S_ISDIR(st.st_mode))
		return unlinkat(dir, name, AT_REMOVEDIR) == 0;
	return S_ISREG(st.st_mode) && !st.st_size && unlinkat(dir, name, 0) == 0;
}

static int clean_child(void *arg, int parent, struct err *e)
{
	struct targets_work *w = arg;
	int root = build_view_enter(&w->view, e);

	if (root < 0 || process_end_with(parent, e) < 0)
		return root < 0 ? root : -ESRCH;
	for (unsigned i = w->m->n; i-- > 0;) {
		const struct run_mount_item *x = &w->m->items[i];
		unsigned n = x->target ? components(x->target) : 0;

		while (n > x->n_found && remove_empty(root, x->target, n))
			n--;
	}
	return 0;
}

static int run(struct build *b, struct targets_work *w, const struct build_stage *s,
	       const struct build_step *step, build_child_fn *child_fn, struct err *e)
{
	struct build_child child = BUILD_CHILD_INIT;
	int r = build_view_open(b->cmd, &b->cache, &s->root, step, &w->view, e);

	if (r >= 0)
		r = build_child_start(&child, child_fn, w, e);
	if (r >= 0)
		r = build_child_wait(&child, e);
	build_view_close(&w->view);
	return r < 0 ? err_wrap(e, "targets of --mount") : 0;
}

int mount_targets_find(struct build *b, const struct build_stage *s, struct run_mounts *m,
		       struct err *e)
{
	const size_t size = (RUN_MOUNTS_MAX + 1) * sizeof(unsigned);
	struct targets_work w = {.m = m};
	int r;

	if (!m->n)
		return 0;
	w.found = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (w.found == MAP_FAILED)
		return err_sys(e, "memory for the mounts");
	r = run(b, &w, s, NULL, look_child, e);
	for (unsigned i = 0; i < m->n; i++)
		m->items[i].n_found = w.found[i];
	munmap(w.found, size);
	return r;
}

int mount_targets_clean(struct build *b, const struct build_stage *s, const struct build_step *step,
			const struct run_mounts *m, struct err *e)
{
	struct targets_work w = {.m = m};
	bool any = false;

	for (unsigned i = 0; i < m->n; i++)
		any |= m->items[i].target && m->items[i].n_found < components(m->items[i].target);
	return any ? run(b, &w, s, step, clean_child, e) : 0;
}
