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
 * A look must not keep the supervisor from its clock and its requests: three thousand processes take
 * longer to count than the time between two looks. So a look ends after LOOK_NS, and the next one
 * goes on with the same pass. And smaps_rollup waits for a process that is held up in the middle of
 * its own fork, seconds where thousands want the CPU: a process of its own reads it
 * (watchdog_measure.h). Figures of a part only grow: a part that is past a limit is enough.
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

#include "runtime/base/clock.h"
#include "runtime/base/fd.h"

#define TICK_MS 20u
#define TICK_NEAR_MS 5u
#define SLOW_EVERY 5u
#define MAPS_EVERY 20u
#define LOOK_NS 4000000u
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

static void end_pass(struct watchdog_pass *p)
{
	watchdog_measure_end(&p->measure);
	if (p->procs)
		closedir(p->procs);
	p->procs = NULL;
	p->is_on = false;
}

void watchdog_done(struct watchdog *w)
{
	end_pass(&w->pass);
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

static void read_smaps(struct watchdog_figures *f, int proc_fd, const char *task)
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
static void count_exactly(struct watchdog_figures *f, int proc_fd, const char *task,
			  uint64_t private_bytes)
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

static void count_process(struct watchdog_figures *f, int proc_fd, const char *pid, unsigned what)
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
static void add_rest(struct watchdog *w, unsigned what, struct watchdog_figures *f)
{
	if (what & LOOK_SLOW)
		w->sysv_bytes = sysv_bytes(&w->view);
	if (what & (LOOK_STATUS | LOOK_SLOW))
		w->table_bytes = f->tables;
	f->kernel = w->table_bytes + f->tasks * THREAD_BYTES;
	f->files = tmpfs_bytes(&w->view) + w->sysv_bytes + w->fds.memfd_bytes;
}

static DIR *list_processes(int proc_fd)
{
	int fd = openat(proc_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d)
		fd_close(&fd);
	return d;
}

/* The next process but init. */
static const char *next_process(DIR *d)
{
	const struct dirent *ent;

	while ((ent = readdir(d))) {
		if (ent->d_name[0] >= '1' && ent->d_name[0] <= '9' && strcmp(ent->d_name, "1") != 0)
			return ent->d_name;
	}
	return NULL;
}

/* True: there is no further process. One at least is counted. */
static bool count(struct watchdog_pass *p, uint64_t until_ns)
{
	const char *pid;

	while (p->procs && (pid = next_process(p->procs))) {
		p->f.tasks += watchdog_count_threads(dirfd(p->procs), pid);
		if (p->what & LOOK_MEMORY)
			count_process(&p->f, dirfd(p->procs), pid, p->what);
		if (clock_monotonic_ns() >= until_ns)
			return false;
	}
	return true;
}

/* In a process of its own, where the clean /proc is descriptor 3. */
static bool count_apart(void *arg, unsigned step_ms, struct watchdog_figures *ret)
{
	struct watchdog_pass *p = arg;
	bool is_whole;

	if (!p->procs)
		p->procs = list_processes(3);
	is_whole = count(p, clock_monotonic_ns() + step_ms * UINT64_C(1000000));
	*ret = p->f;
	return is_whole;
}

static void begin_pass(struct watchdog *w, unsigned what)
{
	struct watchdog_pass *p = &w->pass;

	end_pass(p);
	*p = (struct watchdog_pass){.is_on = true, .what = what};
	/* Where there can be no process the reads are made here, and may wait. */
	if (!(what & LOOK_EXACT) ||
	    watchdog_measure_start(&p->measure, w->view.proc_fd, count_apart, p) < 0)
		p->procs = list_processes(w->view.proc_fd);
}

/* True: the pass has come to its end. */
static bool go_on(struct watchdog *w)
{
	struct watchdog_pass *p = &w->pass;
	bool is_whole;

	if (p->measure.pid) {
		int r = watchdog_measure_read(&p->measure, w->until_ns, &p->f);

		is_whole = r > 0;
		if (r < 0) {
			p->f = (struct watchdog_figures){0};
			p->procs = list_processes(w->view.proc_fd);
		}
	} else {
		is_whole = count(p, w->until_ns);
	}
	if (!is_whole)
		return false;
	end_pass(p);
	if (p->what & LOOK_MEMORY)
		add_rest(w, p->what, &p->f);
	if (p->f.most_shared > w->shared_bytes)
		w->shared_bytes = p->f.most_shared;
	return true;
}

/* --- passes -------------------------------------------------------------------------------- */

/* Nothing counts twice in it; of a part of the processes it is a part. */
static uint64_t exact_bytes(const struct watchdog_pass *p)
{
	const struct watchdog_figures *f = &p->f;

	if (p->what & LOOK_MAPS)
		return f->pss_anon + f->kernel + f->anon_shared + f->files;
	return f->pss_anon + f->kernel + (f->pss_shmem > f->files ? f->pss_shmem : f->files);
}

static void settle(struct watchdog *w, uint64_t sum)
{
	w->sum_bytes = sum;
	if (sum > w->peak_bytes)
		w->peak_bytes = sum;
}

/* The cheap sum is known. Returns the pass that must follow it, 0: none. */
static unsigned after_cheap(struct watchdog *w)
{
	const struct watchdog_figures *f = &w->pass.f;
	bool had_status = w->pass.what & LOOK_STATUS;
	uint64_t sum;

	/* Shared pages are files, which are the kernel's to drop, or memory. */
	w->wants_status = f->private + f->files + f->kernel + f->shared > w->limit_bytes / 2;
	if (w->wants_status && !had_status)
		return LOOK_MEMORY | LOOK_STATUS;
	sum = f->private + f->files + f->kernel + f->shmem;
	w->is_near = sum > w->limit_bytes / 2;
	if (sum <= w->limit_bytes) {
		settle(w, sum);
		return 0;
	}
	watchdog_fds_refresh(&w->fds, w->view.proc_fd, w->until_ns);
	return LOOK_MEMORY | LOOK_EXACT | LOOK_SLOW;
}

static unsigned after_exact(struct watchdog *w)
{
	const struct watchdog_figures *f = &w->pass.f;
	uint64_t least = exact_bytes(&w->pass);

	w->files_bytes = f->files;
	if (w->pass.what & LOOK_MAPS || least > w->limit_bytes ||
	    f->pss_anon + f->kernel + f->pss_shmem + f->files <= w->limit_bytes ||
	    w->ticks < w->next_maps_tick) {
		settle(w, least);
		return 0;
	}
	w->next_maps_tick = w->ticks + MAPS_EVERY;
	return LOOK_MEMORY | LOOK_EXACT | LOOK_SLOW | LOOK_MAPS;
}

/* A part of the processes may be past the limit by itself. */
static bool settle_part(struct watchdog *w)
{
	uint64_t sum = w->pass.what & LOOK_EXACT ? exact_bytes(&w->pass) : 0;

	if (!w->limit_bytes || sum <= w->limit_bytes)
		return false;
	settle(w, sum);
	end_pass(&w->pass);
	return true;
}

/* True: the sums are those of now. */
static bool go_through(struct watchdog *w)
{
	unsigned next;

	do {
		if (!go_on(w))
			return settle_part(w);
		if (!w->limit_bytes)
			return true;
		if (!(w->pass.what & LOOK_EXACT))
			w->last_files_bytes = w->pass.f.files;
		next = w->pass.what & LOOK_EXACT ? after_exact(w) : after_cheap(w);
		if (next)
			begin_pass(w, next);
	} while (next);
	return true;
}

bool watchdog_has_room(const struct watchdog *w, uint64_t more)
{
	struct watchdog counter = {.view = w->view, .until_ns = UINT64_MAX};

	if (!w->limit_pids || w->view.proc_fd < 0)
		return true;
	begin_pass(&counter, 0);
	(void)go_on(&counter);
	return counter.pass.f.tasks + more <= w->limit_pids;
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
			  w->limit_bytes / FDS_STEP, w->until_ns);
}

static unsigned cheap_look(const struct watchdog *w)
{
	if (!w->limit_bytes)
		return 0;
	return LOOK_MEMORY | (w->ticks % SLOW_EVERY ? 0 : LOOK_SLOW) |
	       (w->wants_status || w->has_swap ? LOOK_STATUS : 0);
}

enum watchdog_sight watchdog_look(struct watchdog *w)
{
	bool is_known;

	w->until_ns = clock_monotonic_ns() + LOOK_NS;
	if (w->limit_bytes)
		look_at_fds(w);
	if (!w->pass.is_on)
		begin_pass(w, cheap_look(w));
	w->ticks++;
	is_known = go_through(w);
	if (w->pass.f.tasks > w->max_pids)
		w->max_pids = w->pass.f.tasks;
	if (w->limit_pids && w->pass.f.tasks > w->limit_pids) {
		end_pass(&w->pass);
		return WATCHDOG_PIDS;
	}
	if (!is_known)
		return WATCHDOG_UNDECIDED;
	return w->limit_bytes && w->sum_bytes > w->limit_bytes ? WATCHDOG_MEMORY
							       : WATCHDOG_IN_LIMITS;
}
