/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The image never changes, so the kernel may keep all it learns for ever. It does not ask again for
 * calls that were answered with ENOSYS: open and opendir (the kernel then keeps page and directory
 * caches over opens by itself) and, unless the image has user.* attributes, getxattr and listxattr,
 * which an overlay on top would ask for every object. ENOSYS must be said explicitly: a NULL
 * operation in libfuse answers open with success and drops the page cache each time.
 *
 * Node ids are inode references plus 2, since FUSE reserves 0 (none) and 1 (the root). There is no
 * table of nodes, so forgets cost nothing.
 */
#define FUSE_USE_VERSION 35
#include <fuse_lowlevel.h>

#include "runtime/helpers/squashd/fuse_serve.h"

#include <float.h>
#include <linux/fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "runtime/base/err.h"
#include "runtime/helpers/squashd/image/originals.h"
#include "runtime/helpers/squashd/image/sqimage.h"

#define FOREVER DBL_MAX
#define READAHEAD_BYTES (1u << 20)
#define READDIR_MAX (1u << 17)
#define OFFSET_FIRST 2 /* 0 and 1 are "." and ".." */

struct fuse_server {
	struct fuse_session *se;
	struct sqimage *img;
	bool has_originals; /* looked for */
	struct originals originals;
	struct fuse_policy policy;
	struct fuse_buf own_request, *request; /* the latter may be another server's */
	uint64_t n_requests;
	char *own_scratch, *scratch; /* READAHEAD_BYTES; likewise */
};

static struct fuse_server *server_of(fuse_req_t req)
{
	return fuse_req_userdata(req);
}

static uint64_t to_sqfs(const struct fuse_server *s, fuse_ino_t ino)
{
	return ino == FUSE_ROOT_ID ? sqimage_root(s->img) : ino - 2;
}

static fuse_ino_t to_fuse(const struct fuse_server *s, uint64_t id)
{
	return id == sqimage_root(s->img) ? FUSE_ROOT_ID : id + 2;
}

static void fill_stat(const struct fuse_server *s, const struct sqnode *n, struct stat *st)
{
	memset(st, 0, sizeof(*st));
	st->st_ino = n->ino;
	st->st_mode = n->mode;
	st->st_nlink = n->nlink;
	st->st_uid = s->policy.one_id ? s->policy.uid : n->uid;
	st->st_gid = s->policy.one_id ? s->policy.gid : n->gid;
	st->st_rdev = n->rdev;
	st->st_size = (off_t)n->size;
	st->st_blksize = 4096;
	st->st_blocks = (blkcnt_t)(n->size / 512 + (n->size % 512 != 0));
	st->st_atim.tv_sec = st->st_mtim.tv_sec = st->st_ctim.tv_sec = n->mtime;
}

static void fill_entry(const struct fuse_server *s, const struct sqnode *n,
		       struct fuse_entry_param *entry)
{
	memset(entry, 0, sizeof(*entry));
	entry->ino = to_fuse(s, n->id);
	entry->attr_timeout = entry->entry_timeout = FOREVER;
	fill_stat(s, n, &entry->attr);
}

static void op_init(void *userdata, struct fuse_conn_info *conn)
{
	(void)userdata;
	conn->want &= FUSE_CAP_ASYNC_READ | FUSE_CAP_PARALLEL_DIROPS | FUSE_CAP_READDIRPLUS;
	conn->want |= conn->capable & (FUSE_CAP_CACHE_SYMLINKS | FUSE_CAP_READDIRPLUS |
				       FUSE_CAP_NO_OPENDIR_SUPPORT | FUSE_CAP_NO_OPEN_SUPPORT);
	conn->max_readahead = READAHEAD_BYTES;
}

/* Looking for them reads directories: not while the first client waits for its answer. */
static const struct originals *originals_of(struct fuse_server *s)
{
	if (!s->has_originals)
		originals_find(s->img, &s->originals);
	s->has_originals = true;
	return &s->originals;
}

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct fuse_entry_param entry = {.entry_timeout = FOREVER};
	struct fuse_server *s = server_of(req);
	struct sqnode dir, node;
	uint64_t id;
	int r = sqimage_node(s->img, to_sqfs(s, parent), &dir);

	if (r >= 0)
		r = originals_lookup(originals_of(s), s->img, &dir, name, &id);
	if (r > 0) {
		r = originals_node(originals_of(s), s->img, id, &node);
		if (r >= 0)
			fill_entry(s, &node, &entry);
	}
	if (r < 0)
		fuse_reply_err(req, -r);
	else /* ino 0: there is no such name, and there never will be */
		fuse_reply_entry(req, &entry);
}

static void op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct fuse_server *s = server_of(req);
	struct sqnode node;
	struct stat st;
	int r = originals_node(originals_of(s), s->img, to_sqfs(s, ino), &node);

	(void)fi;
	if (r < 0) {
		fuse_reply_err(req, -r);
		return;
	}
	fill_stat(s, &node, &st);
	fuse_reply_attr(req, &st, FOREVER);
}

