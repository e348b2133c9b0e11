/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work of docker logout, for all files that credentials_find() reads as JSON: an entry of auths
 * goes, and the helper that the file names for the registry is told to erase what it keeps. Not
 * enroot's .credentials and not what the caller is given: only the user writes those.
 */
#include <stdlib.h>
#include <unistd.h>

#include "image/credentials/credentials.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"

/* Only what is there counts: helpers erase nothing without a word. */
static int erase(const char *helper, const char *registry, struct err *e)
{
	const char *key = credentials_helper_key(registry);
	_strbuf_ struct strbuf out = STRBUF_INIT;
	int r = credentials_ask_helper(helper, "get", key, NULL, &out, e);

	if (out.data)
		explicit_bzero(out.data, out.len);
	if (r == -ENOENT)
		return 0;
	strbuf_reset(&out);
	if (r >= 0)
		r = credentials_ask_helper(helper, "erase", key, NULL, &out, e);
	return r < 0 ? err_wrap(e, "docker-credential-%s", helper) : 1;
}

static int forget_by_helper(const char *path, const char *registry, struct strv *where,
			    struct err *e)
{
	const struct credentials_query q = {.registry = registry};
	_credentials_ struct credentials c = {0};
	_strbuf_ struct strbuf text = STRBUF_INIT;
	_free_ char *helper = NULL;
	int r = path_read_input(path, CREDENTIALS_FILE_MAX, &text, e);

	if (r >= 0)
		r = credentials_from_json(strbuf_str(&text), text.len, &q, &c, &helper, e);
	if (text.data)
		explicit_bzero(text.data, text.len);
	if (r > 0)
		r = helper ? erase(helper, registry, e) : 0;
	if (r > 0)
		strv_take(where, str_printf("docker-credential-%s", helper));
	return r;
}

static int forget_in(const char *path, const char *registry, struct strv *where, struct err *e)
{
	int r = forget_by_helper(path, registry, where, e);

	if (r >= 0)
		r = credentials_store(path, registry, NULL, e);
	if (r > 0)
		strv_add(where, path);
	return r;
}

int credentials_forget(const char *authfile, const char *registry, struct strv *where,
		       struct err *e)
{
	_strv_ struct strv files = STRV_INIT;
	int r = credentials_json_files(authfile, &files, e), first = 0;

	for (size_t i = 0; r >= 0 && i < files.n; i++) {
		struct err this = ERR_INIT;
		int k = access(files.items[i], F_OK) < 0
				? 0
				: forget_in(files.items[i], registry, where, &this);

		if (k < 0 && !first) {
			first = k;
			if (e)
				*e = this;
		}
	}
	if (r >= 0)
		r = strv_check(where, e);
	return r < 0 ? r : first;
}
