/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. A look every 20 ms (5 ms above half the limit) adds up
 *
 *	resident less shared pages of every process but init	/proc/PID/statm
 *	what the container's tmpfs mounts hold			fstatfs
 *	SysV shared memory					/proc/sysvipc/shm
 *	memfds, once per inode					/proc/PID/fd, every 5th look
 *	shared memory, when all shared pages together		/proc/PID/status
 *	could matter: they may be files just as well
 *	what is swapped out, where there is swap		/proc/PID/status
 *
 * That sum is cheap and never too low by more than what was touched since the last look, but can
 * be too high: memory shared by fork counts in each process, and a mapped file of a tmpfs twice.
 * So only when it passes the limit the expensive figure decides: proportional shares from
 * smaps_rollup (about 6.5 ms a GiB). Shared memory in the processes' shares and the file systems'
 * figures may be the same or not. Where that makes the difference, smaps says how much has no name,
 * which is in no file system; at most every 20th look, as a process may have 65,530 mappings.
 *
 * Processes are counted in the same look, by threads, where RLIMIT_NPROC cannot do it (limit.c).
 *
 * What gets past: memory touched within one look (1 GiB takes about 0.16 s, so some 30 MB at 5 ms),
 * memory held only by a descriptor in flight in a socket, and what the kernel itself needs for the
 * container. docs/result.md has measured figures.
 */
#include "runtime/limit/watchdog.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "runtime/base/fd.h"

#define TICK_MS 20u
#define TICK_NEAR_MS 5u
#define MEMFD_EVERY 5u
#define MEMFDS_MAX 256u
#define MAPS_EVERY 20u

enum {
	LOOK_MEMORY = 1u << 0, /* else only count the processes */
	LOOK_MEMFDS = 1u << 1,
	LOOK_STATUS = 1u << 2,
	LOOK_EXACT = 1u << 3,
	LOOK_MAPS = 1u << 4,
};

/* Sums over all processes but init, in bytes. */
struct figures {
	uint64_t private;     /* resident less shared, and swapped out */
	uint64_t shared;      /* pages of files and of shared memory */
	uint64_t most_shared; /* the same of the one process that has most */
	uint64_t shmem;       /* the part of shared that is memory */
	uint64_t pss_anon, pss_shmem;
	uint64_t anon_shared; /* shared memory without a name */
	uint64_t files;       /* tmpfs, SysV, memfd: whether mapped or not */
	uint64_t tasks;       /* threads of all processes */
};

void watchdog_done(struct watchdog *w)
{
	fd_close(&w->view.proc_fd);
	fd_close(&w->view.shm_fd);
	fd_close(&w->victim_fd);
	for (unsigned i = 0; i < w->view.n_tmpfs; i++)
		fd_close(&w->view.tmpfs_fds[i]);
	w->view.n_tmpfs = 0;
}

uint64_t watchdog_interval_ms(const struct watchdog *w)
{
	return w->is_near ? TICK_NEAR_MS : TICK_MS;
}

/* Reads a small file of a process; the empty string when the process is gone, false: not for us. */
static bool read_small(int dirfd, const char *path, char *buf, size_t size)
{
	_close_ int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	bool is_refused = fd < 0 && (errno == EACCES || errno == EPERM);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size - 1);

	buf[n > 0 ? n : 0] = 0;
	return !is_refused;
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

