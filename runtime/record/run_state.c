/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a run as a flat record: its file, and what start and end leave in the lock file. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/flat.h"
#include "runtime/base/io.h"
#include "runtime/spec/name.h"
#include "runtime/record/run_dir.h"

#define STATE_MAGIC 0x31535243u /* "CRS1" */
#define STATE_VERSION 1u
#define STATE_BYTES_MAX 65536u

enum {
	TAG_NAME = 1,
	TAG_STARTED,
	TAG_ENDED,
	TAG_EXIT_CODE,
	TAG_OOM_KILLED,
	TAG_ERROR,
	TAG_RESTARTS,
	TAG_RESTARTING,
};

static int encode(const struct run_state *s, struct flat_writer *w, struct err *e)
{
	flat_begin(w, STATE_MAGIC, STATE_VERSION);
	flat_str(w, TAG_NAME, s->name);
	flat_u64(w, TAG_STARTED, s->started_ns);
	flat_u64(w, TAG_ENDED, s->ended_ns);
	flat_u64(w, TAG_EXIT_CODE, (uint64_t)s->exit_code);
	flat_u64(w, TAG_OOM_KILLED, s->oom_killed);
	flat_str(w, TAG_ERROR, s->error);
	if (s->restarts)
		flat_u64(w, TAG_RESTARTS, s->restarts);
	if (s->restarting)
		flat_u64(w, TAG_RESTARTING, 1);
	return flat_end(w, e);
}

int run_state_write(int dirfd, const struct run_state *s, struct err *e)
{
	const struct io_replace where = {
		.dirfd = dirfd, .name = "state", .mode = 0600, .replace = 1};
	struct flat_writer w;
	int r = encode(s, &w, e);

	if (r >= 0)
		r = io_write_file_at(&where, w.buf.data, w.buf.len, e);
	flat_free(&w);
	return r;
}

/* Not emptied first: the room that the start has taken would be anybody's. */
static int replace_text(int fd, const struct strbuf *text, struct err *e)
{
	struct stat st;
	int r = io_pwrite_all(fd, text->data, text->len, 0, e);

	if (r < 0)
		return r;
	if (fstat(fd, &st) < 0 ||
	    ((size_t)st.st_size > text->len && ftruncate(fd, (off_t)text->len) < 0))
		return err_sys(e, "shorten the lock");
	return 0;
}

int run_state_tell(int lock_fd, const struct run_state *s, struct err *e)
{
	struct flat_writer w;
	int r = encode(s, &w, e);

	if (r >= 0)
		r = replace_text(lock_fd, &w.buf, e);
	flat_free(&w);
	return r;
}

static int get_text(const struct flat_field *f, char **ret, struct err *e)
{
	const char *text;
	int r = flat_get_str(f, &text, e);

	if (r < 0)
		return r;
	free(*ret);
	*ret = strdup(text);
	return *ret ? 0 : err_oom(e);
}

static int decode_field(struct run_state *s, const struct flat_field *f, struct err *e)
{
	uint64_t v = 0;
	int r;

	switch (f->tag) {
	case TAG_NAME:
		return get_text(f, &s->name, e);
	case TAG_STARTED:
		return flat_get_u64(f, &s->started_ns, e);
	case TAG_ENDED:
		return flat_get_u64(f, &s->ended_ns, e);
	case TAG_EXIT_CODE:
		r = flat_get_u64(f, &v, e);
		s->exit_code = v <= 255 ? (int)v : 125;
		return r;
	case TAG_OOM_KILLED:
		r = flat_get_u64(f, &v, e);
		s->oom_killed = v;
		return r;
	case TAG_RESTARTS:
		r = flat_get_u64(f, &v, e);
		s->restarts = (unsigned)v;
		return r;
	case TAG_RESTARTING:
		r = flat_get_u64(f, &v, e);
		s->restarting = v;
		return r;
	case TAG_ERROR:
		return get_text(f, &s->error, e);
	default:
		return 0;
	}
}

static int decode(const struct strbuf *bytes, struct run_state *ret, struct err *e)
{
	struct flat_reader reader;
	struct flat_field f;
	int r = flat_open(&reader, bytes->data, bytes->len, STATE_MAGIC, STATE_VERSION, e);

	*ret = (struct run_state){0};
	while (r >= 0 && (r = flat_next(&reader, &f, e)) > 0)
		r = decode_field(ret, &f, e);
	if (r >= 0 && ret->name && !name_is_valid(ret->name))
		r = err_set(e, EBADMSG, "damaged state");
	if (r < 0)
		run_state_free(ret);
	return r < 0 ? r : 0;
}

int run_dir_state(const struct run_dir *d, struct run_state *ret, struct err *e)
{
	_strbuf_ struct strbuf bytes = STRBUF_INIT;
	int r = io_read_file_at(d->fd, "state", STATE_BYTES_MAX, &bytes, e);

	*ret = (struct run_state){0};
	return r < 0 ? r : decode(&bytes, ret, e);
}

int run_state_told(int lock_fd, struct run_state *ret, struct err *e)
{
	_strbuf_ struct strbuf bytes = STRBUF_INIT;
	int r = 0;

	*ret = (struct run_state){0};
	if (lseek(lock_fd, 0, SEEK_SET) < 0)
		return err_sys(e, "read the lock");
	r = io_read_all(lock_fd, STATE_BYTES_MAX, &bytes, e);
	return r < 0 ? r : decode(&bytes, ret, e);
}

int run_dir_last_state(const struct run_dir *d, struct run_state *ret, struct err *e)
{
	_close_ int lock = -1;
	struct run_state told;
	int r = run_dir_state(d, ret, e);

	if (r < 0 || !run_state_goes_on(ret))
		return r;
	lock = openat(d->fd, "lock", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (lock < 0 || run_state_told(lock, &told, NULL) < 0)
		return 0;
	if (told.started_ns == ret->started_ns && told.ended_ns) {
		run_state_free(ret);
		*ret = told;
		return 0;
	}
	run_state_free(&told);
	return 0;
}

void run_state_free(struct run_state *s)
{
	free(s->name);
	free(s->error);
	*s = (struct run_state){0};
}
