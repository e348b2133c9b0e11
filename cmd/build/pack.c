/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/select.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/build/cache.h"
#include "image/bytes/spool.h"
#include "image/model/digest.h"
#include "image/pack/tar_out.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"

#define CHUNK (256u << 10)

static int changed(const struct selected *x, struct err *e)
{
	return err_set(e, EBUSY, "/%.300s: changed while it was read", x->from);
}

int selected_open(const struct selected *x, int root, struct err *e)
{
	const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY;
	_close_ int fd = x->is_real ? path_open_no_links(root, x->from, flags, e)
				    : path_open_in_root(root, x->from, flags, 0, e);
	struct stat st;

	if (fd < 0)
		return err_wrap(e, "/%.300s", x->from);
	if (fstat(fd, &st) < 0)
		return err_sys(e, "/%.300s", x->from);
	if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size != x->size)
		return changed(x, e);
	return take_fd(&fd);
}

typedef int sink(void *arg, const void *data, size_t len, struct err *e);

static int read_file(const struct selected *x, int root, sink *put, void *arg, struct err *e)
{
	_close_ int fd = selected_open(x, root, e);
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
			return changed(x, e);
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

static int keep_sum(struct digest_ctx *c, char ret[SELECT_SUM_BYTES], struct err *e)
{
	struct digest d;
	int r = digest_final(c, &d, e);

	if (r >= 0)
		snprintf(ret, SELECT_SUM_BYTES, "%.40s", d.hex);
	return r;
}

static int hash_file(struct selected *x, int root, struct err *e)
{
	_digest_ctx_ struct digest_ctx c = DIGEST_CTX_INIT;
	int r = digest_init(&c, "", e);

	if (r >= 0)
		r = read_file(x, root, to_digest, &c, e);
	return r < 0 ? r : keep_sum(&c, x->sum, e);
}

int selection_hash(struct selection *s, int root, struct digest *ret, struct err *e)
{
	_digest_ctx_ struct digest_ctx c = DIGEST_CTX_INIT;
	int r = digest_init(&c, "", e);

	digest_update(&c, s->is_one_file ? "f" : "d", 1);
	for (size_t i = 0; r >= 0 && i < s->n; i++) {
		struct selected *x = &s->items[i];
		_strbuf_ struct strbuf head = STRBUF_INIT;

		key_add(&head, x->to);
		key_add(&head, x->link ? x->link : "");
		strbuf_addf(&head, "%o %llu %d;", (unsigned)x->mode, (unsigned long long)x->size,
			    x->is_named);
		if (strbuf_check(&head, e) < 0)
			return -ENOMEM;
		digest_update(&c, head.data, head.len);
		if (S_ISREG(x->mode))
			r = hash_file(x, root, e);
		digest_update(&c, x->sum, strlen(x->sum));
	}
	return r < 0 ? r : digest_final(&c, ret, e);
}

/* --- read again ------------------------------------------------------------------------------ */

struct checked {
	sink *put;
	void *arg;
	struct digest_ctx sum;
};

static int put_checked(void *arg, const void *data, size_t len, struct err *e)
{
	struct checked *c = arg;

	digest_update(&c->sum, data, len);
	return c->put(c->arg, data, len, e);
}

/* Where the file was hashed, another content is not kept under its key. */
static int read_again(const struct selected *x, int root, sink *put, void *arg, struct err *e)
{
	struct checked c = {.put = put, .arg = arg, .sum = DIGEST_CTX_INIT};
	char sum[SELECT_SUM_BYTES] = "";
	int r = *x->sum ? digest_init(&c.sum, "", e) : 0;

	if (r >= 0)
		r = read_file(x, root, put_checked, &c, e);
	if (r >= 0 && *x->sum)
		r = keep_sum(&c.sum, sum, e);
	digest_free(&c.sum);
	return r >= 0 && !str_eq(sum, x->sum) ? changed(x, e) : r;
}

static int to_spool(void *arg, const void *data, size_t len, struct err *e)
{
	return spool_write(arg, data, len, e);
}

int selected_copy(const struct selected *x, int root, int tmp_dirfd, struct err *e)
{
	_spool_ struct spool copy = SPOOL_INIT;
	int r = spool_open(&copy, tmp_dirfd, e);

	if (r >= 0)
		r = read_again(x, root, to_spool, &copy, e);
	if (r >= 0 && lseek(copy.fd, 0, SEEK_SET) < 0)
		r = err_sys(e, "/%.300s", x->from);
	return r < 0 ? r : take_fd(&copy.fd);
}

static int to_tar(void *arg, const void *data, size_t len, struct err *e)
{
	return tar_out_data(arg, data, len, e);
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

	return r < 0 || !S_ISREG(x->mode) ? r : read_again(x, root, to_tar, t, e);
}

int selection_pack(const struct selection *s, int root, const struct select_rules *rules,
		   struct tar_out *out, struct err *e)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < s->n; i++)
		r = pack_one(&s->items[i], root, rules, out, e);
	return r;
}
