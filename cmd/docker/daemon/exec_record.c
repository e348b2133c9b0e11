/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/daemon/exec_record.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/flat.h"
#include "runtime/base/io.h"
#include "runtime/base/path.h"
#include "runtime/kernel/file_lock.h"
#include "runtime/settings/paths.h"

#define SWEPT_FILE ".swept"
#define SWEEP_EVERY_S 60
#define RECORD_MAGIC 0x31584543u /* "CEX1" */
#define RECORD_VERSION 1u
#define RECORD_BYTES_MAX (4u << 20)

enum tag {
	TAG_CONTAINER = 1, /* str */
	TAG_ARGV,          /* str, repeated */
	TAG_ENV,           /* str, repeated */
	TAG_USER,          /* str */
	TAG_WORKDIR,       /* str */
	TAG_FLAGS,         /* u64: enum flag */
	TAG_DETACH_KEYS,   /* str */
};

enum flag { FLAG_TTY = 1, FLAG_INTERACTIVE = 2 };

static int new_id(char ret[DOCKER_EXEC_ID_BYTES], struct err *e)
{
	static const char digits[] = "0123456789abcdef";
	unsigned char bytes[(DOCKER_EXEC_ID_BYTES - 1) / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return err_sys(e, "random id");
	for (size_t i = 0; i < sizeof(bytes); i++) {
		ret[2 * i] = digits[bytes[i] >> 4];
		ret[2 * i + 1] = digits[bytes[i] & 15];
	}
	ret[DOCKER_EXEC_ID_BYTES - 1] = 0;
	return 0;
}

static bool is_id(const char *text)
{
	return strlen(text) == DOCKER_EXEC_ID_BYTES - 1 &&
	       strspn(text, "0123456789abcdef") == DOCKER_EXEC_ID_BYTES - 1;
}

/* --- write -------------------------------------------------------------------------------- */

static int encode(const char *container, const struct docker_exec_args *a, struct flat_writer *w,
		  struct err *e)
{
	flat_begin(w, RECORD_MAGIC, RECORD_VERSION);
	flat_str(w, TAG_CONTAINER, container);
	flat_strv(w, TAG_ARGV, &a->argv);
	for (size_t i = 0; i < a->env.n; i++) {
		if (strchr(a->env.items[i], '='))
			flat_str(w, TAG_ENV, a->env.items[i]);
	}
	flat_str(w, TAG_USER, a->user);
	flat_str(w, TAG_WORKDIR, a->workdir);
	flat_str(w, TAG_DETACH_KEYS, a->detach_keys);
	flat_u64(w, TAG_FLAGS, (a->tty ? FLAG_TTY : 0) | (a->interactive ? FLAG_INTERACTIVE : 0));
	return flat_end(w, e);
}

static int put(int dirfd, const char *name, const void *data, size_t len, struct err *e)
{
	_close_ int fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return err_sys(e, "exec record: %s", name);
	return io_write_all(fd, data, len, e);
}

/* The id is unknown before it is returned, so no process meets a record that is half there. */
static int fill(int dirfd, const struct flat_writer *w, const char *container,
		const struct docker_exec_args *a, struct err *e)
{
	const struct exec_record_size size = {(uint16_t)a->tty_rows, (uint16_t)a->tty_columns};
	static const struct exec_record_state made;
	int r = put(dirfd, "record", w->buf.data, w->buf.len, e);

	if (r >= 0 && symlinkat(container, dirfd, EXEC_CONTAINER_LINK) < 0)
		r = err_sys(e, "exec record: container");
	if (r >= 0)
		r = put(dirfd, "size", &size, sizeof(size), e);
	return r < 0 ? r : put(dirfd, EXEC_STATE_FILE, &made, sizeof(made), e);
}

int exec_record_make(const struct paths *p, const char *container, const struct docker_exec_args *a,
		     char ret_id[DOCKER_EXEC_ID_BYTES], struct err *e)
{
	_close_ int execs = paths_open(p->runtime, EXECS_DIR, e), dirfd = -1;
	struct flat_writer w = {0};
	int r = execs < 0 ? execs : new_id(ret_id, e);

	if (r >= 0)
		r = encode(container, a, &w, e);
	if (r >= 0 && w.buf.len > RECORD_BYTES_MAX)
		r = err_set(e, E2BIG, "the command and its environment are too long");
	if (r >= 0 && mkdirat(execs, ret_id, 0700) < 0)
		r = err_sys(e, "make an exec's record");
	if (r >= 0) {
		dirfd = openat(execs, ret_id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		r = dirfd < 0 ? err_sys(e, "open an exec's record")
			      : fill(dirfd, &w, container, a, e);
		if (r < 0)
			(void)path_remove_tree_at(execs, ret_id, NULL);
	}
	flat_free(&w);
	return r;
}

/* --- read --------------------------------------------------------------------------------- */

static int take_field(struct exec_record *x, const struct flat_field *f, struct err *e)
{
	const char *s = NULL;
	uint64_t flags;
	int r;

	if (f->tag == TAG_FLAGS) {
		r = flat_get_u64(f, &flags, e);
		x->args.tty = r >= 0 && flags & FLAG_TTY;
		x->args.interactive = r >= 0 && flags & FLAG_INTERACTIVE;
		return r;
	}
	if (f->tag > TAG_DETACH_KEYS)
		return 0;
	r = flat_get_str(f, &s, e);
	if (r < 0)
		return r;
	if (f->tag == TAG_ARGV || f->tag == TAG_ENV) {
		strv_add(f->tag == TAG_ARGV ? &x->args.argv : &x->args.env, s);
		return 0;
	}
	*(f->tag == TAG_CONTAINER ? &x->container
	  : f->tag == TAG_USER    ? &x->user
	  : f->tag == TAG_WORKDIR ? &x->workdir
				  : &x->detach_keys) = strdup(s);
	return 0;
}

static int decode(struct exec_record *x, const struct strbuf *text, struct err *e)
{
	struct flat_reader reader;
	struct flat_field f;
	int r = flat_open(&reader, text->data, text->len, RECORD_MAGIC, RECORD_VERSION, e);

	while (r >= 0 && (r = flat_next(&reader, &f, e)) > 0)
		r = take_field(x, &f, e);
	x->args.user = x->user;
	x->args.workdir = x->workdir;
	x->args.detach_keys = x->detach_keys;
	if (r >= 0 && (!x->container || !x->args.argv.n))
		r = err_set(e, EBADMSG, "damaged exec record");
	if (r >= 0)
		r = strv_check(&x->args.argv, e);
	return r < 0 ? r : strv_check(&x->args.env, e);
}

int exec_record_open(const struct paths *p, const char *id, struct exec_record *ret, struct err *e)
{
	_close_ int execs = paths_open(p->runtime, EXECS_DIR, e);
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int r;

	*ret = (struct exec_record)EXEC_RECORD_INIT;
	if (execs < 0)
		return execs;
	if (!is_id(id))
		return err_set(e, ENOENT, "no such exec");
	ret->dirfd = openat(execs, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (ret->dirfd < 0)
		return err_sys(e, "exec %s", id);
	ret->state_fd = openat(ret->dirfd, EXEC_STATE_FILE, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	r = ret->state_fd < 0 ? err_sys(e, "exec %s", id)
			      : io_read_file_at(ret->dirfd, "record", RECORD_BYTES_MAX, &text, e);
	return r < 0 ? r : decode(ret, &text, e);
}

void exec_record_close(struct exec_record *x)
{
	fd_close(&x->dirfd);
	fd_close(&x->state_fd);
	ptr_free(&x->container);
	ptr_free(&x->user);
	ptr_free(&x->workdir);
	ptr_free(&x->detach_keys);
	docker_exec_args_done(&x->args);
}

int exec_record_read_state(const struct exec_record *x, struct exec_record_state *ret,
			   struct err *e)
{
	return io_pread_exact(x->state_fd, ret, sizeof(*ret), 0, e);
}

int exec_record_write_state(const struct exec_record *x, const struct exec_record_state *s,
			    struct err *e)
{
	return io_pwrite_all(x->state_fd, s, sizeof(*s), 0, e);
}

bool exec_record_read_size(const struct exec_record *x, struct exec_record_size *ret)
{
	_close_ int fd = openat(x->dirfd, "size", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	return fd >= 0 && io_pread_exact(fd, ret, sizeof(*ret), 0, NULL) >= 0 && ret->rows &&
	       ret->columns;
}

int exec_record_write_size(const struct exec_record *x, const struct exec_record_size *s,
			   struct err *e)
{
	_close_ int fd = openat(x->dirfd, "size", O_WRONLY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? err_sys(e, "exec record: size") : io_pwrite_all(fd, s, sizeof(*s), 0, e);
}

/* --- removal ------------------------------------------------------------------------------ */

static bool is_old(int dirfd, const char *name, time_t age_s)
{
	struct stat st;

	return fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       st.st_mtime + age_s < time(NULL);
}

static void sweep_one(int execs, const char *id)
{
	_close_ int dirfd = openat(execs, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	_close_ int state = dirfd < 0 ? -1 : openat(dirfd, EXEC_STATE_FILE, O_RDWR | O_CLOEXEC);

	/* One that was cut off while it was made has no state. */
	if (dirfd < 0 || !is_old(dirfd, state < 0 ? "." : EXEC_STATE_FILE, EXEC_KEEP_S))
		return;
	if (state < 0 || file_lock_try(state, true) >= 0)
		(void)path_remove_tree_at(execs, id, NULL);
}

void exec_records_sweep(const struct paths *p)
{
	_close_ int execs = paths_open(p->runtime, EXECS_DIR, NULL);
	int list = execs < 0 ? -1 : openat(execs, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const struct dirent *ent;
	struct stat st;
	DIR *d;

	if (list < 0)
		return;
	if (fstatat(execs, SWEPT_FILE, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    !is_old(execs, SWEPT_FILE, SWEEP_EVERY_S)) {
		close(list);
		return;
	}
	(void)unlinkat(execs, SWEPT_FILE, 0);
	(void)put(execs, SWEPT_FILE, "", 0, NULL);
	d = fdopendir(list);
	if (!d) {
		close(list);
		return;
	}
	while ((ent = readdir(d))) {
		if (is_id(ent->d_name))
			sweep_one(execs, ent->d_name);
	}
	closedir(d);
}
