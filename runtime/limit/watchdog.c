/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. A look every 20 ms (5 ms above half the limit) adds up
 *
 *	resident less shared pages of every process but init	/proc/PID/statm
 *	what the container's tmpfs mounts hold			fstatfs
 *	memfds, once per inode					watchdog_fds.c
 *	System V memory, semaphores and messages, page tables	/proc/sysvipc, /proc/PID/status,
 *								every 5th look
 *	shared memory, when all shared pages together		/proc/PID/status
 *	could matter: they may be files just as well
 *	what is swapped out, where there is swap		/proc/PID/status
 *	the kernel's own for each thread			a constant
 *
 * That sum is cheap and never too low by more than what was touched since the last look, but can
 * be too high: memory shared by fork counts in each process, and a mapped file of a tmpfs twice.
 * So only when it passes the limit the expensive figure decides: proportional shares from
 * smaps_rollup (about 6.5 ms a GiB). Shared memory in the processes' shares and the file systems'
 * figures may be the same or not. If that makes the difference, smaps says how much has no name,
 * which is in no file system; at most every 20th look, as a process may have 65,530 mappings.
 *
 * Processes are counted in the same look, by threads, where RLIMIT_NPROC cannot do it (limit.c).
 *
 * What gets past: memory touched within one look (1 GiB takes about 0.16 s, so some 30 MB at 5 ms),
 * shared memory that is in no page table and behind no descriptor, and most of what the kernel
 * itself needs for the container. docs/result.md has the table, with measured figures.
 */
#include "runtime/limit/watchdog.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "runtime/base/fd.h"

#define TICK_MS 20u
#define TICK_NEAR_MS 5u
#define SLOW_EVERY 5u
#define MAPS_EVERY 20u
#define FDS_STEP 16u      /* a part of the limit */
#define INODE_BYTES 1024u /* what tmpfs itself reckons, attributes included since Linux 6.6 */
#define THREAD_BYTES (24u << 10) /* stack and record of a thread in the kernel */

enum {
	LOOK_MEMORY = 1u << 0, /* else only count the processes */
	LOOK_SLOW = 1u << 1,   /* what is not read every time */
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
	uint64_t tables;      /* page tables */
	uint64_t kernel;      /* the kernel's own: page tables, threads */
	uint64_t tasks;       /* threads of all processes */
};

void watchdog_done(struct watchdog *w)
{
	fd_close(&w->view.proc_fd);
	for (unsigned i = 0; i < WATCHDOG_SYSV; i++)
		fd_close(&w->view.sysv_fds[i]);
	fd_close(&w->victim_fd);
	watchdog_fds_done(&w->fds);
	for (unsigned i = 0; i < w->view.n_tmpfs; i++)
		fd_close(&w->view.tmpfs_fds[i]);
	w->view.n_tmpfs = 0;
}

uint64_t watchdog_interval_ms(const struct watchdog *w)
{
	return w->is_near ? TICK_NEAR_MS : TICK_MS;
}

static uint64_t tmpfs_bytes(const struct watchdog_view *v)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < v->n_tmpfs; i++) {
		struct statfs st;

		if (fstatfs(v->tmpfs_fds[i], &st) == 0)
			sum += (uint64_t)(st.f_blocks - st.f_bfree) * (uint64_t)st.f_bsize +
			       (uint64_t)(st.f_files - st.f_ffree) * INODE_BYTES;
	}
	return sum;
}

static uint64_t sysv_bytes(const struct watchdog_view *v)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < WATCHDOG_SYSV; i++)
		sum += watchdog_read_sysv((enum watchdog_sysv)i, v->sysv_fds[i]);
	return sum;
}

