/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_CONTAINER_SETUP_H
#define CSBX_RUNTIME_CONTAINER_SETUP_H

/*
 * One start in the making: all that container_run() needs before it launches, and all that has to
 * be undone afterwards. Everything hangs in struct container, so each step may simply return.
 */

#include <stdbool.h>

#include "runtime/limit/container_limits.h"
#include "runtime/limit/thrash.h"
#include "runtime/spec/etc_files.h"
#include "runtime/kernel/net_traces.h"
#include "runtime/record/instance.h"
#include "runtime/child/launch.h"
#include "runtime/layer/layer.h"
#include "runtime/spec/plan.h"
#include "runtime/spec/spec.h"
#include "runtime/server/client.h"
#include "runtime/stream/streams.h"
#include "runtime/userns/userns.h"

struct container_hooks;
struct err;
struct paths;
struct run_result;

struct container {
	const struct container_spec *spec;
	const struct paths *paths;
	const struct container_hooks *hooks; /* or NULL */
	struct id_map map;
	struct squashd_attach *attach; /* asked the image server, not answered yet */
	struct squashd_link link;
	struct instance instance;
	struct layer layer;
	bool has_layer, is_scratch;
	struct layer read_layer; /* kept, and seen without being written to; dir is -1: none */
	bool is_lane;            /* lane.h */
	bool is_spare;           /* made ahead, spare.h; nothing of it is published */
	struct {
		bool is_wanted; /* one may be taken, or made of this start */
		bool is_taken;  /* pid 1 is one, and its maker's child */
		int take_fd;    /* of its main process, -1 */
		int maker_fd;   /* open as long as the container lives, -1 */
		struct strbuf key;
	} spare;
	bool is_removed; /* the layer is deleted next */
	struct file_spec *seeds;
	size_t n_seeds;
	struct etc_file etc[ETC_FILES];
	struct plan plan;
	struct streams streams;
	struct container_limits limits;
	uint64_t published_ns; /* when others could find it, CLOCK_REALTIME; 0: not yet */
	int msg_fd, status[2], control[2], self_pidfd, signal_fd;
	struct launched pid1;
	int host_copy_fd;             /* launch.h, until the payload runs; -1: none */
	struct net_traces net_traces; /* where the network namespace may go to the next one */
};

/* container_after.c: its mounts show nothing of the host, so that they may be there longer. */
bool container_mounts_are_private(const struct container *c);
/* Its network namespace may be another's after it, if the kernel shows no use (net_traces.h). */
bool container_net_may_return(const struct container *c);

/* Only sets the members; container_done() is safe from here on. */
void container_init(struct container *c, const struct container_spec *spec,
		    const struct paths *paths);

/*
 * In order: id map, question to the image server, instance, upper layer (on_disk: a throw-away one
 * in the scratch directory), seeds, plan with its sources, channels, streams, the server's answer,
 * limits.
 */
int container_prepare(struct container *c, bool on_disk, struct err *e);

/* The first half of it, up to the plan: of a start that has neither streams nor limits. */
int container_prepare_root(struct container *c, bool on_disk, struct err *e);
/* And the second. */
int container_prepare_rest(struct container *c, struct err *e);

/*
 * container_seeds.c, a part of it: the files of csbx's own that this start puts into the root. None
 * of them ever comes into a kept layer; a file there under such a name is the container's own.
 */
int container_collect_seeds(struct container *c, struct err *e);

/* A part of it: the pipes, or what else the spec and the hooks want for streams. */
int container_prepare_streams(struct container *c, struct err *e);

/*
 * container_launch.c: pid 1 and, while it builds the root, the message for init; container.c: the
 * record that others find it by, and what the result says of how it is protected.
 */
int container_launch(struct container *c, struct err *e);
int container_publish(struct container *c, bool paused, struct err *e);
void container_note_degraded(const struct container *c, struct run_result *ret);

/* The message for init. */
int container_make_message(struct container *c, struct err *e);

/* The payload is gone: a throw-away layer is discarded, a kept one synced and marked clean. */
int container_release_upper(struct container *c, struct err *e);
void container_done(struct container *c);

/* How its control group is looked at (runtime/limit/thrash.h). */
struct thrash container_thrash(const struct container *c);

/* Size of the base tmpfs. */
uint64_t container_base_bytes(const struct container_spec *s);

/* True when an earlier start found that tmpfs cannot be an upper layer here; the second notes
 * that. */
bool container_wants_disk_upper(const struct container *c);
void container_remember_disk_upper(const struct container *c);

#endif
