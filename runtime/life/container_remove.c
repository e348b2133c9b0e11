/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Removing and renaming containers. A container that stays goes by its id, so a new name is one
 * rename(2), and its removal begins with its run's lock, which keeps starts away. A recipe's layer
 * goes by the name: both are moved, and nothing of it may run meanwhile.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/record/container_index.h"
#include "runtime/record/container_store.h"
#include "runtime/record/instance.h"
#include "runtime/layer/layer.h"
#include "runtime/spec/name.h"
#include "runtime/settings/paths.h"
#include "runtime/record/run_dir.h"
#include "runtime/kernel/temp_dir.h"
#include "runtime/userns/tree_remove.h"

const char *container_layer_name(const char *name, const struct container_record *r)
{
	return r->spec ? r->container_id : name;
}

int container_store_condemn(const struct paths *p, const char *name, const char *layer_name,
			    struct container_debris *ret, struct err *e)
{
	int r;

	*ret = (struct container_debris){.layer = LAYER_INIT, .dirfd = -1, .temp = -1};
	ret->layer_temp = -1;
	ret->dirfd = container_store_open_dir(p, e);
	r = ret->dirfd < 0 ? ret->dirfd : layer_hold(p, layer_name, &ret->layer, e);
	/* The layer first: one that outlived its container would be taken for the next one's. */
	if (r >= 0)
		r = layer_condemn(&ret->layer, ret->layer_tmp, &ret->layer_temp, e);
	if (r >= 0)
		r = ret->temp = temp_begin(ret->dirfd, e);
	if (r >= 0)
		r = temp_move_away(ret->dirfd, name, ret->tmp, e);
	if (r >= 0)
		return 0;
	*ret->tmp = 0;
	(void)container_debris_delete(ret, NULL);
	return r == -ENOENT ? container_missing(e) : r;
}

int container_debris_delete(struct container_debris *d, struct err *e)
{
	int r = *d->layer_tmp ? tree_remove(d->layer.parent, d->layer_tmp, e) : 0;

	if (*d->tmp && tree_remove(d->dirfd, d->tmp, e) < 0)
		r = -EIO;
	fd_close(&d->layer_temp);
	fd_close(&d->temp);
	fd_close(&d->dirfd);
	layer_close(&d->layer);
	return r;
}

/* later, NULL allowed: gets what is left to be deleted, where no program has written to the layer. */
static int remove_with_layer(const struct paths *p, const char *name, const char *layer_name,
			     struct container_debris *later, struct err *e)
{
	struct container_debris d;
	int r = container_store_condemn(p, name, layer_name, &d, e);

	if (r < 0)
		return r;
	if (!later || !layer_drop_unwritten(&d.layer))
		return container_debris_delete(&d, e);
	*later = d;
	return 0;
}

static int busy(const struct paths *p, const struct container_record *rec, struct err *e)
{
	struct instance_record i;

	if (instance_read(p, rec->container_id, &i, NULL) < 0)
		return err_set(e, EBUSY, "it is being started or removed");
	err_set(e, EBUSY, "in use by pid %d", i.supervisor);
	instance_record_free(&i);
	return -EBUSY;
}

static int remove_kept(const struct paths *p, int dirfd, const char *name,
		       const struct container_record *rec, struct container_debris *later,
		       struct err *e)
{
	_close_ int dir = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct run_dir run;
	int r;

	if (dir < 0)
		return container_missing(e);
	r = run_dir_take(dir, rec->container_id, &run, e);
	if (r == -EBUSY)
		return busy(p, rec, e);
	if (r < 0)
		return r;
	r = container_store_check_id(dirfd, name, rec->container_id, e);
	if (r >= 0)
		r = remove_with_layer(p, name, rec->container_id, later, e);
	run_dir_close(&run);
	return r;
}

static int remove_any(const struct paths *p, const char *name, bool running_too,
		      struct container_debris *later, struct err *e)
{
	struct container_record rec = {0};
	_close_ int dirfd = -1;
	int r = name_check(name, e);

