/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/image/archive_pipe.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "cmd/frame/frame.h"
#include "cmd/image/container_changes.h"
#include "cmd/image/copy.h"
#include "cmd/image/copy_agent.h"
#include "cmd/options/run_opts.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/json/out.h"

struct archive_pipe {
	const char *container, *path;
	bool only_stat, has_spoken;
};

static int end_line(struct json_out *j)
{
	int r = json_finish(j, NULL);

	strbuf_addch(&j->buf, '\n');
	if (r >= 0)
		r = io_write_all(STDOUT_FILENO, strbuf_str(&j->buf), j->buf.len, NULL);
	json_out_free(j);
	return r;
}

/* os.FileMode of Go */
static uint64_t go_mode(mode_t m)
{
	uint64_t mode = m & 0777;

	mode |= m & S_ISUID ? 1u << 23 : 0;
	mode |= m & S_ISGID ? 1u << 22 : 0;
	mode |= m & S_ISVTX ? 1u << 20 : 0;
	if (S_ISDIR(m))
		mode |= 1u << 31;
	else if (S_ISLNK(m))
		mode |= 1u << 27;
	else if (S_ISBLK(m))
		mode |= 1u << 26;
	else if (S_ISCHR(m))
		mode |= 1u << 26 | 1u << 21;
	else if (S_ISFIFO(m))
		mode |= 1u << 25;
	else if (S_ISSOCK(m))
		mode |= 1u << 24;
	return mode;
}

/* The last name of a path, as path.Base of Go has it. */
static void add_name(struct json_out *j, const char *path)
{
	size_t end = strlen(path), begin;

	while (end > 1 && path[end - 1] == '/')
		end--;
	for (begin = end; begin && path[begin - 1] != '/'; begin--)
		;
	json_key(j, "name");
	if (begin == end || !end)
		json_str(j, "/");
	else
		json_strn(j, path + begin, end - begin);
}

static int say_found(void *arg, const struct copy_stat *s)
{
	struct archive_pipe *x = arg;
	struct json_out j = JSON_OUT_INIT;

	x->has_spoken = true;
	json_begin_object(&j);
	add_name(&j, x->path);
	json_ku64(&j, "size", s->size_bytes);
	json_ku64(&j, "mode", go_mode(s->mode));
	json_key(&j, "mtime_s");
	json_i64(&j, s->mtime_s);
	json_ku64(&j, "mtime_ns", s->mtime_ns);
	json_kstr(&j, "linkTarget", s->target);
	json_end_object(&j);
	return end_line(&j) >= 0 && !x->only_stat;
}

static int say_failed(struct archive_pipe *x, enum copy_failure failure, const struct err *e)
{
	const char *slash = *x->path == '/' ? "" : "/";
	_free_ char *text = NULL;
	struct json_out j = JSON_OUT_INIT;
	unsigned status = 500;

	if (failure == COPY_NO_CONTAINER) {
		status = 404;
		text = str_printf("No such container: %s", x->container);
	} else if (failure == COPY_NO_SOURCE_INSIDE || failure == COPY_NO_PARENT ||
		   failure == COPY_NO_DIRECTORY ||
		   (failure == COPY_NOT_DIRECTORY && e->code == ENOENT)) {
		status = 404;
		text = str_printf("Could not find the file %s%s in container %s", slash, x->path,
				  x->container);
	} else if (failure == COPY_NOT_DIRECTORY) {
		status = 400;
		text = str_printf("extraction point is not a directory");
	} else if (failure == COPY_READ_ONLY || e->code == EROFS) {
		status = 403;
		text = str_printf("container rootfs is marked read-only");
	} else if (e->code == EBADMSG || failure == COPY_WRONG_TYPE) {
		status = 400; /* no tar, or none that fits */
	}
	/* The tar has begun: only an exit code can tell. */
	if (x->has_spoken)
		return CMD_EXIT_FAILED;
	json_begin_object(&j);
	json_ku64(&j, "status", status);
	json_kstr(&j, "message", text ? text : e->msg);
	json_end_object(&j);
	(void)end_line(&j);
	return CMD_EXIT_FAILED;
}

static int run(struct cmd *c, const char *verb, struct archive_pipe *x)
{
	const bool is_out = !str_eq(verb, "put"), whole = str_eq(verb, "export");
	const struct copy_job job = {
		.container = x->container,
		.inside = x->path,
		.outside = "-",
		.tar_fd = is_out ? STDOUT_FILENO : STDIN_FILENO,
		.is_out = is_out,
		.keep_owner = true,
		.keep_set_ids = whole,
		.whole = whole,
		.found = say_found,
		.arg = x,
	};
	enum copy_failure failure = COPY_FAILED;
	struct run_opts opts;
	struct err e = ERR_INIT;
	int r;

	run_opts_init(&opts);
	r = copy_run(c, &job, &opts, &failure, &e);
	run_opts_done(&opts);
	if (r < 0)
		return say_failed(x, failure, &e);
	if (!is_out && io_write_all(STDOUT_FILENO, "{}\n", 3, NULL) < 0)
		return CMD_EXIT_FAILED;
	return CMD_EXIT_OK;
}

/* {} and a line with all of it. */
static int tell_changes(struct cmd *c, struct archive_pipe *x)
{
	static const char kinds[] = "CAD"; /* their numbers in docker's answer */
	struct layer_changes changes = {0};
	struct json_out j = JSON_OUT_INIT;
	struct err e = ERR_INIT;
	int r = container_changes(c, x->container, &changes, &e);

	if (r < 0)
		return say_failed(x, r == -ENOENT ? COPY_NO_CONTAINER : COPY_FAILED, &e);
	json_begin_array(&j);
	for (size_t i = 0; i < changes.n; i++) {
		json_begin_object(&j);
		json_kstr(&j, "Path", changes.items[i].path);
		json_ku64(&j, "Kind", (uint64_t)(strchr(kinds, changes.items[i].kind) - kinds));
		json_end_object(&j);
	}
	json_end_array(&j);
	layer_changes_free(&changes);
	if (io_write_all(STDOUT_FILENO, "{}\n", 3, NULL) < 0 || end_line(&j) < 0)
		return CMD_EXIT_FAILED;
	return CMD_EXIT_OK;
}

int archive_pipe_main(int argc, char **argv)
{
	struct archive_pipe x = {0};
	struct cmd c = {.argv = argv};
	struct err e = ERR_INIT;
	int code;

	if (argc != 4)
		return CMD_EXIT_FAILED;
	x.container = argv[2];
	x.path = argv[3];
	x.only_stat = str_eq(argv[1], "stat");
	if (cmd_begin(&e) < 0 || cmd_load_state(&c, &e) < 0)
		code = say_failed(&x, COPY_FAILED, &e);
	else if (str_eq(argv[1], "changes"))
		code = tell_changes(&c, &x);
	else
		code = run(&c, argv[1], &x);
	cmd_free_state(&c);
	return code;
}
