/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/options/result_out.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/options/program_places.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/spec/result.h"
#include "runtime/spec/result_json.h"
#include "runtime/spec/spec.h"

#define RESERVED_BYTES (64 << 10)

/* what: the descriptor as the user knows it. */
static int open_fd(uint64_t number, const char *what, struct err *e)
{
	int flags = fcntl((int)number, F_GETFL), fd;

	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
		return err_set(e, EBADF, "%s: not open for writing", what);
	fd = fcntl((int)number, F_DUPFD_CLOEXEC, 3);
	return fd < 0 ? err_sys(e, "%s", what) : fd;
}

static int open_place(const struct result_opts *o, const struct container_spec *spec, struct err *e)
{
	_program_places_ struct path_places programs = {0};
	char what[40];
	int fd;

	if (o->fd) {
		snprintf(what, sizeof(what), "--result-fd %llu", (unsigned long long)o->fd);
		return open_fd(o->fd, what, e);
	}
	if (!o->path)
		return open_fd(STDOUT_FILENO, "--json: standard output", e);
	fd = program_places(spec, &programs, e);
	if (fd < 0)
		return fd;
	fd = path_open_output(o->path, O_WRONLY | O_CREAT, 0666, &programs, e);
	return fd < 0 ? err_wrap(e, "--json") : fd;
}

/* A regular file can have room reserved and half an object cut off; not one that is appended to. */
static bool is_plain_file(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && !(fcntl(fd, F_GETFL) & O_APPEND);
}

/* Room for a result without output, before the run, which may take the last of it. */
static int reserve(int fd, struct err *e)
{
	if (fallocate(fd, FALLOC_FL_KEEP_SIZE, lseek(fd, 0, SEEK_CUR), RESERVED_BYTES) == 0)
		return 0;
	return errno == ENOSPC || errno == EDQUOT || errno == EFBIG
		       ? err_sys(e, "make room for the result")
		       : 0;
}

int result_out_open(const struct result_opts *o, struct container_spec *spec,
		    struct result_out *ret, struct err *e)
{
	*ret = (struct result_out){.fd = -1, .with_output = !o->no_output};
	if (!o->json && !o->fd) {
		if (o->no_output)
			return err_set(e, EINVAL, "--json-no-output: needs --json or --result-fd");
		if (spec->fetch.n)
			return err_set(e, EINVAL, "--fetch: needs --json or --result-fd");
		return 0;
	}
	if (o->path && o->fd)
		return err_set(e, EINVAL, "--json=FILE and --result-fd exclude each other");
	ret->fd = open_place(o, spec, e);
	if (ret->fd < 0)
		return ret->fd;
	ret->is_file = is_plain_file(ret->fd);
	ret->is_own = o->path;
	if (ret->is_file && reserve(ret->fd, e) < 0) {
		fd_close(&ret->fd);
		return -ENOSPC;
	}
	if (o->json && !o->path && !o->fd) {
		spec->capture_output = true;
		spec->proc.tty = TTY_NO;
	}
	return 0;
}

/*
 * A descriptor of the caller's has one place where it stands, for all who have it: the object goes
 * there and the place moves on, or what a shell writes next would be written over it.
 */
static int write_all(const struct result_out *out, const struct strbuf *text, struct err *e)
{
	off_t at = out->is_file ? lseek(out->fd, 0, SEEK_CUR) : -1;
	int r = io_write_all(out->fd, strbuf_str(text), text->len, e);

	if (at < 0 || (r >= 0 && !out->is_own))
		return r;
	/* Half an object is none, and what a longer one left behind it is not ours. */
	if (ftruncate(out->fd, r < 0 ? at : at + (off_t)text->len) < 0 && r >= 0)
		r = err_sys(e, "truncate");
	if (r < 0)
		(void)lseek(out->fd, at, SEEK_SET);
	return r;
}

/* The program's output may be too much where the rest is not: that is kept. */
static int write_less(const struct result_out *out, const struct container_spec *spec,
		      const struct run_result *r, const struct result_more *more)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	_strv_ struct strv degraded = STRV_INIT;
	struct run_result less = *r;
	int ret;

	for (size_t i = 0; i < r->degraded.n; i++)
		strv_add(&degraded, r->degraded.items[i]);
	strv_add(&degraded, "output: there was no room for it in the result's file");
	less.degraded = degraded;
	ret = result_json_more(spec, &less, false, more, &text, NULL);
	return ret < 0 ? ret : write_all(out, &text, NULL);
}

int result_out_write(struct result_out *out, const struct container_spec *spec,
		     const struct run_result *r, struct err *e)
{
	static const struct result_more nothing = {.completed = -1};

	return result_out_write_more(out, spec, r, &nothing, e);
}

int result_out_write_more(struct result_out *out, const struct container_spec *spec,
			  const struct run_result *r, const struct result_more *more, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int ret;

	if (out->fd < 0)
		return 0;
	ret = result_json_more(spec, r, out->with_output, more, &text, e);
	if (ret >= 0)
		ret = write_all(out, &text, e);
	if (ret < 0) {
		bool kept = out->is_file && write_less(out, spec, r, more) >= 0;

		err_wrap(e, "write the result");
		err_append(e, "%sthe run: %s, exit code %d",
			   kept ? "kept without the output; " : "", run_status_name(r->status),
			   run_exit_code(r));
	}
	fd_close(&out->fd);
	return ret;
}
