/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/report/report.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/judge/value/json.h"
#include "cmd/judge/value/lines.h"
#include "cmd/judge/value/value.h"
#include "cmd/options/program_places.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/path.h"
#include "runtime/spec/result_json.h"

#define RECORD_BYTES_MAX (64u << 20)
#define MODE 0644

static bool ends_in(const char *path, const char *end)
{
	size_t n = strlen(path), len = strlen(end);

	return n > len && str_eq(path + n - len, end);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int report_open(struct report *r, const char *path, const char *verb,
		const struct container_spec *spec, struct err *e)
{
	_program_places_ struct path_places programs = {0};
	_free_ char *dir = NULL;
	const char *name;

	if (!path)
		return 0;
	name = base_name(path);
	r->is_junit = ends_in(name, ".xml");
	if (r->is_junit && str_eq(verb, "eval"))
		return err_set(e, EINVAL, "--report %s: JUnit's XML is of tests; eval writes .html",
			       path);
	if (!r->is_junit && !ends_in(name, ".html"))
		return err_set(e, EINVAL, "--report %s: must end in .html%s", path,
			       str_eq(verb, "eval") ? "" : " or .xml");
	dir = name == path ? str_printf(".") : str_printf("%.*s", (int)(name - path), path);
	if (!dir)
		return err_oom(e);
	r->dir_fd = program_places(spec, &programs, e);
	if (r->dir_fd < 0)
		return r->dir_fd;
	r->dir_fd = path_open_output_dir(dir, &programs, e);
	if (r->dir_fd < 0)
		return err_wrap(e, "--report");
	r->verb = verb;
	r->path = path;
	return 0;
}

static struct value text_value(const char *s)
{
	return (struct value){.kind = VALUE_STR, .n = strlen(s), .text = s};
}

/* A run whose record is not understood is no run less. */
static int add_unreadable(struct report *r, const char *name, const char *why, struct err *e)
{
	struct value words[] = {text_value("stage"), text_value("report"), text_value("message"),
				text_value(why)};
	struct value members[] = {text_value("error"),
				  {.kind = VALUE_DICT, .n = 4, .items = words}};
	const struct value record = {.kind = VALUE_DICT, .n = 2, .items = members};

	return report_rows_add(&r->rows, &record, name ? name : "a record that cannot be read", e);
}

int report_add(struct report *r, const char *text, size_t len, const char *name, struct err *e)
{
	_value_pool_ struct value_pool pool = VALUE_POOL_INIT;
	struct err why = ERR_INIT;
	struct value record;

	if (!r->path || !len || *text != '{')
		return 0;
	if (value_read_record(&pool, text, len, &record, &why) < 0)
		return add_unreadable(r, name, why.msg, e);
	return report_rows_add(&r->rows, &record, name, e);
}

int report_run(struct report *r, const struct container_spec *spec, const struct run_result *result,
	       const struct result_more *more, const char *name, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;

	if (!r->path)
		return 0;
	if (result_json_more(spec, result, true, more, &text, e) < 0 ||
	    report_add(r, text.data, text.len, name, e) < 0)
		return err_wrap(e, "--report");
	return report_write(r, e);
}

int report_add_file(struct report *r, int fd, struct err *e)
{
	struct lines l = {.fd = fd, .max = RECORD_BYTES_MAX};
	const char *text;
	size_t len;
	bool too_long;
	int n = 0;

	if (!r->path)
		return 0;
	if (lseek(fd, 0, SEEK_SET) < 0)
		return err_sys(e, "read the records");
	while (n >= 0 && (n = lines_next(&l, &text, &len, &too_long, e)) > 0) {
		if (!too_long && report_add(r, text, len, NULL, e) < 0)
			n = -ENOMEM;
	}
	lines_free(&l);
	return n < 0 ? n : report_rows_settle(&r->rows, e);
}

int report_write(struct report *r, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	const struct io_replace where = {.dirfd = r->dir_fd,
					 .name = r->path ? base_name(r->path) : "",
					 .mode = MODE,
					 .replace = 1};

	if (!r->path)
		return 0;
	if (r->is_junit)
		report_junit(&r->rows, &text);
	else
		report_html(&r->rows, r->verb, &text);
	if (strbuf_check(&text, e) < 0)
		return -ENOMEM;
	return io_write_file_at(&where, text.data, text.len, e) < 0
		       ? err_wrap(e, "--report %s", r->path)
		       : 0;
}

void report_free(struct report *r)
{
	report_rows_free(&r->rows);
	fd_close(&r->dir_fd);
}
