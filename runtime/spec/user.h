/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_USER_H
#define CSBX_RUNTIME_USER_H

/*
 * USER[:GROUP] against an image's passwd and group files, which are hostile text: pure, bounded,
 * one pass a file, nothing on the host is asked. A text that starts like a number must be one:
 * decimal, at most USER_ID_MAX; nothing that is not the number 0 ever becomes 0.
 *
 *	NAME		must be in passwd: its uid and gid, and every group that lists it
 *	UID		gid, home and name from the first passwd line of that uid; else gid 0
 *	USER:GROUP	the group by name (must be in group) or number; no supplementary groups
 *	USER:		as USER
 *	:GROUP		as 0:GROUP
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

#define USER_ID_MAX 2147483646u /* 2^31 - 2 */
#define USER_GROUPS_MAX 1024

struct user_db {
	const char *passwd, *group; /* contents, NULL = no such file */
	size_t passwd_len, group_len;
};

struct user {
	uint32_t uid, gid;
	uint32_t *groups; /* supplementary, without gid, no duplicates */
	size_t n_groups;
	char *name;  /* NULL when no passwd line has the uid */
	char *home;  /* absolute; "/" when passwd says nothing usable */
	char *shell; /* absolute, or NULL */
};
#define USER_INIT \
	{         \
		0 \
	}

/* spec NULL or empty is user 0. Errors (-EINVAL, -ENOENT) name the spec. */
int user_resolve(const struct user_db *db, const char *spec, struct user *ret, struct err *e);
void user_free(struct user *u);

/* True if some line has the id. */
bool user_db_has_uid(const struct user_db *db, uint32_t uid);
bool user_db_has_gid(const struct user_db *db, uint32_t gid);

/* A decimal id <= USER_ID_MAX, whole string; 0 or -EINVAL. */
int user_parse_id(const char *s, uint32_t *ret);

#endif
