/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/enroot/conf/script.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/options/input_file.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"

#define OUTPUT_BYTES_MAX (4u << 20)
#define EXIT_NO_SHELL 127

static const char *const names[CONF_FUNCTIONS] = {
	[CONF_ENVIRON] = "environ",
	[CONF_MOUNTS] = "mounts",
	[CONF_HOOKS] = "hooks",
	[CONF_RC] = "rc",
};

struct line {
	const char *at;
	size_t len;
};

static void skip_blanks(struct line *l)
{
	while (l->len && (*l->at == ' ' || *l->at == '\t'))
		l->at++, l->len--;
}

static bool skip_word(struct line *l, const char *word)
{
	size_t n = strlen(word);

	if (l->len < n || memcmp(l->at, word, n))
		return false;
	l->at += n;
	l->len -= n;
	return true;
}

/* #ENROOT_NAME=value */
static void scan_setting(struct line l, struct conf_script *s)
{
	size_t n = 0;

	if (!skip_word(&l, "#") || l.len < 7 || memcmp(l.at, "ENROOT_", 7))
		return;
	while (n < l.len && (l.at[n] == '_' || (l.at[n] >= 'A' && l.at[n] <= 'Z')))
		n++;
	if (n < l.len && l.at[n] == '=')
		strv_addn(&s->settings, l.at, l.len);
}

/* "NAME()", "function NAME": where a function may begin. */
static void scan_function(struct line l, struct conf_script *s)
{
	bool keyword;

	skip_blanks(&l);
	keyword = skip_word(&l, "function ") || skip_word(&l, "function\t");
	skip_blanks(&l);
	for (int i = 0; i < CONF_FUNCTIONS; i++) {
		struct line rest = l;

		if (!skip_word(&rest, names[i]))
			continue;
		if (keyword && (!rest.len || strchr(" \t{(", *rest.at)))
			s->has[i] = true;
		skip_blanks(&rest);
		if (skip_word(&rest, "("))
			s->has[i] = true;
	}
}

/* Only the shell that reads another file knows its definitions. */
static void scan_source(struct line l, struct conf_script *s)
{
	skip_blanks(&l);
	if (!skip_word(&l, "source ") && !skip_word(&l, ". "))
		return;
	for (int i = 0; i < CONF_FUNCTIONS; i++)
		s->has[i] = true;
}

int conf_script_scan(const char *buf, size_t len, struct conf_script *ret, struct err *e)
{
	if (len && memchr(buf, 0, len))
		return err_set(e, EINVAL, "a NUL byte: not a script");
	while (len) {
		const char *end = memchr(buf, '\n', len);
		struct line l = {buf, end ? (size_t)(end - buf) : len};
		size_t n = l.len + (end != NULL);

		if (l.len && l.at[l.len - 1] == '\r')
			l.len--;
		scan_setting(l, ret);
		scan_function(l, ret);
		scan_source(l, ret);
		buf += n;
		len -= n;
	}
	return strv_check(&ret->settings, e);
}

static int read_script(int fd, struct conf_script *s, struct err *e)
{
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_code(e, errno, "cannot be read");
	if (!S_ISREG(st.st_mode))
		return err_set(e, EINVAL, "not a regular file");
	if (io_read_all(fd, CONF_SCRIPT_MAX, &s->text, e) < 0)
		return e ? -e->code : -EIO;
	return conf_script_scan(strbuf_str(&s->text), s->text.len, s, e);
}

int conf_script_read(const char *path, struct conf_script *ret, struct err *e)
{
	struct err why = ERR_INIT;
	_close_ int fd = -1;
	int r;

	*ret = (struct conf_script)CONF_SCRIPT_INIT;
	ret->path = input_path(path, NULL, &why);
	if (!ret->path && why.code == ELOOP)
		return err_set(e, ELOOP, "%s", why.msg);
	if (!ret->path)
		return err_set(e, why.code, "No such file or directory: %s", path);
	fd = open(ret->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	r = read_script(fd, ret, e);
	if (r < 0) {
		conf_script_free(ret);
		return err_wrap(e, "%s", path);
	}
	return 0;
}

void conf_script_free(struct conf_script *s)
{
	free(s->path);
	strbuf_free(&s->text);
	strv_free(&s->settings);
	*s = (struct conf_script)CONF_SCRIPT_INIT;
}

int conf_script_argv(const struct conf_script *s, enum conf_function f, char *const *args,
		     struct strv *argv, struct err *e)
{
	/* As enroot runs it; text that the file itself prints is not the function's output. */
	static const char program[] =
		"set -euo pipefail; shopt -s lastpipe; f=$1 c=$2; shift 2; "
		"source \"$c\" >/dev/null; declare -F \"$f\" >/dev/null || exit 0; ";
	static const char call[] = "\"$f\" \"$@\"", show[] = "declare -f \"$f\"";

	strv_add(argv, access("/bin/bash", X_OK) == 0 ? "/bin/bash" : "/usr/bin/bash");
	strv_add(argv, "-c");
	strv_take(argv, str_printf("%s%s", program, f == CONF_RC ? show : call));
	strv_add(argv, "bash");
	strv_add(argv, names[f]);
	strv_add(argv, s->path);
	for (; args && *args; args++)
		strv_add(argv, *args);
	return strv_check(argv, e);
}

static _Noreturn void be_bash(char *const *argv, char *const *env, int out)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0)
		execve(argv[0], argv, env);
	_exit(EXIT_NO_SHELL);
}

