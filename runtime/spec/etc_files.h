/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_ETC_FILES_H
#define CSBX_RUNTIME_ETC_FILES_H

/*
 * Contents of the files in /etc that a container gets from us: an entry for its main user where
 * the image's passwd and group have none, hosts, hostname, resolv.conf. Bytes only: the caller
 * puts them into the upper layer; the image is never touched and no host file is bound.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/str.h"
#include "runtime/spec/user.h"

struct err;

struct etc_request {
	struct user_db image;  /* the image's files */
	uint32_t uid, gid;     /* main user */
	const char *user_name; /* NULL: "user" */
	const char *home;      /* NULL: "/" */
	const char *hostname;
	bool host_network;       /* resolv.conf and hosts are the host's */
	const char *host_resolv; /* contents, NULL = none */
	size_t host_resolv_len;
	const char *host_hosts;
	size_t host_hosts_len;
};

enum etc_file_id { ETC_PASSWD, ETC_GROUP, ETC_HOSTS, ETC_HOSTNAME, ETC_RESOLV_CONF, ETC_FILES };

struct etc_file {
	const char *path;      /* "/etc/passwd" */
	struct strbuf content; /* counts where wanted */
	bool wanted;           /* false: leave what the image has */
	bool only_if_absent;   /* write only where the path does not exist */
};

int etc_files_make(const struct etc_request *q, struct etc_file ret[ETC_FILES], struct err *e);
void etc_files_free(struct etc_file files[ETC_FILES]);

#endif
