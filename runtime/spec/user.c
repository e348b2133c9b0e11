/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/spec/user.h"

#include <limits.h>
#include <stdlib.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"

/* A piece of the text, not NUL-terminated. */
struct span {
	const char *p;
	size_t len;
};

#define PASSWD_FIELDS 7
#define GROUP_FIELDS 4
enum { PASSWD_NAME, PASSWD_PW, PASSWD_UID, PASSWD_GID, PASSWD_GECOS, PASSWD_HOME, PASSWD_SHELL };
enum { GROUP_NAME, GROUP_PW, GROUP_GID, GROUP_MEMBERS };

static bool span_is(struct span s, const char *text)
{
	return strlen(text) == s.len && !memcmp(s.p, text, s.len);
}

/* The next line that could be an entry, split at its colons; fields that are missing are empty. */
static bool next_entry(struct span *text, struct span *fields, size_t n_fields)
{
	while (text->len) {
		const char *end = memchr(text->p, '\n', text->len), *p = text->p;
		size_t len = end ? (size_t)(end - p) : text->len;

		text->p += len + (end != NULL);
		text->len -= len + (end != NULL);
		if (!len || *p == '#' || memchr(p, 0, len))
			continue;
		for (size_t i = 0; i < n_fields; i++) {
			const char *colon = memchr(p, ':', len);
			size_t n = colon && i + 1 < n_fields ? (size_t)(colon - p) : len;

			fields[i] = (struct span){p, n};
			/* Past the last field there is nothing left, and so the rest are empty. */
			p += n + (n < len);
			len -= n + (n < len);
		}
		return true;
	}
	return false;
}

int user_parse_id(const char *s, uint32_t *ret)
{
	uint64_t v;

	if (num_parse_u64(s, USER_ID_MAX, &v) < 0)
		return -EINVAL;
	*ret = (uint32_t)v;
	return 0;
}

static int span_parse_id(struct span s, uint32_t *ret)
{
	char buf[12];

	if (s.len >= sizeof(buf))
		return -EINVAL;
	memcpy(buf, s.p, s.len);
	buf[s.len] = 0;
	return user_parse_id(buf, ret);
}

/*
 * A text that looks like a number to a human eye must be one: "-1", "+0", " 0" and "0x0" are no
 * names.
 */
static bool looks_numeric(const char *s)
{
	return (*s >= '0' && *s <= '9') || strchr("+- \t", *s);
}

static bool has_control(struct span s)
{
	for (size_t i = 0; i < s.len; i++) {
		if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f)
			return true;
	}
	return false;
}

/* A copy if it is an absolute path that fits on one line of a passwd file, else NULL. */
static char *copy_path(struct span s)
{
	if (!s.len || s.len >= PATH_MAX || *s.p != '/' || has_control(s))
		return NULL;
	return strndup(s.p, s.len);
}

/* --- passwd ------------------------------------------------------------------------------- */

static bool find_user(const struct user_db *db, const char *name, uint32_t uid, struct span *fields)
{
	struct span text = {db->passwd, db->passwd ? db->passwd_len : 0};
	uint32_t id;

	while (next_entry(&text, fields, PASSWD_FIELDS)) {
		if (name ? span_is(fields[PASSWD_NAME], name)
			 : !span_parse_id(fields[PASSWD_UID], &id) && id == uid)
			return true;
	}
	return false;
}

bool user_db_has_uid(const struct user_db *db, uint32_t uid)
{
	struct span f[PASSWD_FIELDS];

	return find_user(db, NULL, uid, f);
}

/* Fills uid, gid, name, home, shell from the user's line, if there is one. */
static int take_user(const struct user_db *db, const char *who, struct user *u, struct err *e)
{
	bool numeric = looks_numeric(who);
	struct span f[PASSWD_FIELDS];

	if (numeric && user_parse_id(who, &u->uid) < 0)
		return err_from(
			ERR_ID_RANGE, e,
			err_set(e, EINVAL, "not a user id (decimal, at most %u)", USER_ID_MAX));
	if (!find_user(db, numeric ? NULL : who, u->uid, f)) {
		if (!numeric)
			return err_from(
				ERR_NO_USER, e,
				err_set(e, ENOENT, "no such user in the image's /etc/passwd"));
		u->home = strdup("/");
		return u->home ? 0 : err_oom(e);
	}
	if (span_parse_id(f[PASSWD_UID], &u->uid) < 0 || span_parse_id(f[PASSWD_GID], &u->gid) < 0)
		return err_set(e, EINVAL, "its line in the image's /etc/passwd has no valid ids");
	u->home = copy_path(f[PASSWD_HOME]);
	u->shell = copy_path(f[PASSWD_SHELL]);
	if (f[PASSWD_NAME].len && !has_control(f[PASSWD_NAME]))
		u->name = strndup(f[PASSWD_NAME].p, f[PASSWD_NAME].len);
	if (!u->home)
		u->home = strdup("/");
	return u->home ? 0 : err_oom(e);
}

