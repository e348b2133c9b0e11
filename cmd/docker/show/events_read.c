/* SPDX-License-Identifier: Apache-2.0 */

/* Reading the journal: both generations, then what comes; inotify says when. */

#include <fcntl.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/docker/show/events.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/show/events_killed.h"
#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/json.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/kernel/file_lock.h"
#include "runtime/kernel/idle_poll.h"
#include "runtime/settings/paths.h"

#define PIECE_BYTES (64u << 10)
#define WAIT_MAX_MS 60000
#define WITHOUT_WATCH_MS 100

/* --- filters -------------------------------------------------------------------------------- */

static const char *value_of(const char *filter, const char *key)
{
	size_t n = strlen(key);

	return !strncmp(filter, key, n) && filter[n] == '=' ? filter + n + 1 : NULL;
}

static const char *const keys[] = {"type",   "event",  "container", "image", "volume", "network",
				   "label",  "daemon", "plugin",    "scope", "node",   "service",
				   "config", "secret", "builder",   NULL};

int docker_events_check(const struct strv *filters, struct docker_fault *f)
{
	for (size_t i = 0; i < filters->n; i++) {
		bool known = false;

		for (size_t k = 0; keys[k]; k++)
			known |= value_of(filters->items[i], keys[k]) != NULL;
		if (!known)
			return docker_refuse(f, "invalid filter '%.*s'",
					     (int)strcspn(filters->items[i], "="),
					     filters->items[i]);
	}
	return 0;
}

static const char *text_at(const struct json *obj, const char *key)
{
	const struct json *m = obj && json_is_object(obj) ? json_member(obj, key) : NULL;

	return m && json_text(m) ? json_text(m) : "";
}

struct shown {
	const char *type, *action, *id;
	const struct json *attributes;
};

static bool matches_label(const struct shown *s, const char *want)
{
	size_t len = strcspn(want, "=");
	_free_ char *key = strndup(want, len);
	const struct json *m = key && s->attributes && json_is_object(s->attributes)
				       ? json_member(s->attributes, key)
				       : NULL;

	return m && json_text(m) && (!want[len] || str_eq(json_text(m), want + len + 1));
}

/* "exec_start: ls" is asked for by "exec_start" as well. */
static bool matches_action(const struct shown *s, const char *want)
{
	size_t n = strlen(want);

	return !strncmp(s->action, want, n) && (!s->action[n] || s->action[n] == ':');
}

static bool matches_actor(const struct shown *s, const char *type, const char *want)
{
	return str_eq(s->type, type) && *want &&
	       (str_has_prefix(s->id, want) || str_eq(text_at(s->attributes, "name"), want));
}

/* Without its tag, too. */
static bool matches_image(const struct shown *s, const char *want)
{
	bool is_image = str_eq(s->type, "image");
	const char *name = is_image ? s->id : text_at(s->attributes, "image");
	const char *colon = strrchr(name, ':');

	if (is_image && str_eq(text_at(s->attributes, "name"), want))
		return true;
	return str_eq(name, want) ||
	       (colon && !strchr(colon, '/') && !strncmp(name, want, (size_t)(colon - name)) &&
		!want[colon - name]);
}

static bool matches_one(const struct shown *s, const char *key, const char *want)
{
	if (str_eq(key, "type"))
		return str_eq(s->type, want);
	if (str_eq(key, "event"))
		return matches_action(s, want);
	if (str_eq(key, "label"))
		return matches_label(s, want);
	if (str_eq(key, "image"))
		return matches_image(s, want);
	if (str_eq(key, "scope"))
		return str_eq(want, "local");
	return matches_actor(s, key, want);
}

/* Any value of one key is enough; all labels and all keys must match. */
static bool matches(const struct strv *filters, const struct shown *s)
{
	for (size_t k = 0; keys[k]; k++) {
		bool asked = false, found = false, all = true;

		for (size_t i = 0; i < filters->n; i++) {
			const char *want = value_of(filters->items[i], keys[k]);
			bool fits = want && matches_one(s, keys[k], want);

			asked |= want != NULL;
			found |= fits;
			all &= !want || fits;
		}
		if (asked && !(str_eq(keys[k], "label") ? all : found))
			return false;
	}
	return true;
}

/* --- reading -------------------------------------------------------------------------------- */

struct reader {
	const struct docker_events *how;
	int dirfd, fd; /* fd: of the file that grows, -1: there is none yet */
	struct strbuf rest;
	bool ended; /* an event behind until_ns came */
	struct events_killed killed;
};

static int take_line(struct reader *x, const char *line, size_t len)
{
	_json_ struct json *event = NULL;
	const struct json *actor, *time;
	struct shown s;
	uint64_t at_ns = 0;

	/* A line that was cut off by a full disk is none. */
	if (json_parse(line, len, DOCKER_EVENT_MAX_BYTES, &event, NULL) < 0 ||
	    !json_is_object(event))
		return 0;
	actor = json_member(event, "Actor");
	time = json_member(event, "timeNano");
	/* Beyond what a double holds: the text counts. */
	if (time && json_number(time))
		at_ns = strtoull(json_number(time), NULL, 10);
	s = (struct shown){text_at(event, "Type"), text_at(event, "Action"), text_at(actor, "ID"),
			   actor && json_is_object(actor) ? json_member(actor, "Attributes")
							  : NULL};
	if (str_eq(s.type, "container"))
		events_killed_note(&x->killed, s.action, s.id);
	if (x->how->until_ns && at_ns > x->how->until_ns)
		x->ended = true;
	if (at_ns < x->how->since_ns || x->ended || !matches(x->how->filters, &s))
		return 0;
	return x->how->tell(x->how->arg, line, len, event);
}

