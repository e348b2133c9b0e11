/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_ENGINE_CALL_H
#define CSBX_CMD_ENGINE_CALL_H

/*
 * The room cmd/engine/call. The functions that answer the endpoints: a call turns queries and
 * bodies into arguments, and results into JSON.
 *
 * In: a request that was routed. Out: calls of cmd/docker/daemon, which has the rules, and of what
 * shows things (cmd/docker/show); an answer.
 *
 *	call.c	 answers that all of them give: JSON, faults, bodies
 *	filter.c the query's `filters`
 *	system.c _ping, version, info
 *	create.c from a body to the words of `docker create`
 *	containers.c what is there: list, inspect, start, stop, ...
 *	wait.c, attach.c, logs.c what goes on with the container
 *	usage.c, disk.c, update.c what they use and may use; which are pruned
 *	execs.c	 further processes in it
 *	archive.c files in and out
 *	images.c the table of images
 *	image_pipe.c pull, load, save, import, commit, by csbx-image
 *	helper.c csbx-image as a child
 *	volumes.c, networks.c what containers share; endpoint.h
 *	build.c	 images from Dockerfiles
 *
 * Must: answer once, whatever happens; keep nothing in memory that another request needs.
 * Mustn't: hold a second copy of a rule that the command line has.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/engine/http/http.h"

struct cmd;
struct docker_fault;
struct docker_target;
struct err;
struct json;
struct strv;
struct docker_value;

#define CALL_BODY_MAX (16u << 20) /* of a body that is JSON */

struct call {
	struct cmd *cmd;
	struct http_conn *conn;
	const char *item; /* container, image, ... of the path; NULL: none */
	unsigned minor;   /* of the version asked for */
};

/* --- call.c --------------------------------------------------------------------------------- */

/* Answers with a value as JSON, and frees it. */
void call_reply_value(struct call *k, int status, struct docker_value *v);
void call_reply_fault(struct call *k, const struct docker_fault *f);
/*
 * The answer to an error that has no status yet: ENOENT is 404, EINVAL and EBADMSG 400, EBUSY 409,
 * else 500.
 */
void call_reply_err(struct call *k, const struct err *e);

/* The body as a JSON object; an empty one is {}. -errno: it has answered. */
int call_read_json(struct call *k, struct json **ret);

/*
 * Members of that name in any case; obj may be NULL. One that is absent, or null, which is the
 * same, leaves the value alone; one of another type is -EBADMSG with docker's text, which names the
 * key.
 */
int call_get_str(const struct json *obj, const char *key, const char **ret, struct err *e);
/* ConsoleSize: [rows, columns]; zeros and null leave both. */
int call_get_size(const struct json *obj, uint32_t *rows, uint32_t *columns, struct err *e);
int call_get_bool(const struct json *obj, const char *key, bool *ret, struct err *e);
int call_get_int(const struct json *obj, const char *key, int64_t *ret, struct err *e);
int call_get_list(const struct json *obj, const char *key, const struct json **ret, struct err *e);
int call_get_object(const struct json *obj, const char *key, const struct json **ret,
		    struct err *e);
/* A list of strings; adds. */
int call_get_strv(const struct json *obj, const char *key, struct strv *ret, struct err *e);

/* An object of strings, as words "name=value"; adds. */
int call_get_pairs(const struct json *obj, const char *key, struct strv *ret, struct err *e);

/* The query's field as text, NULL: absent; caller frees. -errno: it has answered. */
int call_query(struct call *k, const char *name, char **ret);
/* The same as a number; absent: left alone. */
int call_query_int(struct call *k, const char *name, int64_t *ret);
bool call_query_true(struct call *k, const char *name);
/* h and w of a terminal, which both must be there. -errno: it has answered. */
int call_query_size(struct call *k, unsigned *ret_rows, unsigned *ret_columns);

/* --- attach.c ------------------------------------------------------------------------------- */

/* True where it was created with a terminal. */
bool call_target_has_tty(const struct docker_target *t);

/* --- filter.c ------------------------------------------------------------------------------- */

/*
 * The query's filters as words "key=value", as the command line has them. Both forms: lists of
 * values, and maps from values to true. -errno: it has answered.
 */
int call_filters(struct call *k, struct strv *ret);

/* --- the endpoints -------------------------------------------------------------------------- */

void call_ping(struct call *k);
void call_version(struct call *k);
void call_info(struct call *k);
void call_plugin_list(struct call *k);
void call_events(struct call *k);
void call_disk_usage(struct call *k);
void call_container_create(struct call *k);
void call_container_list(struct call *k);
void call_container_inspect(struct call *k);
void call_container_start(struct call *k);
void call_container_stop(struct call *k);
void call_container_restart(struct call *k);
void call_container_kill(struct call *k);
void call_container_pause(struct call *k);
void call_container_unpause(struct call *k);
void call_container_rename(struct call *k);
void call_container_remove(struct call *k);
void call_container_resize(struct call *k);
void call_container_wait(struct call *k);
void call_container_attach(struct call *k);
void call_container_logs(struct call *k);
void call_container_update(struct call *k);
void call_container_top(struct call *k);
void call_container_stats(struct call *k);
void call_container_changes(struct call *k);
void call_container_export(struct call *k);
void call_container_prune(struct call *k);
void call_exec_create(struct call *k);
void call_exec_start(struct call *k);
void call_exec_inspect(struct call *k);
void call_exec_resize(struct call *k);
void call_archive_head(struct call *k);
void call_archive_get(struct call *k);
void call_archive_put(struct call *k);
void call_image_inspect(struct call *k);
void call_image_list(struct call *k);
void call_image_history(struct call *k);
void call_image_tag(struct call *k);
void call_image_remove(struct call *k);
void call_image_prune(struct call *k);
void call_image_create(struct call *k);
void call_image_load(struct call *k);
void call_image_push(struct call *k);
void call_image_save(struct call *k);
void call_image_save_all(struct call *k);
void call_commit(struct call *k);
void call_auth(struct call *k);
void call_distribution(struct call *k);
void call_volume_list(struct call *k);
void call_volume_inspect(struct call *k);
void call_volume_create(struct call *k);
void call_volume_remove(struct call *k);
void call_volume_prune(struct call *k);
void call_network_list(struct call *k);
void call_network_inspect(struct call *k);
void call_network_create(struct call *k);
void call_network_connect(struct call *k);
void call_network_disconnect(struct call *k);
void call_network_remove(struct call *k);
void call_network_prune(struct call *k);
void call_build(struct call *k);
void call_build_prune(struct call *k);

#endif
