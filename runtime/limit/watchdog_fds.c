/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. A memfd that is not mapped shows only in a table of descriptors. Every process has one, a
 * thread may have one of its own (CLONE_FILES not shared), and nothing cheap tells which threads
 * do. Tables may have a million entries, and memory must be looked at meanwhile. So a pass over the
 * tables goes a slice at a time, and only a deep pass reads those of all threads: when the shared
 * memory of the whole machine (sysinfo(2)) has grown by more than what the container is known to
 * hold, every half minute, and as long as there is a file that only a thread has.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/fd.h"
#include "runtime/limit/watchdog_fds.h"

#define PASS_EVERY 5u       /* looks */
#define DEEP_EVERY 1500u    /* looks */
#define SLICE_ENTRIES 1024u /* about a millisecond */
#define WHOLE_ENTRIES (16u * SLICE_ENTRIES)
#define CLOCK_ENTRIES 32u /* between two looks at the clock */
#define SEEN_FIRST 256u

static void end_dir(DIR **d)
{
	if (*d)
		closedir(*d);
	*d = NULL;
}

static DIR *open_dir(int dirfd, const char *path)
{
	int fd = openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d)
		fd_close(&fd);
	return d;
}

void watchdog_fds_done(struct watchdog_fds *s)
{
	end_dir(&s->procs);
	end_dir(&s->tasks);
	end_dir(&s->table);
	free(s->seen);
	*s = (struct watchdog_fds){0};
}

/* An open hash of inode numbers, at most three quarters full; 0 is no inode. */
static bool insert(uint64_t *seen, size_t size, uint64_t ino)
{
	size_t i = (size_t)(ino * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (size - 1);

	while (seen[i] && seen[i] != ino)
		i = (i + 1) & (size - 1);
	if (seen[i])
		return false;
	seen[i] = ino;
	return true;
}

static bool grow(struct watchdog_fds *s)
{
	size_t size = s->size ? s->size * 2 : SEEN_FIRST;
	uint64_t *seen = calloc(size, sizeof(*seen));

	if (!seen)
		return false;
	for (size_t i = 0; i < s->size; i++) {
		if (s->seen[i])
			insert(seen, size, s->seen[i]);
	}
	free(s->seen);
	s->seen = seen;
	s->size = size;
	return true;
}

/* Without memory for the set a file counts each time it is seen. */
static bool is_new(struct watchdog_fds *s, uint64_t ino)
{
	if (s->n_seen >= s->size / 4 * 3 && !grow(s))
		return true;
	if (!insert(s->seen, s->size, ino))
		return false;
	s->n_seen++;
	return true;
}

static void count_memfd(struct watchdog_fds *s, int fd_dir, const char *name)
{
	char link[64];
	struct stat st;
	ssize_t n = readlinkat(fd_dir, name, link, sizeof(link) - 1);

	if (n < 7 || strncmp(link, "/memfd:", 7) || fstatat(fd_dir, name, &st, 0) < 0)
		return;
	if (!is_new(s, st.st_ino))
		return;
	s->bytes += (uint64_t)st.st_blocks * 512;
	if (s->is_threads)
		s->hidden_bytes += (uint64_t)st.st_blocks * 512;
}

static void begin_pass(struct watchdog_fds *s, int proc_fd, bool is_deep)
{
	end_dir(&s->table);
	end_dir(&s->tasks);
	end_dir(&s->procs);
	s->procs = open_dir(proc_fd, ".");
	s->is_deep = is_deep;
	s->bytes = s->hidden_bytes = 0;
	s->n_seen = 0;
	if (s->seen)
		memset(s->seen, 0, s->size * sizeof(*s->seen));
}

static const char *next_number(DIR *d)
{
	const struct dirent *ent;

	while ((ent = readdir(d))) {
		if (ent->d_name[0] >= '1' && ent->d_name[0] <= '9')
			return ent->d_name;
	}
	return NULL;
}

/* A zombie whose threads live has no table; theirs are read in its stead. */
static void next_process(struct watchdog_fds *s, const char *pid)
{
	char path[40];

	snprintf(s->pid, sizeof(s->pid), "%.15s", pid);
	snprintf(path, sizeof(path), "%s/fd", s->pid);
	s->table = open_dir(dirfd(s->procs), path);
	s->is_threads = false;
	if (!s->is_deep)
		return;
	snprintf(path, sizeof(path), "%s/task", s->pid);
	s->tasks = open_dir(dirfd(s->procs), path);
}

/* False: there is no further table. */
static bool next_table(struct watchdog_fds *s)
{
	const char *name;

	if (s->tasks) {
		name = next_number(s->tasks);
		if (!name) {
			end_dir(&s->tasks);
		} else if (strcmp(name, s->pid) != 0) {
			char path[40];

			snprintf(path, sizeof(path), "%.15s/fd", name);
			s->table = open_dir(dirfd(s->tasks), path);
			s->is_threads = true;
		}
		return true;
	}
	name = next_number(s->procs);
	if (name && strcmp(name, "1") != 0)
		next_process(s, name);
	return name != NULL;
}

static void end_pass(struct watchdog_fds *s)
{
	end_dir(&s->procs);
	s->memfd_bytes = s->bytes;
	if (!s->is_deep)
		return;
	/* A pass that is not deep would miss it. */
	s->stays_deep = s->hidden_bytes > 0;
	s->has_base = false;
}

static void go_on(struct watchdog_fds *s, unsigned budget, uint64_t until_ns)
{
	for (; budget && s->procs; budget--) {
		const struct dirent *ent = s->table ? readdir(s->table) : NULL;

		if (budget % CLOCK_ENTRIES == 1 && clock_monotonic_ns() >= until_ns)
			break;

		if (ent) {
			if (ent->d_name[0] != '.')
				count_memfd(s, dirfd(s->table), ent->d_name);
			continue;
		}
		end_dir(&s->table);
		if (!next_table(s))
			end_pass(s);
	}
}

/* The machine has more shared memory that we know nothing of than at the last deep pass. */
static bool has_grown(struct watchdog_fds *s, uint64_t unknown_bytes, uint64_t step_bytes)
{
	if (!s->has_base || unknown_bytes < s->base_bytes) {
		s->base_bytes = unknown_bytes;
		s->has_base = true;
	}
	return unknown_bytes - s->base_bytes > step_bytes;
}

void watchdog_fds_look(struct watchdog_fds *s, int proc_fd, uint64_t unknown_bytes,
		       uint64_t step_bytes, uint64_t until_ns)
{
	bool has_more = has_grown(s, unknown_bytes, step_bytes);

	if (!s->procs && s->looks % PASS_EVERY == 0) {
		bool is_deep = s->stays_deep || has_more || s->looks - s->deep_look >= DEEP_EVERY;

		begin_pass(s, proc_fd, is_deep);
		if (is_deep)
			s->deep_look = s->looks;
	}
	s->looks++;
	go_on(s, SLICE_ENTRIES, until_ns);
}

void watchdog_fds_refresh(struct watchdog_fds *s, int proc_fd, uint64_t until_ns)
{
	begin_pass(s, proc_fd, s->stays_deep);
	go_on(s, WHOLE_ENTRIES, until_ns);
}
