/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cmd/engine/stream/stream.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/kernel/local_socket.h"
#include "runtime/record/engine_dir.h"
#include "runtime/settings/paths.h"

#define ANSWER_MS 3000

/* A message from a process that waits to the one that starts: the streams come with it. */
struct word {
	unsigned magic;
	unsigned which; /* bit i: descriptor i of struct gathered's is among those sent */
	unsigned stdin_once;
};
#define WORD_MAGIC 0x31474e45u

int gather_open(struct gather *g, const struct paths *p, const char *id, struct err *e)
{
	_close_ int lock = -1;
	struct sockaddr_un a;
	int r;

	*g = (struct gather)GATHER_INIT;
	g->dirfd = paths_open(p->runtime, ENGINE_DIR, e);
	if (g->dirfd < 0)
		return g->dirfd;
	snprintf(g->name, sizeof(g->name), "%.64s.%d", id, (int)getpid());
	r = lock = engine_dir_lock(g->dirfd, false, e);
	if (r >= 0)
		r = local_socket_address(NULL, g->dirfd, g->name, &a, e);
	if (r >= 0) {
		g->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		(void)unlinkat(g->dirfd, g->name, 0);
		if (g->fd < 0 || bind(g->fd, (struct sockaddr *)&a, sizeof(a)) < 0 ||
		    listen(g->fd, 4) < 0)
			r = err_sys(e, "wait for the start of the container");
	}
	if (r < 0)
		gather_close(g);
	return r;
}

void gather_close(struct gather *g)
{
	if (g->fd >= 0)
		(void)unlinkat(g->dirfd, g->name, 0);
	fd_close(&g->fd);
	fd_close(&g->dirfd);
}

int gather_answer(struct gather *g, const int *fds, size_t n)
{
	_close_ int sock = accept4(g->fd, NULL, NULL, SOCK_CLOEXEC);
	struct word w = {.magic = WORD_MAGIC};
	int sent[4];
	size_t k = 0;

	if (sock < 0)
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (fds[i] < 0)
			continue;
		w.which |= 1u << i;
		sent[k++] = fds[i];
	}
	w.stdin_once = w.which & 2u;
	return fd_send(sock, &w, sizeof(w), sent, k, NULL) >= 0;
}

/* --- who starts ----------------------------------------------------------------------------- */

void gathered_close(struct gathered *g)
{
	for (int i = 0; i < 4; i++)
		fd_close(&g->fds[i]);
}

/*
 * A client may have a connection for each stream, so each stream is of the first who lends it. The
 * link is the first's: another sees it end at once, and goes on until its streams end.
 */
static void take(struct gathered *g, const struct word *w, int fds[4])
{
	size_t k = 0;

	for (int i = 0; i < 4; i++) {
		if (!(w->which & (1u << i)))
			continue;
		if (g->fds[i] < 0) {
			g->fds[i] = take_fd(&fds[k]);
			g->stdin_once |= i == 1 && w->stdin_once;
		}
		k++;
	}
}

static void ask(int dirfd, const char *name, struct gathered *g)
{
	_close_ int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct pollfd p = {.fd = sock, .events = POLLIN};
	int fds[4] = {-1, -1, -1, -1};
	struct sockaddr_un a;
	struct word w;

	if (sock < 0 || local_socket_address(NULL, dirfd, name, &a, NULL) < 0)
		return;
	if (connect(sock, (struct sockaddr *)&a, sizeof(a)) < 0) {
		/* Its process was killed. */
		if (errno == ECONNREFUSED)
			(void)unlinkat(dirfd, name, 0);
		return;
	}
	if (poll(&p, 1, ANSWER_MS) > 0 &&
	    fd_recv(sock, &w, sizeof(w), fds, 4, NULL) == (ssize_t)sizeof(w) &&
	    w.magic == WORD_MAGIC)
		take(g, &w, fds);
	for (int i = 0; i < 4; i++)
		fd_close(&fds[i]);
}

void gather_call(const struct paths *p, const char *id, struct gathered *ret)
{
	_strv_ struct strv names = STRV_INIT;
	_close_ int dirfd = paths_open(p->runtime, ENGINE_DIR, NULL);
	_close_ int copy = dirfd < 0 ? -1 : fcntl(dirfd, F_DUPFD_CLOEXEC, 3);
	struct dirent *entry;
	DIR *dir;

	*ret = (struct gathered){.fds = {-1, -1, -1, -1}};
	dir = copy < 0 ? NULL : fdopendir(copy);
	if (!dir)
		return;
	copy = -1;
	while ((entry = readdir(dir))) {
		if (str_has_prefix(entry->d_name, id) && entry->d_name[strlen(id)] == '.')
			strv_add(&names, entry->d_name);
	}
	closedir(dir);
	for (size_t i = 0; i < names.n; i++)
		ask(dirfd, names.items[i], ret);
}
