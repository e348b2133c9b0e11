/* SPDX-License-Identifier: Apache-2.0 */
/*
 * passwd, group and user spec: the input is SPEC \n\n PASSWD \n\n GROUP. Whatever they hold, ids
 * stay in range, 0 comes only from a 0 in the text, and what goes into files is one line's worth.
 */
#include "runtime/spec/user.h"

#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "runtime/spec/etc_files.h"
#include "tests/fuzz/fuzz.h"

static size_t part(const char *p, size_t len)
{
	const char *end = len ? memmem(p, len, "\n\n", 2) : NULL;

	return end ? (size_t)(end - p) : len;
}

static void check_user(const struct user_db *db, const char *spec, const struct user *u)
{
	bool zero_written = !spec || !*spec || strspn(spec, "0") == strcspn(spec, ":");

	FUZZ_ASSERT(u->uid <= USER_ID_MAX && u->gid <= USER_ID_MAX);
	FUZZ_ASSERT(u->home && *u->home == '/' && !strpbrk(u->home, "\n"));
	FUZZ_ASSERT(!u->name || !strpbrk(u->name, ":\n"));
	for (size_t i = 0; i < u->n_groups; i++)
		FUZZ_ASSERT(u->groups[i] <= USER_ID_MAX && u->groups[i] != u->gid);
	if (!u->uid && !zero_written)
		FUZZ_ASSERT(u->name && memchr(db->passwd, '0', db->passwd_len));
}

static void check_files(const struct user_db *db, const struct user *u)
{
	struct etc_request q = {.image = *db,
				.uid = u->uid,
				.gid = u->gid,
				.user_name = u->name,
				.home = u->home,
				.hostname = "h"};
	struct etc_file files[ETC_FILES];
	struct user again;
	struct user_db made;
	char spec[32];

	if (etc_files_make(&q, files, NULL) < 0)
		return;
	if (files[ETC_PASSWD].wanted && files[ETC_GROUP].wanted) {
		const struct strbuf *p = &files[ETC_PASSWD].content, *g = &files[ETC_GROUP].content;

		made = (struct user_db){strbuf_str(p), strbuf_str(g), p->len, g->len};
		snprintf(spec, sizeof(spec), "%u", u->uid);
		if (!user_resolve(&made, spec, &again, NULL)) {
			FUZZ_ASSERT(again.uid == u->uid && again.name);
			user_free(&again);
		}
	}
	etc_files_free(files);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data;
	size_t spec_len = part(p, size), rest = size - spec_len, passwd_len;
	struct user_db db = {0};
	struct user u;
	char *spec = strndup(p, spec_len);

	if (rest) {
		p += spec_len + 2;
		rest -= 2;
		passwd_len = part(p, rest);
		db.passwd = p;
		db.passwd_len = passwd_len;
		if (rest > passwd_len) {
			db.group = p + passwd_len + 2;
			db.group_len = rest - passwd_len - 2;
		}
	}
	if (!user_resolve(&db, spec, &u, NULL)) {
		check_user(&db, spec, &u);
		check_files(&db, &u);
		user_free(&u);
	}
	free(spec);
	return 0;
}
