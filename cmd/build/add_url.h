/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_ADD_URL_H
#define CSBX_CMD_BUILD_ADD_URL_H

/*
 * Files of web servers, for ADD and as a context: fetched into an unnamed file, their digest is part
 * of a step's key. Redirects are followed, not to this machine from elsewhere and not from https to http.
 */

#include <stdbool.h>
#include <stdint.h>

#include "image/model/digest.h"

struct err;
struct select_rules;
struct tar_out;

#define ADD_URL_NAME "download" /* of a URL that has none */

struct add_url {
	char *text; /* as the instruction has it; not owned */
	char *name; /* of the file: the last component of the URL's path, "" where it has none */
	int fd;     /* its bytes; -1: not fetched */
	uint64_t size_bytes;
	int64_t mtime_s; /* as the server says, 0: it does not */
	struct digest digest;
};

bool add_url_is(const char *word);

/*
 * wanted: "sha256:..." or NULL; a file with another digest is an error. dirfd: where the file lies.
 * add_url_close() in any case.
 */
int add_url_open(struct add_url *u, char *text, const char *wanted, int dirfd, struct err *e);
void add_url_close(struct add_url *u);

/* Its member of a tar; mode 0600 where the rules have none. */
int add_url_pack(const struct add_url *u, const struct select_rules *rules, struct tar_out *out,
		 struct err *e);

#endif
