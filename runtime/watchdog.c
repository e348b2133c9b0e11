/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. A look every 20 ms (5 ms above half the limit) adds up
 *
 *	resident less shared pages of every process but init	/proc/PID/statm
 *	what the container's tmpfs mounts hold			fstatfs
 *	SysV shared memory					/proc/sysvipc/shm
 *	memfds, once per inode					/proc/PID/fd, every 5th look
 *
 * That sum is cheap and never too low by more than what was touched since the last look, but can
 * be too high: memory shared by fork counts in each process. So only when it passes the limit the
 * exact, expensive figure decides: proportional shares from smaps_rollup (about 6.5 ms a GiB).
 * Shared pages are in both the processes' shares and the file systems' figures: the larger counts.
 *
 * Processes are counted in the same look, by threads, where RLIMIT_NPROC cannot do it (limit.c).
 *
 * What gets past: memory touched within one look (1 GiB takes about 0.16 s, so some 30 MB at 5 ms)
 * and memory held only by a descriptor in flight in a socket. docs/result.md has measured figures.
 */
#include "runtime/watchdog.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "runtime/base/fd.h"

#define TICK_MS 20u
#define TICK_NEAR_MS 5u
#define MEMFD_EVERY 5u
#define MEMFDS_MAX 256u

struct figures {
	uint64_t private_bytes;	/* resident less shared */
	uint64_t pss_anon, pss_shmem;
	uint64_t files;		/* tmpfs, SysV, memfd */
	uint64_t tasks;		/* threads of all processes */
};

void watchdog_done(struct watchdog *w)
{
	fd_close(&w->view.proc_fd);
	fd_close(&w->view.shm_fd);
	for (unsigned i = 0; i < w->view.n_tmpfs; i++)
		fd_close(&w->view.tmpfs_fds[i]);
	w->view.n_tmpfs = 0;
}

uint64_t watchdog_interval_ms(const struct watchdog *w)
{
	return w->is_near ? TICK_NEAR_MS : TICK_MS;
}

uint64_t watchdog_parse_statm(const char *text, uint64_t page_bytes)
{
	unsigned long long size, resident, shared;

	if (sscanf(text, "%llu %llu %llu", &size, &resident, &shared) != 3 || shared > resident)
		return 0;
	return (resident - shared) * page_bytes;
}

uint64_t watchdog_parse_rollup(const char *text, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = text; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (!strncmp(p, name, n) && p[n] == ':')
			return strtoull(p + n + 1, NULL, 10) * 1024;
	}
	return 0;
}

/* The second column from the right is rss; the header line has no number there. */
static uint64_t sysvipc_line(const char *line, unsigned long len)
{
	unsigned long end = len, column = 0;

	while (end) {
		unsigned long start;

		while (end && line[end - 1] == ' ')
			end--;
		start = end;
		while (start && line[start - 1] != ' ')
			start--;
		if (end > start && ++column == 2)
			return strtoull(line + start, NULL, 10);
		end = start;
	}
	return 0;
}

uint64_t watchdog_parse_sysvipc(const char *text, unsigned long len)
{
	uint64_t sum = 0;

	while (len) {
		const char *nl = memchr(text, '\n', len);
		unsigned long n = nl ? (unsigned long)(nl - text) : len;

		sum += sysvipc_line(text, n);
		text += n + (nl != NULL);
		len -= n + (nl != NULL);
	}
	return sum;
}

/* Reads a small file of a process; the empty string when the process is gone. */
static void read_small(int dirfd, const char *path, char *buf, size_t size)
{
	_close_ int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size - 1);

	buf[n > 0 ? n : 0] = 0;
}

static uint64_t tmpfs_bytes(const struct watchdog_view *v)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < v->n_tmpfs; i++) {
		struct statfs st;

		if (fstatfs(v->tmpfs_fds[i], &st) == 0)
			sum += (uint64_t)(st.f_blocks - st.f_bfree) * (uint64_t)st.f_bsize;
	}
	return sum;
}

static uint64_t sysv_bytes(const struct watchdog_view *v)
{
	char buf[65536];
	ssize_t n = v->shm_fd < 0 ? -1 : pread(v->shm_fd, buf, sizeof(buf) - 1, 0);

	if (n <= 0)
		return 0;
	buf[n] = 0;
	return watchdog_parse_sysvipc(buf, (unsigned long)n);
}

struct memfds {
	uint64_t seen[MEMFDS_MAX];
	unsigned n;
	uint64_t bytes;
};

