/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_TOOL_JSON_MEMBERS_H
#define CSBX_CMD_TOOL_JSON_MEMBERS_H

/*
 * Reads a JSON object into a struct by a table, as the option tables do for options: a member
 * that no row names is an error, a member that is null counts as absent.
 */

#include <stddef.h>
#include <stdint.h>

struct err;
struct json;

enum member_kind {
	MEMBER_STR,  /* char *, owned */
	MEMBER_BOOL, /* true or absent */
	MEMBER_U64,
	MEMBER_ID,   /* uint32_t, at most USER_ID_MAX */
	MEMBER_MODE, /* unsigned, 1..07777 */
	MEMBER_STRV,
	MEMBER_CHOICE, /* enum: index into `choices` */
	MEMBER_CALL,
};

/* One member of an object, as the option tables describe one option. */
struct member {
	const char *key;
	enum member_kind kind;
	size_t offset;
	const char *choices; /* "none|host" */
	int (*read)(const struct json *v, void *at, struct err *e);
};

/* The table ends with a NULL key. -EINVAL with a text that leads to the member. */
int members_read(const struct json *object, const struct member *table, void *target,
		 struct err *e);

/* "must be <what>"; returns -EINVAL. */
int members_wrong(struct err *e, const char *what);
int members_read_number(const struct json *v, uint64_t max, uint64_t *ret, struct err *e);

#endif
