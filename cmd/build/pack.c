/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/select.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/build/cache.h"
#include "image/model/digest.h"
#include "image/pack/tar_out.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"

#define CHUNK (256u << 10)

/* The file itself, if it still is one. */
static int open_file(const struct selected *x, int root, struct err *e)
{
	_close_ int fd = path_open_in_root(root, x->from, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0, e);
	struct stat st;

	if (fd < 0)
		return err_wrap(e, "/%.300s", x->from);
	if (fstat(fd, &st) < 0)
		return err_sys(e, "/%.300s", x->from);
	if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size != x->size)
		return err_set(e, EBUSY, "/%.300s: changed while it was read", x->from);
	return take_fd(&fd);
}

typedef int sink(void *arg, const void *data, size_t len, struct err *e);

static int read_file(const struct selected *x, int root, sink *put, void *arg, struct err *e)
{
	_close_ int fd = open_file(x, root, e);
	_free_ char *buf = malloc(CHUNK);
	uint64_t left = x->size;
	int r = 0;

	if (fd < 0)
		return fd;
	if (!buf)
		return err_oom(e);
	while (r >= 0 && left) {
		ssize_t n = read(fd, buf, left < CHUNK ? left : CHUNK);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, "/%.300s", x->from);
		if (!n)
			return err_set(e, EBUSY, "/%.300s: changed while it was read", x->from);
		r = put(arg, buf, (size_t)n, e);
		left -= (uint64_t)n;
	}
	return r;
}

static int to_digest(void *arg, const void *data, size_t len, struct err *e)
{
	(void)e;
	digest_update(arg, data, len);
	return 0;
}

static int to_tar(void *arg, const void *data, size_t len, struct err *e)
{
	return tar_out_data(arg, data, len, e);
}

int selection_hash(const struct selection *s, int root, struct digest *ret, struct err *e)
{
	_digest_ctx_ struct digest_ctx c = DIGEST_CTX_INIT;
	int r = digest_init(&c, "", e);

	digest_update(&c, s->is_one_file ? "f" : "d", 1);
	for (size_t i = 0; r >= 0 && i < s->n; i++) {
		const struct selected *x = &s->items[i];
		_strbuf_ struct strbuf head = STRBUF_INIT;

		key_add(&head, x->to);
		key_add(&head, x->link ? x->link : "");
		strbuf_addf(&head, "%o %llu %d;", (unsigned)x->mode, (unsigned long long)x->size,
			    x->is_named);
		if (strbuf_check(&head, e) < 0)
			return -ENOMEM;
		digest_update(&c, head.data, head.len);
		if (S_ISREG(x->mode))
			r = read_file(x, root, to_digest, &c, e);
	}
	return r < 0 ? r : digest_final(&c, ret, e);
}

static int pack_one(const struct selected *x, int root, const struct select_rules *rules,
		    struct tar_out *t, struct err *e)
{
	const bool is_link = S_ISLNK(x->mode);
	const mode_t keep = S_IFMT | (rules->keep_set_ids ? 07777 : 01777);
	const struct tar_header h = {
		.path = x->to,
		.symlink = x->link,
		.mode = rules->mode >= 0 && !is_link ? (x->mode & S_IFMT) | (mode_t)rules->mode
						     : x->mode & keep,
		.uid = rules->uid >= 0     ? rules->uid
		       : rules->keep_owner ? x->uid
					   : 0,
		.gid = rules->gid >= 0     ? rules->gid
		       : rules->keep_owner ? x->gid
					   : 0,
		.mtime_s = x->mtime_s,
		.size_bytes = (int64_t)x->size,
	};
	int r = tar_out_member(t, &h, e);

	return r < 0 || !S_ISREG(x->mode) ? r : read_file(x, root, to_tar, t, e);
}

int selection_pack(const struct selection *s, int root, const struct select_rules *rules,
		   struct tar_out *out, struct err *e)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < s->n; i++)
		r = pack_one(&s->items[i], root, rules, out, e);
	return r;
}