static void read_smaps(struct figures *f, int proc_fd, const char *task)
{
	struct watchdog_smaps s = {.in_zero = false};
	char path[WATCHDOG_TASK_BYTES + 8], *line = NULL;
	size_t size = 0;
	FILE *file;
	int fd;

	snprintf(path, sizeof(path), "%s/smaps", task);
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
 * The kernel shows no maps of a program that may be executed and not read: there the figures that
 * it shows to everybody stand for the exact ones, and what is shared counts in each process.
 */
static void count_exactly(struct figures *f, int proc_fd, const char *task, uint64_t private_bytes)
{
	char text[4096];

	if (watchdog_read_small(proc_fd, task, "smaps_rollup", text, sizeof(text))) {
		f->pss_anon +=
			watchdog_parse_kib(text, "Pss_Anon") + watchdog_parse_kib(text, "SwapPss");
		f->pss_shmem += watchdog_parse_kib(text, "Pss_Shmem");
		return;
	}
	watchdog_read_small(proc_fd, task, "status", text, sizeof(text));
	f->pss_anon += private_bytes + watchdog_parse_kib(text, "VmSwap");
	f->pss_shmem += watchdog_parse_kib(text, "RssShmem");
}

static void count_process(struct figures *f, int proc_fd, const char *pid, unsigned what)
{
	char task[WATCHDOG_TASK_BYTES], text[4096];
	struct watchdog_statm m = watchdog_find_task(proc_fd, pid, task);

	f->private += m.private_bytes;
	f->shared += m.shared_bytes;
	if (m.shared_bytes > f->most_shared)
		f->most_shared = m.shared_bytes;
	if (what & (LOOK_STATUS | LOOK_SLOW)) {
		watchdog_read_small(proc_fd, task, "status", text, sizeof(text));
		f->tables += watchdog_parse_kib(text, "VmPTE");
	}
	if (what & LOOK_STATUS) {
		f->shmem += watchdog_parse_kib(text, "RssShmem");
		f->private += watchdog_parse_kib(text, "VmSwap");
	}
	if (what & LOOK_EXACT)
		count_exactly(f, proc_fd, task, m.private_bytes);
	if (what & LOOK_MAPS)
		read_smaps(f, proc_fd, task);
}

/* Values that are not read every time stay as they were. */
static void add_rest(struct watchdog *w, unsigned what, struct figures *f)
{
	if (what & LOOK_SLOW)
		w->sysv_bytes = sysv_bytes(&w->view);
	if (what & (LOOK_STATUS | LOOK_SLOW))
		w->table_bytes = f->tables;
	f->kernel = w->table_bytes + f->tasks * THREAD_BYTES;
	f->files = tmpfs_bytes(&w->view) + w->sysv_bytes + w->fds.memfd_bytes;
}

static void look(struct watchdog *w, unsigned what, struct figures *f)
{
	int fd = openat(w->view.proc_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
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
		f->tasks += watchdog_count_threads(dirfd(d), pid);
		if (what & LOOK_MEMORY)
			count_process(f, dirfd(d), pid, what);
	}
	closedir(d);
	if (what & LOOK_MEMORY)
		add_rest(w, what, f);
	if (f->most_shared > w->shared_bytes)
		w->shared_bytes = f->most_shared;
}

/* The sum passed the limit: computes it again without counting anything twice. */
static uint64_t exact_bytes(struct watchdog *w)
{
	struct figures f;
	uint64_t least;

	watchdog_fds_refresh(&w->fds, w->view.proc_fd);
	look(w, LOOK_MEMORY | LOOK_EXACT | LOOK_SLOW, &f);
	w->files_bytes = f.files;
	f.pss_anon += f.kernel;
	least = f.pss_anon + (f.pss_shmem > f.files ? f.pss_shmem : f.files);
	if (least > w->limit_bytes || f.pss_anon + f.pss_shmem + f.files <= w->limit_bytes ||
	    w->ticks < w->next_maps_tick)
		return least;
	w->next_maps_tick = w->ticks + MAPS_EVERY;
	look(w, LOOK_MEMORY | LOOK_EXACT | LOOK_SLOW | LOOK_MAPS, &f);
	return f.pss_anon + f.kernel + f.anon_shared + f.files;
}

static uint64_t cheap_bytes(struct watchdog *w, struct figures *f)
{
	bool had_status = w->wants_status || w->has_swap;

	/* Shared pages are files, which are the kernel's to drop, or memory. */
	w->wants_status = f->private + f->files + f->kernel + f->shared > w->limit_bytes / 2;
	if (w->wants_status && !had_status)
		look(w, LOOK_MEMORY | LOOK_STATUS, f);
	return f->private + f->files + f->kernel + f->shmem;
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

/* A slice of the pass over the descriptors, in the light of the machine's shared memory. */
static void look_at_fds(struct watchdog *w)
{
	struct sysinfo info = {0};
	uint64_t known = w->last_files_bytes, shared;

	(void)sysinfo(&info);
	w->has_swap = info.totalswap;
	shared = (uint64_t)info.sharedram * info.mem_unit;
	watchdog_fds_look(&w->fds, w->view.proc_fd, shared > known ? shared - known : 0,
			  w->limit_bytes / FDS_STEP);
}

enum watchdog_sight watchdog_look(struct watchdog *w)
{
	unsigned what = 0;
	struct figures f;

	if (w->limit_bytes) {
		look_at_fds(w);
		what = LOOK_MEMORY;
		what |= w->ticks % SLOW_EVERY ? 0 : LOOK_SLOW;
		what |= w->wants_status || w->has_swap ? LOOK_STATUS : 0;
	}
	w->ticks++;
	look(w, what, &f);
	w->last_files_bytes = f.files;
	if (f.tasks > w->max_pids)
		w->max_pids = f.tasks;
	if (w->limit_pids && f.tasks > w->limit_pids)
		return WATCHDOG_PIDS;
	return w->limit_bytes && is_over_memory(w, &f) ? WATCHDOG_MEMORY : WATCHDOG_IN_LIMITS;
}
