/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_EVENTS_H
#define CSBX_CMD_DOCKER_EVENTS_H

/*
 * The journal of what docker's verbs and the Engine API do: $CSBX_RUNTIME_PATH/events, a line of
 * JSON an event, in the shape that `docker events` and GET /events show (Engine API 1.47, "Monitor
 * events"). A line is one write with O_APPEND, so many processes may write at once. Past
 * DOCKER_EVENTS_MAX_BYTES the file becomes events.1 and a new one begins. csbx's own verbs write
 * none.
 *
 *	events.c	writing; events_read.c: reading, filters, following; events_killed.c: ends
 *			that no supervisor could write
 *
 * Writing never fails its caller: an event that cannot be written is lost.
 */

#include <stddef.h>
#include <stdint.h>

struct container_record;
struct docker_fault;
struct err;
struct json;
struct paths;
struct strv;

#define DOCKER_EVENTS_FILE "events"
#define DOCKER_EVENTS_OLD "events.1"
#define DOCKER_EVENTS_MAX_BYTES (8u << 20)
#define DOCKER_EVENT_MAX_BYTES (16u << 10) /* of one; longer ones go without labels */

/* --- events.c ------------------------------------------------------------------------------- */

/* type: "container", "image", "volume", "network"; attributes: "key=value" each, NULL: none. */
void docker_event(const struct paths *p, const char *type, const char *action, const char *id,
		  const struct strv *attributes);

/* All objects of that type that are not in use were removed. */
void docker_event_prune(const struct paths *p, const char *type, uint64_t bytes);

/*
 * An event of a container: its image, name and labels are added. One that docker did not make has
 * none of its own, and what csbx's verbs started writes nothing. key, value: one more attribute,
 * NULL: none.
 */
void docker_event_of(const struct paths *p, const char *name, const struct container_record *r,
		     const char *action, const char *key, const char *value);
/* The same with any number of them. */
void docker_event_more(const struct paths *p, const char *name, const struct container_record *r,
		       const char *action, const struct strv *more);

/* --- events_read.c -------------------------------------------------------------------------- */

struct docker_events {
	const struct strv *filters;  /* "key=value" */
	uint64_t since_ns, until_ns; /* 0: from now on; for ever */
	/* A line without its newline, and what it says. -errno ends it and is returned. */
	int (*tell)(void *arg, const char *line, size_t len, const struct json *event);
	/* From here on no event is missed: called once, before the first. NULL: nothing. */
	int (*ready)(void *arg);
	/* Is waited for as well: an end of the reader's; -1: nothing. */
	int client_fd;
	void *arg;
};

/* 400: a filter that is none. */
int docker_events_check(const struct strv *filters, struct docker_fault *f);
/* Until until_ns; without it until tell() ends it, or client_fd hangs up (0). */
int docker_events_follow(const struct paths *p, const struct docker_events *how, struct err *e);

#endif