static int check_status(const struct conf_script *s, enum conf_function f, int status,
			struct err *e)
{
	if (WIFSIGNALED(status))
		return err_set(e, ECANCELED, "%s: %s() was ended by signal %d", s->path, names[f],
			       WTERMSIG(status));
	if (WEXITSTATUS(status) == EXIT_NO_SHELL && access("/bin/bash", X_OK) < 0 &&
	    access("/usr/bin/bash", X_OK) < 0)
		return err_set(e, ENOENT, "%s: %s() needs /bin/bash", s->path, names[f]);
	if (WEXITSTATUS(status))
		return err_set(e, ECANCELED, "%s: %s() exited with return code %d", s->path,
			       names[f], WEXITSTATUS(status));
	return 0;
}

/*
 * Up to the end of the pipe, or of bash and of what is in the pipe then: a program that the
 * function has left behind may hold it open for as long as it likes.
 */
static int read_output(int in, int pidfd, struct strbuf *out, struct err *e)
{
	struct pollfd p[] = {{.fd = in, .events = POLLIN}, {.fd = pidfd, .events = POLLIN}};
	char chunk[16384];

	for (;;) {
		ssize_t n = 0;

		if (poll(p, 2, -1) > 0)
			n = p[0].revents ? read(in, chunk, sizeof(chunk)) : 0;
		else if (errno != EINTR)
			return err_sys(e, "wait for bash");
		else
			continue;
		if (n < 0)
			return err_sys(e, "read");
		if (!n)
			return strbuf_check(out, e);
		if (out->len + (size_t)n > OUTPUT_BYTES_MAX)
			return err_set(e, EFBIG, "larger than %u bytes", OUTPUT_BYTES_MAX);
		strbuf_add(out, chunk, (size_t)n);
	}
}

static int collect(int in, pid_t pid, struct strbuf *out, int *ret_status, struct err *e)
{
	_close_ int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	int r = pidfd < 0 ? err_sys(e, "pidfd_open") : read_output(in, pidfd, out, e);

	if (r < 0)
		(void)kill(pid, SIGKILL);
	while (waitpid(pid, ret_status, 0) < 0) {
		if (errno != EINTR)
			return err_sys(e, "wait for bash");
	}
	return r;
}

int conf_script_call(const struct conf_script *s, enum conf_function f, char *const *args,
		     char *const *env, struct strbuf *out, struct err *e)
{
	_strv_ struct strv argv = STRV_INIT;
	_close_ int in = -1, to = -1;
	int fds[2], status = 0, r = conf_script_argv(s, f, args, &argv, e);
	void (*old)(int);
	pid_t pid;

	if (r < 0)
		return r;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_sys(e, "%s: pipe", s->path);
	in = fds[0];
	to = fds[1];
	old = signal(SIGCHLD, SIG_DFL); /* ignored, no process could be waited for */
	pid = fork();
	if (!pid)
		be_bash(argv.items, env, to);
	fd_close(&to);
	r = pid < 0 ? err_sys(e, "run bash") : collect(in, pid, out, &status, e);
	(void)signal(SIGCHLD, old);
	return r < 0 ? err_wrap(e, "%s: %s()", s->path, names[f]) : check_status(s, f, status, e);
}

/* declare -f prints "rc () \n{ \n    body\n}": two lines before the body, one behind it. */
static void strip_function(struct strbuf *b)
{
	char *body = b->data, *end;

	for (int i = 0; i < 2 && body; i++) {
		body = strchr(body, '\n');
		body = body ? body + 1 : NULL;
	}
	if (!body) {
		strbuf_reset(b);
		return;
	}
	b->len -= (size_t)(body - b->data);
	memmove(b->data, body, b->len + 1);
	while (b->len && b->data[b->len - 1] == '\n')
		b->data[--b->len] = 0;
	end = strrchr(b->data, '\n');
	b->len = end ? (size_t)(end - b->data) + 1 : 0;
	b->data[b->len] = 0;
}

int conf_script_rc(const struct conf_script *s, char *const *args, char *const *env,
		   struct strbuf *out, struct err *e)
{
	int r = conf_script_call(s, CONF_RC, args, env, out, e);

	if (r >= 0 && out->len)
		strip_function(out);
	return r;
}
