/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/show/events.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/json/out.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/kernel/file_lock.h"
#include "runtime/record/container_record.h"
#include "runtime/settings/paths.h"

/* --- the file ------------------------------------------------------------------------------- */

/*
 * Many processes may see that it is long: one renames it, and the others find another file there.
 */
static void rotate(int dirfd, int fd)
{
	struct stat ours, named;

	if (file_lock_try(fd, true) < 0)
		return;
	if (fstat(fd, &ours) == 0 &&
	    fstatat(dirfd, DOCKER_EVENTS_FILE, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	    ours.st_ino == named.st_ino && ours.st_dev == named.st_dev)
		(void)renameat(dirfd, DOCKER_EVENTS_FILE, dirfd, DOCKER_EVENTS_OLD);
}

static void append(const struct paths *p, const struct strbuf *line)
{
	_close_ int dirfd = path_open_private_dir(p->runtime, NULL);
	_close_ int fd =
		dirfd < 0 ? -1
			  : openat(dirfd, DOCKER_EVENTS_FILE,
				   O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	struct stat st;

	if (fd < 0)
		return;
	(void)io_write_all(fd, strbuf_str(line), line->len, NULL);
	if (fstat(fd, &st) == 0 && st.st_size > (off_t)DOCKER_EVENTS_MAX_BYTES)
		rotate(dirfd, fd);
}

/* --- a line --------------------------------------------------------------------------------- */

struct event {
	const char *type, *action, *id;
	const struct strv *attributes, *labels; /* NULL: none */
	uint64_t time_ns;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/*
 * As Go prints a map: sorted by key, each key once. An attribute stands in for a label of its name.
 */
static void add_attributes(struct json_out *j, const struct event *ev, bool with_labels)
{
	_strv_ struct strv all = STRV_INIT;

	for (size_t i = 0; with_labels && ev->labels && i < ev->labels->n; i++)
		strv_set_env(&all, ev->labels->items[i]);
	for (size_t i = 0; ev->attributes && i < ev->attributes->n; i++)
		strv_set_env(&all, ev->attributes->items[i]);
	if (all.n)
		qsort(all.items, all.n, sizeof(*all.items), by_text);
	json_begin_object(j);
	for (size_t i = 0; i < all.n; i++) {
		size_t len = strcspn(all.items[i], "=");
		_free_ char *key = strndup(all.items[i], len);

		json_key(j, key ? key : "");
		json_str(j, all.items[i] + len + (all.items[i][len] == '='));
	}
	json_end_object(j);
}

static const char *attribute(const struct event *ev, const char *key)
{
	const char *value = ev->attributes ? strv_get_env(ev->attributes, key) : NULL;

	return value ? value : "";
}

static int write_line(struct json_out *j, const struct event *ev, bool with_labels)
{
	bool is_container = str_eq(ev->type, "container");

	json_begin_object(j);
	/* Members of the first versions, which clients still read. */
	if (is_container || str_eq(ev->type, "image")) {
		json_kstr(j, "status", ev->action);
		if (*ev->id)
			json_kstr(j, "id", ev->id);
		if (is_container && *attribute(ev, "image"))
			json_kstr(j, "from", attribute(ev, "image"));
	}
	json_kstr(j, "Type", ev->type);
	json_kstr(j, "Action", ev->action);
	json_key(j, "Actor");
	json_begin_object(j);
	json_kstr(j, "ID", ev->id);
	json_key(j, "Attributes");
	add_attributes(j, ev, with_labels);
	json_end_object(j);
	json_kstr(j, "scope", "local");
	json_ku64(j, "time", ev->time_ns / 1000000000u);
	json_ku64(j, "timeNano", ev->time_ns);
	json_end_object(j);
	strbuf_addch(&j->buf, '\n');
	return json_finish(j, NULL);
}

static void write_event(const struct paths *p, const struct event *ev)
{
	struct json_out j = JSON_OUT_INIT;
	int r = write_line(&j, ev, true);

	if (r >= 0 && j.buf.len > DOCKER_EVENT_MAX_BYTES) {
		json_out_free(&j);
		j = (struct json_out)JSON_OUT_INIT;
		r = write_line(&j, ev, false);
	}
	if (r >= 0 && j.buf.len <= DOCKER_EVENT_MAX_BYTES)
		append(p, &j.buf);
	json_out_free(&j);
}

void docker_event(const struct paths *p, const char *type, const char *action, const char *id,
		  const struct strv *attributes)
{
	write_event(p, &(struct event){type, action, id, attributes, NULL, clock_realtime_ns()});
}

void docker_event_prune(const struct paths *p, const char *type, uint64_t bytes)
{
	_strv_ struct strv attributes = STRV_INIT;

	strv_take(&attributes, str_printf("reclaimed=%" PRIu64, bytes));
	if (!attributes.failed)
		docker_event(p, type, "prune", "", &attributes);
}

void docker_event_more(const struct paths *p, const char *name, const struct container_record *r,
		       const char *action, const struct strv *more)
{
	_strv_ struct strv attributes = STRV_INIT;
	const struct event ev = {.type = "container",
				 .action = action,
				 .id = r->container_id ? r->container_id : "",
				 .attributes = &attributes,
				 .labels = &r->labels,
				 .time_ns = clock_realtime_ns()};

	if (r->dialect != DIALECT_DOCKER || !r->container_id)
		return;
	strv_take(&attributes, str_printf("image=%s", r->image_ref ? r->image_ref : r->image));
	strv_take(&attributes, str_printf("name=%s", name));
	for (size_t i = 0; i < more->n; i++)
		strv_add(&attributes, more->items[i]);
	if (!attributes.failed && !more->failed)
		write_event(p, &ev);
}

void docker_event_of(const struct paths *p, const char *name, const struct container_record *r,
		     const char *action, const char *key, const char *value)
{
	_strv_ struct strv more = STRV_INIT;

	if (key)
		strv_take(&more, str_printf("%s=%s", key, value ? value : ""));
	docker_event_more(p, name, r, action, &more);
}