static void count_memfd(struct memfds *m, int fd_dir, const char *name)
{
	char link[64];
	struct stat st;
	ssize_t n = readlinkat(fd_dir, name, link, sizeof(link) - 1);

	if (n < 7 || strncmp(link, "/memfd:", 7) || fstatat(fd_dir, name, &st, 0) < 0)
		return;
	for (unsigned i = 0; i < m->n; i++) {
		if (m->seen[i] == st.st_ino)
			return;
	}
	if (m->n < MEMFDS_MAX)
		m->seen[m->n++] = st.st_ino;
	m->bytes += (uint64_t)st.st_blocks * 512;
}

static void count_memfds(struct memfds *m, int proc_fd, const char *pid)
{
	char path[32];
	int fd;
	DIR *d;
	const struct dirent *ent;

	snprintf(path, sizeof(path), "%.16s/fd", pid);
	fd = openat(proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	d = fd < 0 ? NULL : fdopendir(fd);
	if (!d) {
		fd_close(&fd);
		return;
	}
	while ((ent = readdir(d))) {
		if (ent->d_name[0] != '.')
			count_memfd(m, dirfd(d), ent->d_name);
	}
	closedir(d);
}

/* A directory has a link for each of its directories, and here a directory is a thread. */
static uint64_t count_threads(int proc_fd, const char *pid)
{
	char path[48];
	struct stat st;

	snprintf(path, sizeof(path), "%.16s/task", pid);
	return fstatat(proc_fd, path, &st, AT_SYMLINK_NOFOLLOW) < 0 || st.st_nlink < 3
		       ? 1
		       : (uint64_t)st.st_nlink - 2;
}

/* Adds one process's memory; exact asks for the expensive figure too. */
static void count_process(struct figures *f, int proc_fd, const char *pid, bool exact)
{
	char path[48], text[4096];

	snprintf(path, sizeof(path), "%.16s/statm", pid);
	read_small(proc_fd, path, text, sizeof(text));
	f->private_bytes += watchdog_parse_statm(text, (uint64_t)sysconf(_SC_PAGESIZE));
	if (!exact)
		return;
	snprintf(path, sizeof(path), "%.16s/smaps_rollup", pid);
	read_small(proc_fd, path, text, sizeof(text));
	f->pss_anon += watchdog_parse_rollup(text, "Pss_Anon");
	f->pss_shmem += watchdog_parse_rollup(text, "Pss_Shmem");
}

static void look(struct watchdog *w, bool exact, bool with_memfds, struct figures *f)
{
	int fd = openat(w->view.proc_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct memfds memfds = {.n = 0};
	const struct dirent *ent;

	*f = (struct figures){0};
	if (!d) {
		fd_close(&fd);
		return;
	}
	while ((ent = readdir(d))) {
		const char *pid = ent->d_name;

		if (pid[0] < '1' || pid[0] > '9' || !strcmp(pid, "1"))
			continue;
		f->tasks += count_threads(dirfd(d), pid);
		if (w->limit_bytes)
			count_process(f, dirfd(d), pid, exact);
		if (with_memfds)
			count_memfds(&memfds, dirfd(d), pid);
	}
	closedir(d);
	if (!w->limit_bytes)
		return;
	if (with_memfds)
		w->memfd_bytes = memfds.bytes;
	f->files = tmpfs_bytes(&w->view) + sysv_bytes(&w->view) + w->memfd_bytes;
}

/* f: what the cheap look saw. True: the container holds more than its limit. */
static bool is_over_memory(struct watchdog *w, struct figures *f)
{
	uint64_t sum = f->private_bytes + f->files;

	w->is_near = sum > w->limit_bytes / 2;
	if (sum > w->limit_bytes) {
		look(w, true, true, f);
		sum = f->pss_anon + (f->pss_shmem > f->files ? f->pss_shmem : f->files);
	}
	if (sum > w->peak_bytes)
		w->peak_bytes = sum;
	return sum > w->limit_bytes;
}

enum watchdog_sight watchdog_look(struct watchdog *w)
{
	bool with_memfds = w->limit_bytes && w->ticks++ % MEMFD_EVERY == 0;
	struct figures f;

	look(w, false, with_memfds, &f);
	if (f.tasks > w->max_pids)
		w->max_pids = f.tasks;
	if (w->limit_pids && f.tasks > w->limit_pids)
		return WATCHDOG_PIDS;
	return w->limit_bytes && is_over_memory(w, &f) ? WATCHDOG_MEMORY : WATCHDOG_IN_LIMITS;
}