static void op_readlink(fuse_req_t req, fuse_ino_t ino)
{
	struct fuse_server *s = server_of(req);
	char target[SQLINK_MAX + 1];
	struct sqnode node;
	ssize_t r = sqimage_node(s->img, to_sqfs(s, ino), &node);

	if (r >= 0)
		r = sqimage_readlink(s->img, &node, target);
	if (r < 0)
		fuse_reply_err(req, (int)-r);
	else
		fuse_reply_readlink(req, target);
}

static void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)ino;
	(void)fi;
	fuse_reply_err(req, ENOSYS);
}

static void op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		    struct fuse_file_info *fi)
{
	struct fuse_server *s = server_of(req);
	struct sqnode node;
	ssize_t r = sqimage_node(s->img, to_sqfs(s, ino), &node);

	(void)fi;
	if (size > READAHEAD_BYTES)
		size = READAHEAD_BYTES;
	if (r >= 0)
		r = off < 0 ? -EINVAL
			    : sqimage_read(s->img, &node, (uint64_t)off, s->scratch, size);
	if (r < 0)
		fuse_reply_err(req, (int)-r);
	else
		fuse_reply_buf(req, s->scratch, (size_t)r);
}

struct dir_reply {
	fuse_req_t req;
	size_t len, size;
	bool plus;
};

/* False when the entry does not fit any more. */
static bool add_entry(struct fuse_server *s, struct dir_reply *d, const char *name,
		      const struct fuse_entry_param *entry, uint64_t next)
{
	char *at = s->scratch + d->len;
	size_t room = d->size - d->len, need;

	if (d->plus)
		need = fuse_add_direntry_plus(d->req, at, room, name, entry, (off_t)next);
	else
		need = fuse_add_direntry(d->req, at, room, name, &entry->attr, (off_t)next);
	if (need > room)
		return false;
	d->len += need;
	return true;
}

/* "." and "..": in readdirplus the kernel wants no attributes of them (ino 0). */
static bool add_dots(struct fuse_server *s, struct dir_reply *d, const struct sqnode *dir,
		     uint64_t *offset)
{
	struct fuse_entry_param entry = {.attr = {.st_ino = dir->ino, .st_mode = S_IFDIR}};

	for (; *offset < OFFSET_FIRST; ++*offset) {
		if (!add_entry(s, d, *offset ? ".." : ".", &entry, *offset + 1))
			return false;
	}
	return true;
}

static int add_entries(struct fuse_server *s, struct dir_reply *d, const struct sqnode *dir,
		       uint64_t offset)
{
	struct fuse_entry_param entry = {0};
	struct sqentry ent;
	struct sqnode node;
	struct sqdir it;
	int r;

	if (!add_dots(s, d, dir, &offset))
		return 0;
	r = sqdir_open(s->img, dir, offset - OFFSET_FIRST, &it);
	while (r >= 0 && (r = sqdir_next(&it, &ent)) > 0) {
		if (!originals_apply(originals_of(s), dir->id, &ent))
			continue;
		if (d->plus) {
			r = originals_node(originals_of(s), s->img, ent.id, &node);
			if (r < 0)
				break;
			fill_entry(s, &node, &entry);
		} else {
			entry.attr.st_ino = ent.ino;
			entry.attr.st_mode = ent.type;
		}
		if (!add_entry(s, d, ent.name, &entry, ent.next + OFFSET_FIRST))
			return 0;
	}
	/* The entries before a damaged one are given; the next call then fails with nothing. */
	return r < 0 && !d->len ? r : 0;
}

static void read_directory(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, bool plus)
{
	struct fuse_server *s = server_of(req);
	struct dir_reply d = {
		.req = req, .size = size < READDIR_MAX ? size : READDIR_MAX, .plus = plus};
	struct sqnode dir;
	int r = sqimage_node(s->img, to_sqfs(s, ino), &dir);

	if (r >= 0)
		r = off < 0 ? -EINVAL : add_entries(s, &d, &dir, (uint64_t)off);
	if (r < 0)
		fuse_reply_err(req, -r);
	else
		fuse_reply_buf(req, s->scratch, d.len);
}

static void op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		       struct fuse_file_info *fi)
{
	(void)fi;
	read_directory(req, ino, size, off, false);
}

static void op_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
			   struct fuse_file_info *fi)
{
	(void)fi;
	read_directory(req, ino, size, off, true);
}

static void op_statfs(fuse_req_t req, fuse_ino_t ino)
{
	struct fuse_server *s = server_of(req);
	struct sqstat st;
	struct statvfs v = {0};

	(void)ino;
	sqimage_stat(s->img, &st);
	v.f_bsize = v.f_frsize = st.block_bytes;
	v.f_blocks = (st.bytes + st.block_bytes - 1) / st.block_bytes;
	v.f_files = st.inodes;
	v.f_namemax = SQNAME_MAX;
	fuse_reply_statfs(req, &v);
}

