/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_CLONE_H
#define CSBX_CMD_EVAL_CLONE_H

/*
 * A commit of somebody's repository on this machine, as objects only: the host's git fetches into a
 * bare repository of the cache and checks nothing out, because a checkout is where a repository's
 * attributes, filters and hooks come to life. The container does that.
 *
 * git runs without the user's and the system's configuration, without hooks, credentials, prompts
 * and submodules, and with https, http, git and file as its only protocols (git-config(1),
 * protocol.allow; ext:: would be a command).
 */

struct err;
struct paths;

struct clone {
	char *dir;  /* the bare repository in the cache */
	char *url;  /* as it may be shown: without user and password */
	int use_fd; /* a lock: while it is open the repository stays (cmd/image/repos.h) */
};
#define CLONE_INIT           \
	{                    \
		.use_fd = -1 \
	}

/* Fetches the commit where the cache has not got it; a damaged repository there is made anew. */
int clone_fetch(const struct paths *paths, const char *url, const char *commit, struct clone *ret,
		struct err *e);
void clone_close(struct clone *c);

/* -EINVAL for what clone_fetch() would refuse without asking anybody. */
int clone_check(const char *url, const char *commit, struct err *e);

#endif
