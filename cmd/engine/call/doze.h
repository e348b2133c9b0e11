/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_ENGINE_DOZE_H
#define CSBX_CMD_ENGINE_DOZE_H

/*
 * A stream for which nothing comes may be open for hours, and a thousand of them at once. Its
 * process then becomes csbx-doze, which holds a few pages and waits for the same descriptors, and
 * becomes csbx-engine again as soon as one of them has something to say. It is the same process all
 * the while: its children, its locks and the name of its socket stay. What the call knows goes along
 * as an argument, as bytes of the very program that reads them, which is why csbx-doze is given that
 * program by descriptor: another one may have been installed meanwhile.
 *
 * A call that dozes fills its part of struct doze with plain values, and names each descriptor that
 * it wants to find open again.
 */

#include <poll.h>
#include <stdbool.h>

#include "cmd/docker/daemon/logs.h"
#include "cmd/engine/call/call.h"
#include "cmd/engine/stream/stream.h"
#include "runtime/life/container_wait.h"
#include "runtime/stream/detach_keys.h"

#define CALL_WAKE "__wake" /* the first argument of csbx-engine then, STATE the second */

enum doze_kind { DOZE_ATTACH, DOZE_ATTACH_BEFORE, DOZE_EXEC, DOZE_LOGS, DOZE_WAIT };

struct doze_stream {
	struct stream stream;
	struct detach_keys keys;
	bool has_keys;
	pid_t session; /* of an exec */
};

/* Of a container that does not run yet. */
struct doze_before {
	struct doze_stream stream;
	struct gather gather;
	struct stream_watch watch;
	int lent[4];
	unsigned which;
};

struct doze_logs {
	struct docker_logs_place place;
	uint64_t since_ns, until_ns;
	unsigned streams;
	bool timestamps, details, is_raw;
};

struct doze_wait {
	int condition, phase; /* wait.c */
	int lock_fd, supervisor;
	struct gather gather;
	struct stream_watch watch;
	int status, exit_code;
	uint64_t started_ns;
	char name[NAME_BYTES_MAX + 1];
};

#define DOZE_ITEM_BYTES 128
#define DOZE_FDS_MAX 16

struct doze {
	enum doze_kind kind;
	char item[DOZE_ITEM_BYTES]; /* of the call */
	unsigned minor;
	int client;
	bool is_old, is_head, keeps_alive, must_close;
	int fds[DOZE_FDS_MAX]; /* that stay open, client among them */
	unsigned n_fds;
	int exe_fd;
	union {
		struct doze_stream stream;
		struct doze_before before;
		struct doze_logs logs;
		struct doze_wait wait;
	};
};

/* The part that each call has; more of the descriptors by call_doze_fd(). */
void call_doze_begin(const struct call *k, enum doze_kind kind, const char *item, struct doze *d);
void call_doze_fd(struct doze *d, int fd); /* -1: none */
void call_doze_stream(struct doze *d, struct doze_stream *ret, const struct stream *s);
/* Returns where the process cannot doze; then it waits as it is. */
void call_doze(const struct call *k, struct doze *d, const struct pollfd *p, nfds_t n);

/* The state that text has, its descriptors made ready. -EINVAL: not from this program. */
int call_doze_read(const char *text, struct doze *ret, struct err *e);
/* Its links are made anew. */
void call_wake_stream(struct doze_stream *d, struct idle_rest rest);

#endif
