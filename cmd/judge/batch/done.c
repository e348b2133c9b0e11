/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/batch/done.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/judge/batch/line.h"
#include "cmd/judge/batch/batch.h"
#include "cmd/judge/value/json.h"
#include "cmd/judge/value/lines.h"
#include "cmd/judge/value/value.h"
#include "cmd/options/program_places.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"

/* A run that did not come about is to be tried again; so is a line that was bad. */
static bool is_done(const struct value *record)
{
	const struct value *status = value_member(record, "status");

	return status && status->kind == VALUE_STR && !value_is_text(status, "sandbox_error") &&
	       !value_is_text(status, "launch_error") && !value_is_text(status, "bad_line");
}

static void take(struct batch_done *d, const char *text, size_t len)
{
	_value_pool_ struct value_pool pool = VALUE_POOL_INIT;
	_strbuf_ struct strbuf label = STRBUF_INIT;
	const struct value *occurrence;
	struct value v;

	batch_find_label(text, len, &label);
	if (!label.len || value_read_record(&pool, text, len, &v, NULL) < 0 || !is_done(&v))
		return;
	occurrence = value_member(&v, "occurrence");
	strv_take(&d->labels,
		  str_printf("%s %s", strbuf_str(&label),
			     occurrence && occurrence->kind == VALUE_INT ? occurrence->text : "1"));
}

static int order(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int read_records(int fd, struct batch_done *d, struct err *e)
{
	struct lines l = {.fd = fd, .max = 2 * BATCH_LINE_BYTES_MAX};
	const char *text;
	size_t len;
	bool too_long;
	uint64_t begin = 0;
	int r;
	char last;

	while ((r = lines_next(&l, &text, &len, &too_long, e)) > 0) {
		if (!too_long)
			take(d, text, len);
		begin = l.begin;
	}
	lines_free(&l);
	if (r < 0)
		return r;
	if (l.end && pread(fd, &last, 1, (off_t)l.end - 1) == 1 && last != '\n' &&
	    ftruncate(fd, (off_t)begin) < 0)
		return err_sys(e, "remove a record that was cut off");
	if (d->labels.n)
		qsort(d->labels.items, d->labels.n, sizeof(*d->labels.items), order);
	return strv_check(&d->labels, e);
}

bool batch_is_same_file(int in_fd, int out_fd)
{
	struct stat in, out;

	return fstat(in_fd, &in) == 0 && fstat(out_fd, &out) == 0 && S_ISREG(out.st_mode) &&
	       in.st_dev == out.st_dev && in.st_ino == out.st_ino;
}

int batch_done_open(const char *path, const struct container_spec *spec, int in_fd,
		    struct batch_done *ret, struct err *e)
{
	_program_places_ struct path_places programs = {0};
	_close_ int fd = -1;
	struct stat st;

	fd = program_places(spec, &programs, e);
	if (fd < 0)
		return fd;
	fd = path_open_output(path, O_RDWR | O_CREAT | O_APPEND, 0666, &programs, e);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return err_sys(e, "%s", path);
	if (batch_is_same_file(in_fd, fd))
		return err_set(e, EINVAL,
			       "--output %s: is the file that --batch reads; name another", path);
	ret->is_kept = S_ISREG(st.st_mode);
	if (ret->is_kept && read_records(fd, ret, e) < 0)
		return err_wrap(e, "%s", path);
	return take_fd(&fd);
}

bool batch_done_has(const struct batch_done *d, const char *label, unsigned occurrence)
{
	_free_ char *key = d->labels.n ? str_printf("%s %u", label, occurrence) : NULL;

	return key && bsearch(&key, d->labels.items, d->labels.n, sizeof(*d->labels.items), order);
}

void batch_done_free(struct batch_done *d)
{
	strv_free(&d->labels);
}
