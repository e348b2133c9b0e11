/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/options/env_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "cmd/options/input_file.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"

int env_check_assignment(const char *text, struct err *e)
{
	size_t n = strcspn(text, "=");

	if (!n)
		return err_set(e, EINVAL, "the variable's name is missing (NAME=VALUE)");
	for (size_t i = 0; i < n; i++) {
		if ((unsigned char)text[i] <= ' ' || text[i] == 0x7f)
			return err_set(e, EINVAL,
				       "blank or control character in the variable's name");
	}
	return 0;
}

static int parse_line(const char *line, size_t len, struct strv *out, struct err *e)
{
	_free_ char *text = NULL;

	while (len && (*line == ' ' || *line == '\t'))
		line++, len--;
	if (len && line[len - 1] == '\r')
		len--;
	if (!len || *line == '#')
		return 0;
	if (memchr(line, 0, len))
		return err_set(e, EINVAL, "a NUL byte");
	text = strndup(line, len);
	if (!text)
		return err_oom(e);
	if (env_check_assignment(text, e) < 0)
		return -EINVAL;
	strv_take(out, take_ptr(text));
	return strv_check(out, e);
}

int env_file_parse(const char *buf, size_t len, struct strv *out, struct err *e)
{
	const char *end = buf + len;

	if (len >= 3 && !memcmp(buf, "\xef\xbb\xbf", 3))
		buf += 3;
	for (unsigned number = 1; buf < end; number++) {
		const char *newline = memchr(buf, '\n', (size_t)(end - buf));
		size_t n = (size_t)((newline ? newline : end) - buf);

		if (parse_line(buf, n, out, e) < 0)
			return err_wrap(e, "line %u", number);
		buf += n + (newline != NULL);
	}
	return 0;
}

/*
 * Without waiting for somebody who writes into a FIFO of that name. A pipe without a name is what
 * the shell makes of <(...), and has its writer.
 */
static int open_file(const char *path, const struct container_spec *spec, struct err *e)
{
	_close_ int fd = input_file_open(path, O_RDONLY | O_NONBLOCK, spec, e);
	struct statfs fs;
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0 || fstatfs(fd, &fs) < 0)
		return err_code(e, errno, "cannot be read");
	if (S_ISFIFO(st.st_mode) && fs.f_type == PIPEFS_MAGIC) {
		if (fcntl(fd, F_SETFL, 0) < 0)
			return err_code(e, errno, "cannot be read");
	} else if (!S_ISREG(st.st_mode) && !S_ISCHR(st.st_mode)) {
		return err_set(e, EINVAL, "is not a regular file");
	}
	return take_fd(&fd);
}

int env_file_read(const char *path, const struct container_spec *spec, struct strv *out,
		  struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	_close_ int fd = open_file(path, spec, e);

	if (fd < 0)
		return fd;
	if (io_read_all(fd, ENV_FILE_BYTES_MAX, &text, e) < 0)
		return e ? -e->code : -EIO;
	return env_file_parse(strbuf_str(&text), text.len, out, e);
}

int env_file_note(struct strv *files, const struct strv *env, const char *path, struct err *e)
{
	strv_take(files, str_printf("%zu:%s", env->n, path));
	return strv_check(files, e);
}

int env_files_take(struct strv *files, const struct container_spec *spec, struct strv *env,
		   struct err *e)
{
	_strv_ struct strv all = STRV_INIT;
	size_t taken = 0;

	if (!files->n)
		return 0;
	for (size_t i = 0; i < files->n; i++) {
		char *path;
		const size_t place = strtoul(files->items[i], &path, 10);

		while (taken < place)
			strv_add(&all, env->items[taken++]);
		if (env_file_read(++path, spec, &all, e) < 0)
			return err_wrap(e, "--env-file %s", path);
	}
	while (taken < env->n)
		strv_add(&all, env->items[taken++]);
	if (strv_check(&all, e) < 0)
		return -ENOMEM;
	strv_free(files);
	strv_free(env);
	*env = all;
	all = (struct strv)STRV_INIT;
	return 0;
}
