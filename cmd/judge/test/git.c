/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/test/git.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd/judge/test/clone_url.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

#define SAID_BYTES_MAX 8192u
#define USER_VARIABLE "CSBX_CLONE_USER"
#define PASSWORD_VARIABLE "CSBX_CLONE_PASSWORD"

/* Everything that could make git run something, ask somebody or leave something running. */
static const char *const hardening[] = {
	"core.hooksPath=/dev/null",
	"core.fsmonitor=false",
	"core.attributesFile=/dev/null",
	"core.askPass=",
	"credential.helper=",
	"gc.auto=0",
	"maintenance.auto=false",
	"submodule.recurse=false",
	"fetch.writeCommitGraph=false",
	"http.lowSpeedLimit=1000",
	"http.lowSpeedTime=60",
	"safe.directory=*",
};

static const char *const settings[] = {
	"GIT_ALLOW_PROTOCOL=https:http:git:file",
	"HOME=/nonexistent", /* no .netrc either */
	"GIT_CONFIG_NOSYSTEM=1",
	"GIT_CONFIG_SYSTEM=/dev/null",
	"GIT_CONFIG_GLOBAL=/dev/null",
	"GIT_TERMINAL_PROMPT=0",
	"GIT_ASKPASS=/bin/false",
	"SSH_ASKPASS=/bin/false",
	"GIT_PROTOCOL_FROM_USER=0",
	"GIT_NO_REPLACE_OBJECTS=1",
	"GIT_LFS_SKIP_SMUDGE=1",
	"LC_ALL=C",
};

/*
 * Asked by git when a server of that origin, and of no other, wants to know who we are. Neither
 * this nor a URL that git passes on to its own programs has the password in it: arguments can be
 * read by everybody, the environment by the user alone.
 */
#define ASK_US                                                               \
	"!f() { test \"$1\" = get && printf 'username=%s\\npassword=%s\\n' " \
	"\"$" USER_VARIABLE "\" \"$" PASSWORD_VARIABLE "\"; }; f"

static void make_argv(const char *dir, const char *const *args, const struct clone_url *url,
		      struct strv *argv)
{
	strv_add(argv, "git");
	for (size_t i = 0; i < sizeof(hardening) / sizeof(hardening[0]); i++) {
		strv_add(argv, "-c");
		strv_add(argv, hardening[i]);
	}
	if (url && url->origin) {
		strv_add(argv, "-c");
		strv_take(argv, str_printf("credential.%s.helper=%s", url->origin, ASK_US));
	}
	if (dir)
		strv_take(argv, str_printf("--git-dir=%s", dir));
	for (; *args; args++)
		strv_add(argv, *args);
}

/* Takes from the caller's environment where programs and proxies are. */
static void make_env(const struct clone_url *url, struct strv *env)
{
	static const char *const kept[] = {"PATH",         "http_proxy",    "https_proxy",
					   "HTTPS_PROXY",  "all_proxy",     "ALL_PROXY",
					   "no_proxy",     "NO_PROXY",      "SSL_CERT_FILE",
					   "SSL_CERT_DIR", "GIT_SSL_CAINFO"};

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		const char *value = getenv(kept[i]);

		if (value)
			strv_take(env, str_printf("%s=%s", kept[i], value));
	}
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		strv_add(env, settings[i]);
	if (url && url->origin) {
		strv_take(env, str_printf(USER_VARIABLE "=%s", url->user));
		strv_take(env, str_printf(PASSWORD_VARIABLE "=%s", url->password));
	}
}

static int spawn(const struct strv *argv, const struct strv *env, int out, pid_t *ret,
		 struct err *e)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	int code = posix_spawn_file_actions_init(&actions);

	if (code)
		return err_code(e, code, "git");
	posix_spawnattr_init(&attr);
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP);
	code = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	if (!code)
		code = posix_spawn_file_actions_adddup2(&actions, out, 1);
	if (!code)
		code = posix_spawn_file_actions_adddup2(&actions, out, 2);
	if (!code)
		code = posix_spawnp(ret, "git", &actions, &attr, argv->items, env->items);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	if (code == ENOENT)
		return err_set(e, ENOENT, "git is not installed on this machine");
	return code ? err_code(e, code, "git") : 0;
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* All that it says until it closes its streams; the last of it is kept. */
static int listen_to(int fd, struct strbuf *said, struct err *e)
{
	int64_t end_ms = now_ms() + GIT_TIMEOUT_MS;
	char buf[4096];

	for (;;) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		int64_t left_ms = end_ms - now_ms();
		ssize_t n;

		if (left_ms <= 0 || poll(&p, 1, (int)left_ms) == 0)
			return err_set(e, ETIMEDOUT, "git took too long");
		n = read(fd, buf, sizeof(buf));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return 0;
		if (said->len + (size_t)n > SAID_BYTES_MAX)
			strbuf_reset(said);
		strbuf_add(said, buf, (size_t)n);
	}
}

/*
 * A process that ends all of git's when its caller is gone, whatever ended that: until then the
 * caller holds the other end of `alive`. By SIGTERM git takes its lock files and what it has
 * fetched half with it.
 */
static pid_t watch_caller(int alive[2], pid_t git)
{
	pid_t pid = fork();
	char nothing;

	if (pid)
		return pid;
	setpgid(0, 0); /* keys typed at a terminal are not for it */
	close(alive[1]);
	while (read(alive[0], &nothing, 1) < 0 && errno == EINTR)
		;
	kill(-git, SIGTERM);
	_exit(0);
}

static void wait_for(pid_t pid, int *status)
{
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
}

/* Reads git's output until it has ended; nothing of it is left then. */
static int attend(pid_t git, int said_fd, struct strbuf *said, int *status, struct err *e)
{
	_close_ int alive_read = -1, alive_write = -1;
	int alive[2], r = pipe2(alive, O_CLOEXEC) < 0 ? err_sys(e, "pipe") : 0;
	pid_t watcher = -1;

	if (r >= 0) {
		alive_read = alive[0];
		alive_write = alive[1];
		watcher = watch_caller(alive, git);
		r = watcher < 0 ? err_sys(e, "fork") : listen_to(said_fd, said, e);
	}
	if (r < 0)
		kill(-git, SIGKILL);
	wait_for(git, status);
	if (watcher > 0) {
		kill(watcher, SIGKILL);
		wait_for(watcher, NULL);
	}
	return r;
}

static int judge(int status, const struct strbuf *said, struct err *e)
{
	const char *text = strbuf_str(said), *last = text;

	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	/* The first line says what failed, later ones what to do about it. */
	if (strstr(text, "fatal: "))
		last = strstr(text, "fatal: ") + strlen("fatal: ");
	err_set(e, EIO, "git: %.*s", (int)strcspn(last, "\n"), *last ? last : "failed");
	if (e)
		err_sanitize(e);
	return -EIO;
}

int git_run(const char *dir, const char *const *args, const struct clone_url *url, struct err *e)
{
	_strv_ struct strv argv = STRV_INIT, env = STRV_INIT;
	_strbuf_ struct strbuf said = STRBUF_INIT;
	_close_ int in = -1, out = -1;
	int fds[2], status = 0, r;
	pid_t pid;

	make_argv(dir, args, url, &argv);
	make_env(url, &env);
	if (strv_check(&argv, e) < 0 || strv_check(&env, e) < 0)
		return -ENOMEM;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	in = fds[0];
	out = fds[1];
	r = spawn(&argv, &env, out, &pid, e);
	if (r < 0)
		return r;
	fd_close(&out);
	r = attend(pid, in, &said, &status, e);
	return r < 0 ? r : judge(status, &said, e);
}
