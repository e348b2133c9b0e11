/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/enroot/verb/process_row.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"
#include "runtime/helpers/init/abi/init_abi.h"

#define COMMAND_BYTES_MAX 65536u

struct stat_fields {
	char state;
	long pgrp, session, tpgid, nice, threads;
	uint64_t utime, stime; /* clock ticks */
};

/*
 * "pid (comm) S ppid pgrp session tty tpgid flags minflt.. utime stime cutime cstime prio nice n"
 */
static int parse_stat(const char *text, char comm[64], struct stat_fields *f)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	size_t n;

	if (!open || !close || close < open)
		return -EINVAL;
	n = (size_t)(close - open - 1);
	if (n > 63)
		n = 63;
	for (size_t i = 0; i < n; i++)
		comm[i] = open[1 + i] <= ' ' || open[1 + i] == 127 ? '_' : open[1 + i];
	comm[n] = 0;
	if (sscanf(close + 1,
		   " %c %*d %ld %ld %*d %ld %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64
		   " %*d %*d %*d %ld %ld",
		   &f->state, &f->pgrp, &f->session, &f->tpgid, &f->utime, &f->stime, &f->nice,
		   &f->threads) != 8)
		return -EINVAL;
	return 0;
}

static void format_state(pid_t pid, const struct stat_fields *f, char ret[8])
{
	size_t n = 0;

	ret[n++] = f->state;
	if (f->nice < 0)
		ret[n++] = '<';
	if (f->nice > 0)
		ret[n++] = 'N';
	if (f->session == pid)
		ret[n++] = 's';
	if (f->threads > 1)
		ret[n++] = 'l';
	if (f->tpgid == f->pgrp)
		ret[n++] = '+';
	ret[n] = 0;
}

static void format_started(uint64_t started_ns, char ret[16])
{
	time_t then = (time_t)(started_ns / 1000000000u);
	time_t now = (time_t)(clock_realtime_ns() / 1000000000u);
	struct tm a = {0}, b = {0};
	size_t n;

	localtime_r(&then, &a);
	localtime_r(&now, &b);
	if (a.tm_year != b.tm_year)
		n = strftime(ret, 15, "%Y", &a);
	else if (a.tm_yday != b.tm_yday)
		n = strftime(ret, 15, "%b%d", &a); /* one word: columns are parsed by blanks */
	else
		n = strftime(ret, 15, "%H:%M:%S", &a);
	ret[n] = 0;
}

static void format_time(uint64_t ticks, char ret[40])
{
	uint64_t s = ticks / (uint64_t)sysconf(_SC_CLK_TCK), days = s / 86400;
	unsigned h = (unsigned)(s / 3600 % 24), m = (unsigned)(s / 60 % 60);

	if (days)
		snprintf(ret, 40, "%" PRIu64 "-%02u:%02u:%02u", days, h, m, (unsigned)(s % 60));
	else
		snprintf(ret, 40, "%02u:%02u:%02u", h, m, (unsigned)(s % 60));
}

static uint64_t namespace_of(int proc, const char *path)
{
	struct stat st;

	return fstatat(proc, path, &st, 0) < 0 ? 0 : st.st_ino;
}

/*
 * Words end in NUL there. A zombie has a name only. execve(2) gives the file and the name first and
 * the words last, when the program is mapped: a process without words does not run yet.
 */
static int read_command(int proc, const struct stat_fields *f, const char *comm, char **ret)
{
	_close_ int fd = openat(proc, "cmdline", O_RDONLY | O_CLOEXEC);
	_strbuf_ struct strbuf raw = STRBUF_INIT, shown = STRBUF_INIT;
	const int r = fd < 0 ? -ESRCH : io_read_all(fd, COMMAND_BYTES_MAX, &raw, NULL);

	if (r == 0 && !raw.len && !strchr("ZXx", f->state))
		return -ESRCH;
	if (r < 0 || !raw.len) { /* more than is shown, or a zombie */
		*ret = str_printf("[%s]", comm);
		return *ret ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < raw.len; i++)
		if (!raw.data[i])
			raw.data[i] = ' ';
	while (raw.len && raw.data[raw.len - 1] == ' ')
		raw.len--;
	strbuf_add_escaped(&shown, raw.data, raw.len);
	*ret = strbuf_take(&shown);
	return *ret ? 0 : -ENOMEM;
}

/* The program that started it, which is this one, or csbx-init, which runs from a memfd. */
static bool is_csbx(int proc)
{
	static const char init[] = "/memfd:" INIT_ALONE_NAME;
	char link[sizeof(init)];
	struct stat own, its;

	if (readlinkat(proc, "exe", link, sizeof(link)) >= (ssize_t)sizeof(init) - 1 &&
	    !memcmp(link, init, sizeof(init) - 1))
		return true;
	return fstatat(proc, "exe", &its, 0) == 0 && stat("/proc/self/exe", &own) == 0 &&
	       own.st_dev == its.st_dev && own.st_ino == its.st_ino;
}

/* execve(2) changes the file a moment before the name. */
static bool is_name_of_init(const char *comm)
{
	return str_eq(comm, INIT_ALONE_NAME) || str_has_prefix(comm, "memfd:");
}

int process_row_read(pid_t pid, uint64_t started_ns, struct process_row *ret)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	struct stat_fields f = {0};
	_close_ int proc = -1, fd = -1;
	char path[32];

	*ret = (struct process_row){0};
	snprintf(path, sizeof(path), "/proc/%d", pid);
	proc = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	fd = proc < 0 || is_csbx(proc) ? -1 : openat(proc, "stat", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || io_read_all(fd, 4096, &text, NULL) < 0 ||
	    parse_stat(strbuf_str(&text), ret->comm, &f) < 0 || is_name_of_init(ret->comm))
		return -ESRCH;
	format_state(pid, &f, ret->state);
	format_started(started_ns, ret->started);
	format_time(f.utime + f.stime, ret->time);
	ret->mntns = namespace_of(proc, "ns/mnt");
	ret->userns = namespace_of(proc, "ns/user");
	return read_command(proc, &f, ret->comm, &ret->command);
}
