/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/slurm/step_state.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/num.h"
#include "runtime/kernel/file_lock.h"

#define STATE_BYTES_MAX (1u << 20)
#define PID_MAX_LIMIT (1u << 22)

void step_state_free(struct step_state *s)
{
	free(s->runtime);
	free(s->workdir);
	strv_free(&s->keep);
	*s = (struct step_state){0};
}

int step_state_write(int dirfd, const struct step_state *s, struct err *e)
{
	const struct io_replace where = {dirfd, "state", 0600, .replace = 1};
	_strbuf_ struct strbuf b = STRBUF_INIT;
	int r;

	strbuf_addf(&b, "pid %d\nruntime %s\n", s->pid, s->runtime);
	if (s->workdir)
		strbuf_addf(&b, "workdir %s\n", s->workdir);
	for (size_t i = 0; i < s->keep.n; i++)
		strbuf_addf(&b, "keep %s\n", s->keep.items[i]);
	if (s->shows_log)
		strbuf_addstr(&b, "log yes\n");
	r = strbuf_check(&b, e);
	return r < 0 ? r : io_write_file_at(&where, b.data, b.len, e);
}

static int take_line(struct step_state *s, const char *key, const char *value)
{
	uint64_t n;

	if (str_eq(key, "pid")) {
		if (num_parse_u64(value, PID_MAX_LIMIT, &n) < 0 || n < 2)
			return -EBADMSG;
		s->pid = (pid_t)n;
	} else if (str_eq(key, "runtime") && *value == '/' && !s->runtime) {
		s->runtime = str_printf("%s", value);
	} else if (str_eq(key, "workdir") && *value == '/' && !s->workdir) {
		s->workdir = str_printf("%s", value);
	} else if (str_eq(key, "keep") && *value) {
		strv_add(&s->keep, value);
	} else if (str_eq(key, "log")) {
		s->shows_log = str_eq(value, "yes");
	} else {
		return -EBADMSG;
	}
	return 0;
}

static int parse_line(struct step_state *s, const char *line, size_t len)
{
	_free_ char *copy = str_printf("%.*s", (int)len, line);
	char *space = copy ? strchr(copy, ' ') : NULL;

	if (!space || strlen(copy) != len)
		return -EBADMSG;
	*space = 0;
	return take_line(s, copy, space + 1);
}

int step_state_parse(const char *text, size_t len, struct step_state *ret, struct err *e)
{
	int r = 0;

	*ret = (struct step_state){0};
	while (r >= 0 && len) {
		const char *newline = memchr(text, '\n', len);
		size_t n = newline ? (size_t)(newline - text) : 0;

		r = newline ? parse_line(ret, text, n) : -EBADMSG;
		text += n + 1;
		len -= newline ? n + 1 : 0;
	}
	if (r >= 0 && (ret->pid < 2 || !ret->runtime || ret->keep.failed))
		r = -EBADMSG;
	if (r >= 0)
		return 0;
	step_state_free(ret);
	return err_set(e, EBADMSG, "the step's state is damaged");
}

static int why_not(int dirfd, struct strbuf *text, struct err *e)
{
	_strbuf_ struct strbuf own = STRBUF_INIT;
	size_t len;

	if (!text)
		text = &own;
	if (io_read_file_at(dirfd, "error", STATE_BYTES_MAX, text, NULL) < 0 || !text->len)
		return err_set(e, ECANCELED, "the step's container is gone: its holder was killed");
	len = strcspn(text->data, "\n");
	return err_set(e, ECANCELED, "%.*s", (int)(len < 400 ? len : 400), text->data);
}

int step_state_wait(int dirfd, struct step_state *ret, struct strbuf *text, struct err *e)
{
	_close_ int lock = openat(dirfd, "lock", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	_strbuf_ struct strbuf b = STRBUF_INIT;
	int r;

	if (lock < 0)
		return err_sys(e, "lock");
	r = file_lock_wait(lock, false);
	if (r < 0)
		return err_code(e, r, "lock");
	r = io_read_file_at(dirfd, "state", STATE_BYTES_MAX, &b, e);
	if (r == -ENOENT)
		return why_not(dirfd, text, e);
	return r < 0 ? r : step_state_parse(strbuf_str(&b), b.len, ret, e);
}

int step_dir_open(const char *path, struct err *e)
{
	_close_ int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(e, "%s", path);
	if (st.st_uid != geteuid() || (st.st_mode & 077))
		return err_set(e, EPERM, "%s is not your own, closed directory", path);
	return take_fd(&fd);
}