static int read_on(struct reader *x, int fd)
{
	_free_ char *piece = malloc(PIECE_BYTES);
	ssize_t n;
	int r = 0;

	while (piece && r >= 0 && (n = read(fd, piece, PIECE_BYTES)) > 0) {
		char *begin, *newline;

		strbuf_add(&x->rest, piece, (size_t)n);
		begin = x->rest.data;
		while (r >= 0 && begin &&
		       (newline = memchr(begin, '\n',
					 x->rest.len - (size_t)(begin - x->rest.data)))) {
			r = take_line(x, begin, (size_t)(newline - begin));
			begin = newline + 1;
		}
		if (begin && begin > x->rest.data) {
			size_t left = x->rest.len - (size_t)(begin - x->rest.data);

			memmove(x->rest.data, begin, left);
			x->rest.len = left;
		}
		if (x->rest.len > DOCKER_EVENT_MAX_BYTES)
			x->rest.len = 0;
	}
	return r;
}

static int open_journal(const struct reader *x, const char *name)
{
	return openat(x->dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

static bool has_moved(const struct reader *x)
{
	struct stat ours, named;

	return x->fd < 0 ||
	       (fstat(x->fd, &ours) == 0 &&
		fstatat(x->dirfd, DOCKER_EVENTS_FILE, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
		ours.st_ino != named.st_ino);
}

/* Reads the events that have come since, also in the file that took the place of ours. */
static int catch_up(struct reader *x)
{
	int r = x->fd >= 0 ? read_on(x, x->fd) : 0;

	if (r >= 0 && has_moved(x)) {
		/* A process that had it open may have written to it since. */
		r = x->fd >= 0 ? read_on(x, x->fd) : 0;
		fd_close(&x->fd);
		x->fd = open_journal(x, DOCKER_EVENTS_FILE);
		if (r >= 0 && x->fd >= 0)
			r = read_on(x, x->fd);
	}
	return r;
}

/* Several readers may find the same one: the first to have the lock writes for all. */
static int look_for_killed(struct reader *x)
{
	_close_ int fd = -1;
	int r = 0;

	if (!events_killed_any(&x->killed))
		return 0;
	fd = openat(x->dirfd, DOCKER_EVENTS_FILE, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0)
		r = file_lock_wait(fd, true);
	if (r >= 0)
		r = catch_up(x);
	if (r >= 0)
		events_killed_tell(&x->killed);
	return r;
}

/* 1: go on; 0: the client has gone, or the time is over. */
static int wait_for_more(struct reader *x, int watch)
{
	uint64_t now_ns = clock_realtime_ns(), until_ns = x->how->until_ns;
	char events[4096];
	struct pollfd p[] = {{.fd = watch, .events = POLLIN},
			     {.fd = x->how->client_fd},
			     {.fd = x->killed.epoll_fd, .events = POLLIN}};
	int timeout_ms = watch < 0 ? WITHOUT_WATCH_MS : WAIT_MAX_MS;

	if (until_ns && until_ns <= now_ns)
		return 0;
	if (until_ns && until_ns - now_ns < (unsigned)timeout_ms * UINT64_C(1000000))
		timeout_ms = (int)((until_ns - now_ns) / 1000000u) + 1;
	if (idle_poll(p, 3, timeout_ms, NULL, 0) < 0 && errno != EINTR)
		return 0;
	while (watch >= 0 && read(watch, events, sizeof(events)) > 0)
		;
	return !(p[1].revents & (POLLHUP | POLLERR));
}

/*
 * -1: there is none to be had, for Linux counts them for the user, and a program in a container may
 * have taken all; then a look at short intervals does.
 */
static int watch_dir(const struct paths *p)
{
	_close_ int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

	if (fd < 0 || inotify_add_watch(fd, p->runtime, IN_MODIFY | IN_CREATE | IN_MOVED_FROM) < 0)
		return -1;
	return take_fd(&fd);
}

static int begin(struct reader *x)
{
	bool wants_old = x->how->since_ns || x->how->until_ns;
	_close_ int old = wants_old ? open_journal(x, DOCKER_EVENTS_OLD) : -1;
	int r;

	x->fd = open_journal(x, DOCKER_EVENTS_FILE);
	if (!wants_old && x->fd >= 0)
		(void)lseek(x->fd, 0, SEEK_END);
	r = x->how->ready ? x->how->ready(x->how->arg) : 0;
	if (!wants_old)
		return r;
	if (r >= 0 && old >= 0)
		r = read_on(x, old);
	return r < 0 ? r : catch_up(x);
}

int docker_events_follow(const struct paths *p, const struct docker_events *how, struct err *e)
{
	struct reader x = {.how = how, .fd = -1, .rest = STRBUF_INIT, .killed = EVENTS_KILLED_INIT};
	_close_ int dirfd = path_open_private_dir(p->runtime, e);
	/* Before the first look: nothing comes between. */
	_close_ int watch = dirfd < 0 ? -1 : watch_dir(p);
	int r = dirfd < 0 ? dirfd : 0;

	x.dirfd = dirfd;
	if (r >= 0)
		events_killed_open(&x.killed, p);
	if (r >= 0)
		r = begin(&x);
	while (r >= 0 && !x.ended && wait_for_more(&x, watch)) {
		r = catch_up(&x);
		if (r >= 0)
			r = look_for_killed(&x);
	}
	events_killed_close(&x.killed);
	fd_close(&x.fd);
	strbuf_free(&x.rest);
	return r;
}
