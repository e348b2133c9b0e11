/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/helpers/squashd/above.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/helpers/squashd/fuse_serve.h"
#include "runtime/helpers/squashd/image/sqimage.h"

struct above {
	struct above *next;
	struct image_id id;
	uint32_t place;
	int fuse_fd, fuse_last_fd, mount_fd, file_fd;
	struct fuse_server *fuse;
	struct sqimage *image;
	bool is_going; /* not to be found any more */
};

static void free_above(struct above *x)
{
	fuse_server_free(x->fuse);
	sqimage_close(x->image);
	fd_close(&x->fuse_fd);
	fd_close(&x->fuse_last_fd);
	fd_close(&x->mount_fd);
	fd_close(&x->file_fd);
	free(x);
}

static struct above **find(struct aboves *a, const struct image_id *id)
{
	for (struct above **at = &a->first; *at; at = &(*at)->next) {
		if (!(*at)->is_going && !memcmp(&(*at)->id, id, sizeof(*id)))
			return at;
	}
	return NULL;
}

/* Its clones stay; the one in our own mount namespace is for the client to unmount. */
static void let_go(struct aboves *a, struct above *x, uint32_t *ret_gone)
{
	*ret_gone = x->place;
	x->is_going = true;
	fd_close(&x->mount_fd);
	a->n--;
}

static struct above *oldest(const struct aboves *a)
{
	struct above *found = NULL;

	for (struct above *x = a->first; x; x = x->next) {
		if (!x->is_going)
			found = x;
	}
	return found;
}

static int open_above(struct above *x, const struct fuse_policy *policy, struct fuse_server *lowest,
		      struct err *e)
{
	struct fuse_policy own = *policy;
	int r = sqimage_open(x->file_fd, &x->image, e);

	if (r < 0)
		return r;
	sqimage_lies_above(x->image);
	own.has_user_xattrs = sqimage_has_user_xattrs(x->image);
	r = fuse_server_new(x->fuse_fd, &own, lowest, &x->fuse, e);
	if (r >= 0)
		fuse_server_set_image(x->fuse, x->image);
	return r;
}

int aboves_add(struct aboves *a, const struct image_id *id, uint32_t place,
	       int fds[SQUASHD_ADD_MAX], const struct fuse_policy *policy,
	       struct fuse_server *lowest, int *ret_fuse_fd, uint32_t *ret_gone, struct err *e)
{
	struct above *x;
	int r;

	for (int i = 0; i < SQUASHD_ADD_LAST; i++) {
		if (fds[i] < 0)
			return err_set(e, EPROTO, "a descriptor is missing");
	}
	if (find(a, id)) {
		*ret_gone = place;
		return 0;
	}
	x = calloc(1, sizeof(*x));
	if (!x)
		return err_oom(e);
	*x = (struct above){.id = *id,
			    .place = place,
			    .fuse_fd = take_fd(&fds[SQUASHD_ADD_FUSE]),
			    .fuse_last_fd = take_fd(&fds[SQUASHD_ADD_LAST]),
			    .mount_fd = take_fd(&fds[SQUASHD_ADD_MOUNT]),
			    .file_fd = take_fd(&fds[SQUASHD_ADD_FILE])};
	r = open_above(x, policy, lowest, e);
	if (r < 0) {
		free_above(x);
		return r;
	}
	if (a->n >= ABOVE_MAX)
		let_go(a, oldest(a), ret_gone);
	x->next = a->first;
	a->first = x;
	a->n++;
	*ret_fuse_fd = x->fuse_fd;
	return 0;
}

int aboves_mount(struct aboves *a, const struct image_id *id)
{
	struct above **at = find(a, id), *x;

	if (!at)
		return -1;
	x = *at;
	*at = x->next;
	x->next = a->first;
	a->first = x;
	return x->mount_fd;
}

bool aboves_step(struct aboves *a, int fuse_fd, bool *ret_dead)
{
	for (struct above **at = &a->first; *at; at = &(*at)->next) {
		struct above *x = *at;

		if (x->fuse_fd != fuse_fd)
			continue;
		if (fuse_server_step(x->fuse) >= 0)
			return true;
		/* The last of its mounts is gone. */
		*ret_dead = !x->is_going;
		if (x->is_going) {
			*at = x->next;
			free_above(x);
		}
		return true;
	}
	return false;
}

uint64_t aboves_requests(const struct aboves *a)
{
	uint64_t n = 0;

	for (const struct above *x = a->first; x; x = x->next)
		n += fuse_server_requests(x->fuse);
	return n;
}

void aboves_free(struct aboves *a)
{
	while (a->first) {
		struct above *x = a->first;

		a->first = x->next;
		free_above(x);
	}
}