/* --- group -------------------------------------------------------------------------------- */

static int take_group(const struct user_db *db, const char *who, struct user *u, struct err *e)
{
	struct span text = {db->group, db->group ? db->group_len : 0}, f[GROUP_FIELDS];

	if (looks_numeric(who)) {
		if (user_parse_id(who, &u->gid) < 0)
			return err_from(ERR_ID_RANGE, e,
					err_set(e, EINVAL, "not a group id (decimal, at most %u)",
						USER_ID_MAX));
		return 0;
	}
	while (next_entry(&text, f, GROUP_FIELDS)) {
		if (!span_is(f[GROUP_NAME], who))
			continue;
		if (span_parse_id(f[GROUP_GID], &u->gid) < 0)
			return err_set(
				e, EINVAL,
				"the group's line in the image's /etc/group has no valid id");
		return 0;
	}
	return err_from(ERR_NO_GROUP, e,
			err_set(e, ENOENT, "no such group in the image's /etc/group"));
}

bool user_db_has_gid(const struct user_db *db, uint32_t gid)
{
	struct span text = {db->group, db->group ? db->group_len : 0}, f[GROUP_FIELDS];
	uint32_t id;

	while (next_entry(&text, f, GROUP_FIELDS)) {
		if (!span_parse_id(f[GROUP_GID], &id) && id == gid)
			return true;
	}
	return false;
}

static bool has_member(struct span list, const char *name)
{
	size_t len = strlen(name);

	while (list.len) {
		const char *comma = memchr(list.p, ',', list.len);
		size_t n = comma ? (size_t)(comma - list.p) : list.len;

		if (n == len && !memcmp(list.p, name, n))
			return true;
		list.p += n + (comma != NULL);
		list.len -= n + (comma != NULL);
	}
	return false;
}

static int add_group(struct user *u, uint32_t gid, struct err *e)
{
	uint32_t *p;

	if (gid == u->gid)
		return 0;
	for (size_t i = 0; i < u->n_groups; i++) {
		if (u->groups[i] == gid)
			return 0;
	}
	if (u->n_groups == USER_GROUPS_MAX)
		return err_set(e, E2BIG, "in more than %d groups", USER_GROUPS_MAX);
	if (!(u->n_groups % 16)) {
		p = reallocarray(u->groups, u->n_groups + 16, sizeof(*p));
		if (!p)
			return err_oom(e);
		u->groups = p;
	}
	u->groups[u->n_groups++] = gid;
	return 0;
}

static int take_memberships(const struct user_db *db, struct user *u, struct err *e)
{
	struct span text = {db->group, db->group ? db->group_len : 0}, f[GROUP_FIELDS];
	uint32_t gid;
	int r;

	while (next_entry(&text, f, GROUP_FIELDS)) {
		if (!has_member(f[GROUP_MEMBERS], u->name) || span_parse_id(f[GROUP_GID], &gid) < 0)
			continue;
		r = add_group(u, gid, e);
		if (r < 0)
			return r;
	}
	return 0;
}

/* --- spec --------------------------------------------------------------------------------- */

static int resolve(const struct user_db *db, const char *spec, struct user *u, struct err *e)
{
	_free_ char *who = strdup(spec ? spec : "");
	char *group;
	int r;

	if (!who)
		return err_oom(e);
	group = strchr(who, ':');
	if (group)
		*group++ = 0;
	if (!*who && group && !*group)
		return err_set(e, EINVAL, "neither a user nor a group");
	r = take_user(db, *who ? who : "0", u, e);
	if (r < 0)
		return r;
	if (group && *group)
		return take_group(db, group, u, e);
	return u->name ? take_memberships(db, u, e) : 0;
}

int user_resolve(const struct user_db *db, const char *spec, struct user *ret, struct err *e)
{
	_strbuf_ struct strbuf shown = STRBUF_INIT;
	int r;

	*ret = (struct user)USER_INIT;
	r = resolve(db, spec, ret, e);
	if (r >= 0)
		return 0;
	user_free(ret);
	if (spec)
		strbuf_add_escaped(&shown, spec, strnlen(spec, 64));
	return err_wrap(e, "user '%s'", strbuf_str(&shown));
}

void user_free(struct user *u)
{
	free(u->groups);
	free(u->name);
	free(u->home);
	free(u->shell);
	*u = (struct user)USER_INIT;
}