static void reply_sized(fuse_req_t req, const char *data, size_t len, size_t asked)
{
	if (!asked)
		fuse_reply_xattr(req, len);
	else if (len > asked)
		fuse_reply_err(req, ERANGE);
	else
		fuse_reply_buf(req, data, len);
}

static void op_getxattr(fuse_req_t req, fuse_ino_t ino, const char *name, size_t size)
{
	struct fuse_server *s = server_of(req);
	char found[SQXATTR_NAME_MAX + 1];
	struct sqnode node;
	struct sqxattr x;
	ssize_t r;

	if (!s->policy.has_user_xattrs) {
		fuse_reply_err(req, ENOSYS);
		return;
	}
	r = sqimage_node(s->img, to_sqfs(s, ino), &node);
	if (r >= 0)
		r = sqxattr_open(s->img, &node, &x);
	while (r >= 0 && (r = sqxattr_next(&x, found)) > 0 && strcmp(found, name) != 0)
		;
	if (r > 0)
		r = sqxattr_value(&x, s->scratch);
	else if (!r)
		r = -ENODATA;
	if (r < 0)
		fuse_reply_err(req, (int)-r);
	else
		reply_sized(req, s->scratch, (size_t)r, size);
}

static void op_listxattr(fuse_req_t req, fuse_ino_t ino, size_t size)
{
	struct fuse_server *s = server_of(req);
	char name[SQXATTR_NAME_MAX + 1];
	struct sqnode node;
	struct sqxattr x;
	size_t len = 0;
	int r;

	if (!s->policy.has_user_xattrs) {
		fuse_reply_err(req, ENOSYS);
		return;
	}
	r = sqimage_node(s->img, to_sqfs(s, ino), &node);
	if (r >= 0)
		r = sqxattr_open(s->img, &node, &x);
	while (r >= 0 && (r = sqxattr_next(&x, name)) > 0) {
		size_t n = strlen(name) + 1;

		if (n > SQXATTR_VALUE_MAX - len) {
			r = -E2BIG;
			break;
		}
		memcpy(s->scratch + len, name, n);
		len += n;
	}
	if (r < 0)
		fuse_reply_err(req, -r);
	else
		reply_sized(req, s->scratch, len, size);
}

static const struct fuse_lowlevel_ops operations = {
	.init = op_init,
	.lookup = op_lookup,
	.getattr = op_getattr,
	.readlink = op_readlink,
	.open = op_open,
	.opendir = op_open,
	.read = op_read,
	.readdir = op_readdir,
	.readdirplus = op_readdirplus,
	.statfs = op_statfs,
	.getxattr = op_getxattr,
	.listxattr = op_listxattr,
};

int fuse_server_new(int fuse_fd, const struct fuse_policy *policy, struct fuse_server *lends,
		    struct fuse_server **ret, struct err *e)
{
	char name[] = "csbx-squashd", *argv[] = {name, NULL}, where[24];
	struct fuse_args args = FUSE_ARGS_INIT(1, argv);
	struct fuse_server *s = calloc(1, sizeof(*s));

	if (!s)
		return err_oom(e);
	s->policy = *policy;
	s->own_scratch = lends ? NULL : malloc(READAHEAD_BYTES);
	s->scratch = lends ? lends->scratch : s->own_scratch;
	s->request = lends ? lends->request : &s->own_request;
	s->se = fuse_session_new(&args, &operations, sizeof(operations), s);
	snprintf(where, sizeof(where), "/dev/fd/%d", fuse_fd);
	if (!s->scratch || !s->se || fuse_session_mount(s->se, where) != 0) {
		fuse_server_free(s);
		return err_set(e, EIO, "FUSE session");
	}
	*ret = s;
	return 0;
}

void fuse_server_set_image(struct fuse_server *s, struct sqimage *img)
{
	s->img = img;
}

void fuse_server_get_ready(struct fuse_server *s)
{
	(void)originals_of(s);
}

void fuse_server_free(struct fuse_server *s)
{
	if (!s)
		return;
	if (s->se)
		fuse_session_destroy(s->se);
	free(s->own_request.mem);
	free(s->own_scratch);
	free(s);
}

/* FUSE's own header comes first in every request. */
static bool is_forget(const struct fuse_buf *b)
{
	const struct fuse_in_header *h = b->mem;

	return b->size >= sizeof(*h) &&
	       (h->opcode == FUSE_FORGET || h->opcode == FUSE_BATCH_FORGET);
}

int fuse_server_step(struct fuse_server *s)
{
	int r = fuse_session_receive_buf(s->se, s->request);

	if (r == -EAGAIN || r == -EINTR)
		return 0;
	if (r <= 0)
		return -ENODEV;
	if (!is_forget(s->request))
		s->n_requests++;
	fuse_session_process_buf(s->se, s->request);
	return fuse_session_exited(s->se) ? -ENODEV : 0;
}

uint64_t fuse_server_requests(const struct fuse_server *s)
{
	return s->n_requests;
}
