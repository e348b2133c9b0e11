/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/usage/processes.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"

#define STAT_BYTES 4096u
#define STATUS_BYTES 65536u

int process_parse(const char *text, struct process *ret)
{
	/* A name may have blanks and parentheses in it; behind it there are none. */
	const char *name_end = strrchr(text, ')');
	unsigned long utime, stime;
	long cutime, cstime, threads;
	int pid, parent;

	if (!name_end || sscanf(text, "%d", &pid) != 1 ||
	    sscanf(name_end + 1,
		   " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld %*d %*d %ld",
		   &parent, &utime, &stime, &cutime, &cstime, &threads) != 6)
		return -EINVAL;
	*ret = (struct process){
		.pid = pid,
		.parent = parent,
		.ticks = utime + stime + (uint64_t)(cutime > 0 ? cutime : 0) +
			 (uint64_t)(cstime > 0 ? cstime : 0),
		.system_ticks = stime + (uint64_t)(cstime > 0 ? cstime : 0),
		.threads = threads > 0 ? (unsigned)threads : 0,
	};
	return 0;
}

static int add(struct process_list *l, const struct process *p)
{
	if (l->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 128;
		struct process *items = reallocarray(l->items, cap, sizeof(*items));

		if (!items)
			return -ENOMEM;
		l->items = items;
		l->cap = cap;
	}
	l->items[l->n++] = *p;
	return 0;
}

static int read_all(struct process_list *l, struct err *e)
{
	DIR *d = opendir("/proc");
	const struct dirent *ent;
	int r = 0;

	if (!d)
		return err_sys(e, "/proc");
	while (r >= 0 && (ent = readdir(d))) {
		_strbuf_ struct strbuf text = STRBUF_INIT;
		struct process p;
		char path[300];

		if (ent->d_name[0] < '0' || ent->d_name[0] > '9')
			continue;
		snprintf(path, sizeof(path), "/proc/%s/stat", ent->d_name);
		if (io_read_path(path, STAT_BYTES, &text, NULL) >= 0 &&
		    process_parse(strbuf_str(&text), &p) >= 0)
			r = add(l, &p);
	}
	closedir(d);
	return r < 0 ? err_code(e, r, "list processes") : 0;
}

static int by_pid(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static const struct process *find(const struct process_list *l, pid_t pid)
{
	const struct process key = {.pid = pid};

	return bsearch(&key, l->items, l->n, sizeof(key), by_pid);
}

static bool descends(const struct process_list *l, const struct process *p, pid_t init)
{
	/* As many steps as there are processes: two readings may contradict each other. */
	for (size_t i = 0; p && i < l->n; i++) {
		if (p->parent == init)
			return true;
		p = find(l, p->parent);
	}
	return false;
}

int process_list_read(struct process_list *ret, pid_t init, struct err *e)
{
	_process_list_ struct process_list all = {0};
	int r;

	*ret = (struct process_list){0};
	r = read_all(&all, e);
	if (r >= 0 && all.n)
		qsort(all.items, all.n, sizeof(all.items[0]), by_pid);
	for (size_t i = 0; r >= 0 && i < all.n; i++) {
		if (!init || descends(&all, &all.items[i], init))
			r = add(ret, &all.items[i]);
	}
	if (r < 0)
		process_list_free(ret);
	return r == -ENOMEM ? err_code(e, r, "list processes") : r;
}

void process_list_free(struct process_list *l)
{
	free(l->items);
	*l = (struct process_list){0};
}

uint64_t process_memory_bytes(pid_t pid)
{
	static const char *const names[] = {"\nRssAnon:", "\nRssShmem:"};
	_strbuf_ struct strbuf text = STRBUF_INIT;
	uint64_t kib = 0;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (io_read_path(path, STATUS_BYTES, &text, NULL) < 0)
		return 0;
	for (size_t i = 0; i < 2; i++) {
		const char *at = strstr(strbuf_str(&text), names[i]);

		kib += at ? strtoull(at + strlen(names[i]), NULL, 10) : 0;
	}
	return kib * 1024u;
}
