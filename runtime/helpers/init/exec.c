/* SPDX-License-Identifier: Apache-2.0 */
/*
 * execve(2) with the search of execvp(3), done on the payload's own PATH. Unlike execvp it never
 * hands a file without "#!" to a shell: that is "exec format error", as with other runtimes.
 */
#include "runtime/helpers/init/init.h"
#include "runtime/helpers/init/abi/mem.h"
#include "runtime/helpers/init/abi/msg_check.h"

#define PATH_BYTES 4096u

static const char default_path[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/* Fills v with pointers to the n strings at s, and a NULL. */
static const char **string_pointers(const char **v, const char *s, uint32_t n)
{
	while (n--) {
		*v++ = s;
		s += strlen(s) + 1;
	}
	*v++ = NULL;
	return v;
}

static const char *search_path(const struct init_msg *m)
{
	const char *s = init_msg_at(m, m->env);

	for (uint32_t i = 0; i < m->envc; i++) {
		if (!memcmp(s, "PATH=", 5)) /* every string ends, so this stops at its NUL */
			return s + 5;
		s += strlen(s) + 1;
	}
	return default_path;
}

static bool has_slash(const char *s)
{
	for (; *s; s++) {
		if (*s == '/')
			return true;
	}
	return false;
}

/* The next candidate of PATH into buf; returns the rest of PATH, NULL after the last. */
static const char *next_candidate(const char *path, const char *file, char *buf)
{
	size_t dir = 0, name = strlen(file);

	while (path[dir] && path[dir] != ':')
		dir++;
	if (dir + 1 + name + 1 > PATH_BYTES) {
		buf[0] = 0;
	} else {
		memcpy(buf, path, dir);
		if (dir)
			buf[dir] = '/';
		memcpy(buf + (dir ? dir + 1 : 0), file, name + 1);
	}
	return path[dir] ? path + dir + 1 : NULL;
}

/* Errors after which execvp(3) goes on to the next directory. */
static bool goes_on(int r)
{
	return r == -ENOENT || r == -ENOTDIR || r == -EACCES || r == -ENAMETOOLONG ||
	       r == -ESTALE || r == -ENODEV || r == -ETIMEDOUT;
}

static int try_path(struct payload *p, const char *const *argv, const char *const *envp)
{
	const char *path = search_path(p->m);
	char buf[PATH_BYTES] NOT_ZEROED;
	int found = -ENOENT;

	while (path) {
		int r;

		path = next_candidate(path, argv[0], buf);
		if (!buf[0])
			continue;
		/* execve(2) makes half a process before it looks, and says ENOENT for a missing
		 * interpreter too. */
		r = sys_faccessat(SYS_AT_FDCWD, buf);
		if (r >= 0) {
			r = sys_execve(buf, (char *const *)argv, (char *const *)envp);
			if (r == -ENOENT)
				p->detail = INIT_DETAIL_INTERPRETER;
		}
		if (!goes_on(r))
			return r;
		if (r == -EACCES)
			found = r;
	}
	return found;
}

int exec_program(struct payload *p)
{
	const struct init_msg *m = p->m;
	size_t bytes = ((size_t)m->argc + m->envc + 2) * sizeof(char *);
	const char **argv, **envp;
	int err = 0, r;

	argv = sys_mmap(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, &err);
	if (!argv)
		return err;
	envp = string_pointers(argv, init_msg_at(m, m->argv), m->argc);
	(void)string_pointers(envp, init_msg_at(m, m->env), m->envc);
	if (!argv[0][0])
		return -ENOENT;
	if (!has_slash(argv[0]))
		return try_path(p, argv, envp);
	r = sys_execve(argv[0], (char *const *)argv, (char *const *)envp);
	if (r == -ENOENT && !sys_faccessat(SYS_AT_FDCWD, argv[0]))
		p->detail = INIT_DETAIL_INTERPRETER;
	return r;
}