static void read_smaps(struct figures *f, int proc_fd, const char *pid)
{
	struct watchdog_smaps s = {.in_zero = false};
	char path[48], *line = NULL;
	size_t size = 0;
	FILE *file;
	int fd;

	snprintf(path, sizeof(path), "%.16s/smaps", pid);
	fd = openat(proc_fd, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	file = fd < 0 ? NULL : fdopen(fd, "r");
	if (!file) {
		fd_close(&fd);
		return;
	}
	while (getline(&line, &size, file) > 0)
		watchdog_smaps_line(&s, line);
	free(line);
	fclose(file);
	f->anon_shared += s.anon_shared_bytes;
}

/*
 * Of a program that may be executed and not read, the kernel shows no maps: there the figures that
 * it shows to everybody stand for the exact ones, and what is shared counts in each process.
 */
static void count_exactly(struct figures *f, int proc_fd, const char *pid, uint64_t private_bytes)
{
	char path[48], text[4096];

	snprintf(path, sizeof(path), "%.16s/smaps_rollup", pid);
	if (read_small(proc_fd, path, text, sizeof(text))) {
		f->pss_anon +=
			watchdog_parse_kib(text, "Pss_Anon") + watchdog_parse_kib(text, "SwapPss");
		f->pss_shmem += watchdog_parse_kib(text, "Pss_Shmem");
		return;
	}
	snprintf(path, sizeof(path), "%.16s/status", pid);
	read_small(proc_fd, path, text, sizeof(text));
	f->pss_anon += private_bytes + watchdog_parse_kib(text, "VmSwap");
	f->pss_shmem += watchdog_parse_kib(text, "RssShmem");
}

static void count_process(struct figures *f, int proc_fd, const char *pid, unsigned what)
{
	struct watchdog_statm m;
	char path[48], text[4096];

	snprintf(path, sizeof(path), "%.16s/statm", pid);
	read_small(proc_fd, path, text, sizeof(text));
	watchdog_parse_statm(text, (uint64_t)sysconf(_SC_PAGESIZE), &m);
	f->private += m.private_bytes;
	f->shared += m.shared_bytes;
	if (m.shared_bytes > f->most_shared)
		f->most_shared = m.shared_bytes;
	if (what & LOOK_STATUS) {
		snprintf(path, sizeof(path), "%.16s/status", pid);
		read_small(proc_fd, path, text, sizeof(text));
		f->shmem += watchdog_parse_kib(text, "RssShmem");
		f->private += watchdog_parse_kib(text, "VmSwap");
	}
	if (what & LOOK_EXACT)
		count_exactly(f, proc_fd, pid, m.private_bytes);
	if (what & LOOK_MAPS)
		read_smaps(f, proc_fd, pid);
}

static void look(struct watchdog *w, unsigned what, struct figures *f)
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
		if (what & LOOK_MEMORY)
			count_process(f, dirfd(d), pid, what);
		if (what & LOOK_MEMFDS)
			count_memfds(&memfds, dirfd(d), pid);
	}
	closedir(d);
	if (what & LOOK_MEMFDS)
		w->memfd_bytes = memfds.bytes;
	if (what & LOOK_MEMORY)
		f->files = tmpfs_bytes(&w->view) + sysv_bytes(&w->view) + w->memfd_bytes;
	if (f->most_shared > w->shared_bytes)
		w->shared_bytes = f->most_shared;
}

/* The sum passed the limit: what is it without counting anything twice? */
static uint64_t exact_bytes(struct watchdog *w)
{
	struct figures f;
	uint64_t least;

	look(w, LOOK_MEMORY | LOOK_EXACT | LOOK_MEMFDS, &f);
	w->files_bytes = f.files;
	least = f.pss_anon + (f.pss_shmem > f.files ? f.pss_shmem : f.files);
	if (least > w->limit_bytes || f.pss_anon + f.pss_shmem + f.files <= w->limit_bytes ||
	    w->ticks < w->next_maps_tick)
		return least;
	w->next_maps_tick = w->ticks + MAPS_EVERY;
	look(w, LOOK_MEMORY | LOOK_EXACT | LOOK_MEMFDS | LOOK_MAPS, &f);
	return f.pss_anon + f.anon_shared + f.files;
}

static uint64_t cheap_bytes(struct watchdog *w, struct figures *f)
{
	bool had_status = w->wants_status || w->has_swap;

	/* Shared pages are files, which are the kernel's to drop, or memory. */
	w->wants_status = f->private + f->files + f->shared > w->limit_bytes / 2;
	if (w->wants_status && !had_status)
		look(w, LOOK_MEMORY | LOOK_STATUS, f);
	return f->private + f->files + f->shmem;
}

static bool is_over_memory(struct watchdog *w, struct figures *f)
{
	uint64_t sum = cheap_bytes(w, f);

	w->is_near = sum > w->limit_bytes / 2;
	if (sum > w->limit_bytes)
		sum = exact_bytes(w);
	w->sum_bytes = sum;
	if (sum > w->peak_bytes)
		w->peak_bytes = sum;
	return sum > w->limit_bytes;
}

bool watchdog_has_room(const struct watchdog *w, uint64_t more)
{
	struct watchdog counter = {.view = w->view};
	struct figures f;

	if (!w->limit_pids || w->view.proc_fd < 0)
		return true;
	look(&counter, 0, &f);
	return f.tasks + more <= w->limit_pids;
}

enum watchdog_sight watchdog_look(struct watchdog *w)
{
	unsigned what = 0;
	struct sysinfo info;
	struct figures f;

	if (w->limit_bytes) {
		if (!w->ticks)
			w->has_swap = sysinfo(&info) == 0 && info.totalswap;
		what = LOOK_MEMORY;
		what |= w->ticks % MEMFD_EVERY ? 0 : LOOK_MEMFDS;
		what |= w->wants_status || w->has_swap ? LOOK_STATUS : 0;
	}
	w->ticks++;
	look(w, what, &f);
	if (f.tasks > w->max_pids)
		w->max_pids = f.tasks;
	if (w->limit_pids && f.tasks > w->limit_pids)
		return WATCHDOG_PIDS;
	return w->limit_bytes && is_over_memory(w, &f) ? WATCHDOG_MEMORY : WATCHDOG_IN_LIMITS;
}
