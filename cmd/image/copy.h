/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_IMAGE_COPY_H
#define CSBX_CMD_IMAGE_COPY_H

/*
 * A copy between the host and a container, running or not, for every dialect's `cp`.
 * image/pack/copy_rules.h decides where things go.
 */

#include <stdbool.h>
#include <sys/types.h>

struct cmd;
struct copy_stat; /* copy_agent.h */
struct err;
struct run_opts;

struct copy_job {
	const char *container, *inside; /* the path inside, as written */
	const char *outside;            /* a host path; "-": the tar in tar_fd */
	bool is_out;                    /* from the container to the host */
	bool follow;                    /* the source may be a link, and what it means is copied */
	bool keep_owner;                /* the source's user and group, inside */
	bool keep_set_ids; /* outside, where user or group come out as they are inside */
	bool whole;        /* out to "-": the whole root, without what is mounted */
	int tar_fd;        /* read or written where outside is "-" */
	/* Out: told what is there before it is copied; 0: nothing is copied. NULL allowed. */
	int (*found)(void *arg, const struct copy_stat *s);
	void *arg;
};

/* The cause of a failure, for dialects that have words of their own for it. */
enum copy_failure {
	COPY_FAILED,
	COPY_NO_CONTAINER,
	COPY_NO_SOURCE_INSIDE, /* no such path in the container */
	COPY_NO_SOURCE_OUTSIDE,
	COPY_NO_PARENT,             /* of the target */
	COPY_NO_DIRECTORY,          /* "name/" does not exist */
	COPY_NOT_DIRECTORY,         /* "file/", or a tar's target is none */
	COPY_CANNOT_COPY_DIRECTORY, /* to a file */
	COPY_READ_ONLY,
	COPY_FAILED_OUTSIDE, /* in any other way, on the host's side */
	COPY_WRONG_TYPE,     /* a directory on something else, or the other way round */
};

/* o: for a container that does not run, which ids there are. */
int copy_run(struct cmd *c, const struct copy_job *j, struct run_opts *o,
	     enum copy_failure *ret_failure, struct err *e);

/*
 * All files of a container but those of mounts, as a tar to out_fd, for docker's export and commit.
 * -ENOENT in docker's words where there is none of that name.
 */
int copy_whole(struct cmd *c, const char *container, int out_fd, struct err *e);

/*
 * "NAME:PATH" into name (caller frees) and path (points into arg). False: a host path, as docker
 * tells: absolute, or with a dot in front, or without a colon.
 */
bool copy_split(const char *arg, char **ret_name, const char **ret_path);

#endif
