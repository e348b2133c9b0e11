/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/show/events_killed.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "cmd/docker/show/events.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/record/container_find.h"
#include "runtime/record/instance.h"
#include "runtime/spec/name.h"

#define KILLED "137"

/* An instance has the first digits of its container's id. */
static size_t find(const struct events_killed *k, const char *id)
{
	size_t i = 0;

	while (i < k->n && strncmp(k->items[i].id, id, NAME_ID_DIGITS))
		i++;
	return i;
}

static void drop(struct events_killed *k, size_t i)
{
	if (i >= k->n)
		return;
	free(k->items[i].id);
	fd_close(&k->items[i].fd);
	k->items[i] = k->items[--k->n];
}

static void add(struct events_killed *k, const char *id)
{
	struct epoll_event ev = {.events = EPOLLIN};
	struct supervised one = {strdup(id), instance_open_supervisor(k->paths, id)};
	size_t cap = k->cap ? k->cap * 2 : 16;
	struct supervised *items =
		k->n < k->cap ? k->items : reallocarray(k->items, cap, sizeof(*items));

	if (items && k->n >= k->cap)
		k->cap = cap;
	if (items)
		k->items = items;
	ev.data.fd = one.fd;
	if (!items || !one.id || one.fd < 0 ||
	    epoll_ctl(k->epoll_fd, EPOLL_CTL_ADD, one.fd, &ev) < 0) {
		free(one.id);
		fd_close(&one.fd);
		return;
	}
	k->items[k->n++] = one;
}

void events_killed_open(struct events_killed *k, const struct paths *p)
{
	struct instance_list live = {0};

	*k = (struct events_killed)EVENTS_KILLED_INIT;
	k->paths = p;
	k->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (k->epoll_fd < 0)
		return;
	if (instance_list(p, NULL, &live, NULL) >= 0) {
		for (size_t i = 0; i < live.n; i++)
			add(k, live.items[i].id);
	}
	instance_list_free(&live);
}

void events_killed_note(struct events_killed *k, const char *action, const char *id)
{
	bool starts = str_eq(action, "start");

	if (k->epoll_fd < 0 || (!starts && !str_eq(action, "die")))
		return;
	drop(k, find(k, id));
	if (starts)
		add(k, id);
}

bool events_killed_any(const struct events_killed *k)
{
	struct epoll_event ev;

	return k->epoll_fd >= 0 && epoll_wait(k->epoll_fd, &ev, 1, 0) > 0;
}

static void tell(const struct events_killed *k, const char *id)
{
	struct container_found found;

	if (container_find(k->paths, id, &found, NULL) < 0)
		return;
	docker_event_of(k->paths, found.name, &found.record, "die", "exitCode", KILLED);
	container_record_free(&found.record);
}

void events_killed_tell(struct events_killed *k)
{
	struct epoll_event ev;

	while (epoll_wait(k->epoll_fd, &ev, 1, 0) > 0) {
		size_t i = 0;

		while (i < k->n && k->items[i].fd != ev.data.fd)
			i++;
		if (i == k->n)
			return;
		tell(k, k->items[i].id);
		drop(k, i);
	}
}

void events_killed_close(struct events_killed *k)
{
	while (k->n)
		drop(k, k->n - 1);
	free(k->items);
	fd_close(&k->epoll_fd);
}
