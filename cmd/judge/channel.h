/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_CHANNEL_H
#define CSBX_CMD_EVAL_CHANNEL_H

/*
 * The records that a harness inside a container sends to csbx, one JSON record a packet
 * (cmd/harness/PROTOCOL.md).
 *
 * The other end is in the hands of code that wants to be believed. A record counts only when it is
 * sealed with the secret that the harness was given, before any other code ran, by a descriptor
 * that is gone since, as the next one of that number, and when the kernel says (SCM_CREDENTIALS)
 * that it comes from the process whose record came first: csbx does not believe another process
 * even if it has the secret. It counts and drops all else. Size and number are capped; past the
 * caps the channel is deaf.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct err;

#define CHANNEL_SECRET_DIGITS 32u
#define CHANNEL_PACKET_MAX 65536u
#define CHANNEL_BYTES_MAX (UINT64_C(256) << 20)
#define CHANNEL_REFUSED_MAX 100000u

/* One record, not NUL-terminated. Below 0: it made no sense. */
typedef int channel_record_fn(void *ctx, const char *json, size_t len);

struct channel {
	int fd;       /* ours */
	int guest_fd; /* the harness's, for process_spec.keep_fds */
	char secret[CHANNEL_SECRET_DIGITS + 1];
	pid_t sender; /* 0: no process has spoken yet */
	uint64_t n_records, n_bytes;
	uint64_t n_refused;   /* packets without the seal, or of another process */
	uint64_t n_malformed; /* records with it that made no sense */
	bool is_deaf;         /* a cap was passed */
	channel_record_fn *record;
	void *ctx;
};
#define CHANNEL_INIT                     \
	{                                \
		.fd = -1, .guest_fd = -1 \
	}

int channel_open(struct channel *c, channel_record_fn *record, void *ctx, struct err *e);

/*
 * Reads what is there, never waits; the handle of struct container_channel. -1: nothing more comes.
 */
int channel_handle(void *channel);

/* Reads all that is there, when everybody who could write is dead. */
void channel_drain(struct channel *c);

/*
 * One packet as it came. Pure but for the counters and the record function. Returns false when it
 * was not believed.
 */
bool channel_packet(struct channel *c, const char *packet, size_t len, bool is_whole, pid_t sender);

void channel_close(struct channel *c);

#endif
