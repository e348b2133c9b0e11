/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_INSTANCE_H
#define CSBX_RUNTIME_INSTANCE_H

/*
 * $CSBX_RUNTIME_PATH/instances/ID: one file a running start. It is alive as long as its
 * supervisor holds the file's write lock (F_OFD_SETLK, fcntl(2)); death of the supervisor
 * releases it, so a file without a lock is debris and the pids in it mean nothing. A reboot
 * releases the lock as well, so no boot id is kept.
 *
 *	instance_begin()    open(O_EXCL) + lock: the id is ours; comes before anything is made
 *	instance_publish()  one write: others can find it
 *	instance_end()	    unlink + close
 *
 * A supervisor that is killed leaves its file. Lists remove what is dead when they come across it,
 * and so does one start in sixteen, told by its id, while its container is being built; gc removes
 * the rest.
 *
 * A lock goes with the open file description: a forked child of the supervisor holds it as well
 * until it execs or closes the descriptor (O_CLOEXEC is set).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/base/str.h"

struct err;
struct paths;

#define INSTANCE_MAGIC 0x314e4943u /* "CIN1" */
#define INSTANCE_VERSION 3u
#define INSTANCE_BYTES_MAX (4u << 20)
#define INSTANCE_SOCKET_SUFFIX ".sock" /* ID.sock: where an exec asks (exec_proto.h) */

struct instance_record {
	const char *id;
	const char *name;    /* container, NULL for a start of an image */
	const char *image;   /* path */
	const char *layer;   /* kept layer's directory, NULL = none */
	const char *scratch; /* throw-away upper on disk, NULL = none */
	const char *cgroup;  /* directory of csbx-ID, NULL = none */
	const char *server;  /* name of its image server's socket */
	const char *job;     /* id of the batch job it was started in, NULL = none */
	const char *spec;    /* container_spec as JSON (spec/out.h), NULL = not kept */
	struct strv command;
	pid_t supervisor, init;
	bool paused;
	uint64_t started_ns; /* CLOCK_REALTIME */
	/*
	 * A bare start (bare.h): the pid of supervisor and init is the command's own; the image
	 * server holds the lock; and there is no process to ask for an exec, a stop or a pause.
	 */
	bool is_bare;
	uint64_t start_ticks; /* bare: when that process began, field 22 of /proc/PID/stat */
	uint32_t uid, gid;    /* bare: main user inside */
	uint64_t caps;        /* bare: bounding set of what joins */
	bool new_privs, seccomp_off, fake_ids; /* bare: as in security_spec */
	void *memory;                          /* when decoded: what the strings point into */
};

struct instance {
	int dirfd, lock_fd; /* -1 = not begun */
	char id[16];
};
#define INSTANCE_INIT                      \
	{                                  \
		.dirfd = -1, .lock_fd = -1 \
	}

int instance_begin(const struct paths *p, const char *id, struct instance *ret, struct err *e);
int instance_publish(struct instance *i, const struct instance_record *r, struct err *e);
void instance_end(struct instance *i); /* nothing to do on an INSTANCE_INIT; keeps errno */

/* Puts "in use by pid N" of a live instance of the container into e (-EBUSY); 0 when none runs. */
int instance_refuse_running(const struct paths *p, const char *name, struct err *e);

/* Lets go without unlinking: for the parent of a detached supervisor, which holds it on. */
void instance_release(struct instance *i);

int instance_record_encode(const struct instance_record *r, struct strbuf *out, struct err *e);
/* Takes ownership of buf (malloc'ed), also on error. */
int instance_record_decode(struct instance_record *ret, void *buf, size_t len, struct err *e);
void instance_record_free(struct instance_record *r);

/* True while a supervisor holds the instance; dirfd is the directory of instances. */
bool instance_is_live(int dirfd, const char *id);

/*
 * The file of an instance whose supervisor is gone, for removal: while the descriptor is open no
 * start takes that id and no other process removes it. -EAGAIN: it is live, or claimed; -ENOENT.
 */
int instance_claim_dead(int dirfd, const char *id);
/* A supervisor that ends lets go of its locks one after the other: as above, -EAGAIN not at once. */
int instance_claim_dying(int dirfd, const char *id);
#define INSTANCE_DYING_MS 2000 /* for the locks, and for the processes */
/* Its record; negative: it was killed before there was one. */
int instance_read_dead(int fd, struct instance_record *ret);
/*
 * Its processes end with the supervisor, but a little later: they still have its layer mounted. A
 * bare start's own process is none of csbx-init.
 */
bool instance_init_is_gone(const struct instance_record *rec, int timeout_ms);
/*
 * Removes it with its socket and its control groups; gc removes later those that cannot be removed
 * now.
 */
bool instance_remove_dead(int dirfd, const char *id);
/* The same for a caller that has seen its supervisor end: it waits for its processes, shortly. */
void instance_remove_left(const struct paths *p, const char *id);
/* After instance_publish(): one start in sixteen removes what is dead of the first few names. */
void instance_sweep_sometimes(const struct instance *i);

/*
 * The live, published instance of that id; of a longer id its first NAME_ID_DIGITS digits count.
 * -ENOENT: it does not run.
 */
int instance_read(const struct paths *p, const char *id, struct instance_record *ret,
		  struct err *e);
/*
 * A pidfd of its supervisor, -1: there is none on record. It is the supervisor's if the lock of its
 * run is held afterwards; else the number may be another process's by now.
 */
int instance_open_supervisor(const struct paths *p, const char *id);
/*
 * Milliseconds to the next look while there is none on record and the run is held: it has begun, or
 * ends, just now. n_looks: so many there were.
 */
int instance_look_ms(unsigned n_looks);

/* Live and published instances; of one container where name is given. Unordered. */
struct instance_list {
	struct instance_record *items;
	size_t n, cap;
};
int instance_list(const struct paths *p, const char *name, struct instance_list *ret,
		  struct err *e);
/* All of them; dead ones stay: gc removes those itself and tells. */
int instance_list_only(const struct paths *p, struct instance_list *ret, struct err *e);
void instance_list_free(struct instance_list *l);

/*
 * The one live instance that NAME, an id (also the container's) or the beginning of an id (>= 4
 * digits) stands for.
 * -ENOENT: none runs; -ENOTUNIQ: several, the message lists their ids.
 */
int instance_find(const struct paths *p, const char *operand, struct instance_record *ret,
		  struct err *e);

#endif