	if (r < 0)
		return r;
	dirfd = container_store_open_dir(p, e);
	if (dirfd < 0)
		return dirfd;
	if (faccessat(dirfd, name, F_OK, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT)
		return container_missing(e);
	if (container_store_read(dirfd, name, &rec, NULL) >= 0 && rec.spec) {
		r = remove_kept(p, dirfd, name, &rec, later, e);
	} else {
		r = running_too ? 0 : instance_refuse_running(p, name, e);
		if (r >= 0)
			r = remove_with_layer(p, name, name, NULL, e);
	}
	if (r >= 0 && rec.container_id)
		container_index_remove(dirfd, rec.container_id);
	container_record_free(&rec);
	return r;
}

int container_store_remove(const struct paths *p, const char *name, struct err *e)
{
	return remove_any(p, name, false, NULL, e);
}

int container_store_remove_soon(const struct paths *p, const char *name,
				struct container_debris *later, struct err *e)
{
	return remove_any(p, name, false, later, e);
}

int container_store_remove_running(const struct paths *p, const char *name, struct err *e)
{
	return remove_any(p, name, true, NULL, e);
}

/* --- rename ------------------------------------------------------------------------------- */

/* rename(2) refuses a directory that is not empty, so a taken name stays as it is. */
static int move(int dirfd, const char *name, const char *new_name, struct err *e)
{
	if (!renameat(dirfd, name, dirfd, new_name))
		return 0;
	if (errno == EEXIST || errno == ENOTEMPTY)
		return err_set(e, EEXIST, "a container of that name exists");
	return errno == ENOENT ? container_missing(e) : err_sys(e, "rename");
}

/* A command that looks for what runs finds it under its new name. */
static void rename_instance(const struct paths *p, const struct container_record *rec,
			    const char *new_name)
{
	_close_ int dirfd = paths_open(p->runtime, "instances", NULL);
	struct instance_record i;
	struct instance file = INSTANCE_INIT;

	if (dirfd < 0 || instance_read(p, rec->container_id, &i, NULL) < 0)
		return;
	i.name = new_name;
	snprintf(file.id, sizeof(file.id), "%s", i.id);
	file.lock_fd = openat(dirfd, file.id, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	if (file.lock_fd >= 0)
		(void)instance_publish(&file, &i, NULL);
	fd_close(&file.lock_fd);
	instance_record_free(&i);
}

static int rename_recipe(const struct paths *p, int dirfd, const char *name, const char *new_name,
			 struct err *e)
{
	struct layer layer = LAYER_INIT;
	int r = instance_refuse_running(p, name, e);

	if (r >= 0)
		r = layer_hold(p, name, &layer, e);
	if (r < 0)
		return r;
	if (layer.dir >= 0 && renameat(layer.parent, name, layer.parent, new_name) < 0)
		r = err_sys(e, "rename the layer");
	if (r >= 0) {
		r = move(dirfd, name, new_name, e);
		if (r < 0 && layer.dir >= 0)
			(void)renameat(layer.parent, new_name, layer.parent, name);
	}
	layer_close(&layer);
	return r;
}

int container_store_rename(const struct paths *p, const char *name, const char *new_name,
			   struct err *e)
{
	struct container_record rec = {0};
	_close_ int dirfd = -1;
	int r = name_check(name, e);

	if (r >= 0)
		r = name_check(new_name, e);
	if (r >= 0)
		r = dirfd = container_store_open_dir(p, e);
	if (r >= 0)
		r = container_store_read(dirfd, name, &rec, e);
	if (r < 0)
		return r;
	if (!faccessat(dirfd, new_name, F_OK, AT_SYMLINK_NOFOLLOW)) {
		r = err_set(e, EEXIST, "a container of that name exists");
	} else if (!rec.spec) {
		r = rename_recipe(p, dirfd, name, new_name, e);
	} else {
		r = move(dirfd, name, new_name, e);
		if (r >= 0)
			rename_instance(p, &rec, new_name);
	}
	if (r >= 0 && rec.container_id)
		container_index_move(dirfd, rec.container_id, new_name);
	container_record_free(&rec);
	return r;
}
