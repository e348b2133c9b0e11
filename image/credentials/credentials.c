/* SPDX-License-Identifier: Apache-2.0 */
#include "image/credentials/credentials.h"

#include <stdlib.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"

/* "REGISTRY=USER:PASSWORD" */
static int find_given(const struct credentials_query *q, struct credentials *ret, struct err *e)
{
	const char *want = credentials_canonical(q->registry);

	for (size_t i = 0; q->given && i < q->given->n; i++) {
		const char *item = q->given->items[i];
		const char *equals = strchr(item, '='),
			   *colon = equals ? strchr(equals, ':') : NULL;
		_free_ char *registry = equals ? strndup(item, (size_t)(equals - item)) : NULL;

		if (!colon)
			return err_set(e, EINVAL,
				       "registry credentials are not REGISTRY=USER:PASSWORD");
		if (!registry)
			return err_oom(e);
		if (!str_eq(credentials_canonical(registry), want))
			continue;
		ret->user = strndup(equals + 1, (size_t)(colon - equals - 1));
		ret->password = strdup(colon + 1);
		if (!ret->user || !ret->password)
			return err_oom(e);
		if (!q->user || str_eq(q->user, ret->user))
			return 1;
		credentials_free(ret);
	}
	return 0;
}

typedef int read_fn(const char *path, size_t max, struct strbuf *out, struct err *e);

/* 1 and the text, 0 for a file that is not there or not ours to read. */
static int read_optional(read_fn *read_file, const char *path, struct strbuf *text, struct err *e)
{
	int r = read_file(path, CREDENTIALS_FILE_MAX, text, e);

	if (r == -ENOENT || r == -ENOTDIR || r == -EACCES)
		return 0;
	return r < 0 ? r : 1;
}

/* Docker stores what is Docker Hub's under a URL that nothing answers at any more. */
const char *credentials_helper_key(const char *registry)
{
	return str_eq(credentials_canonical(registry), "docker.io") ? "https://index.docker.io/v1/"
								    : registry;
}

static int find_by_helper(const char *helper, const struct credentials_query *q,
			  struct credentials *ret, struct err *e)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	int r = credentials_ask_helper(helper, "get", credentials_helper_key(q->registry),
				       q->cancel, &out, e);

	if (r == -ENOENT)
		return 0;
	if (r >= 0)
		r = credentials_from_helper(strbuf_str(&out), out.len, ret, e);
	if (out.data)
		explicit_bzero(out.data, out.len);
	if (r < 0)
		return err_wrap(e, "docker-credential-%s", helper);
	if (q->user && ret->user && !str_eq(q->user, ret->user)) {
		credentials_free(ret);
		return 0;
	}
	return 1;
}

static int find_in_json(const char *path, const struct credentials_query *q,
			struct credentials *ret, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	_free_ char *helper = NULL;
	int r = read_optional(path_read_input, path, &text, e);

	if (r > 0)
		r = credentials_from_json(strbuf_str(&text), text.len, q, ret, &helper, e);
	if (text.data)
		explicit_bzero(text.data, text.len);
	if (r > 0 && helper)
		r = find_by_helper(helper, q, ret, e);
	return r < 0 ? err_wrap(e, "%s", path) : r;
}

/* enroot compares hosts without the port. The file lies in its configuration directory. */
static int find_in_netrc(const char *path, const struct credentials_query *q,
			 struct credentials *ret, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	const char *port = strrchr(q->registry, ':');
	_free_ char *host = port && !strchr(port, ']')
				    ? strndup(q->registry, (size_t)(port - q->registry))
				    : strdup(q->registry);
	int r;

	if (!host)
		return err_oom(e);
	r = read_optional(path_read_believed, path, &text, e);
	if (r > 0)
		r = credentials_from_netrc(strbuf_str(&text), text.len, host, q->user, ret, e);
	if (text.data)
		explicit_bzero(text.data, text.len);
	return r < 0 ? err_wrap(e, "%s", path) : r;
}

/* $VARIABLE/rest, else ~/fallback/rest; NULL where neither is known. */
static char *user_file(const char *variable, const char *fallback, const char *rest)
{
	const char *dir = secure_getenv(variable), *home = secure_getenv("HOME");

	if (dir && *dir)
		return str_printf("%s/%s", dir, rest);
	return home && *home && fallback ? str_printf("%s/%s/%s", home, fallback, rest) : NULL;
}

static char *enroot_file(void)
{
	const char *dir = secure_getenv("ENROOT_CONFIG_PATH");

	return dir && *dir ? str_printf("%s/.credentials", dir)
			   : user_file("XDG_CONFIG_HOME", ".config", "enroot/.credentials");
}

int credentials_json_files(const char *authfile, struct strv *ret, struct err *e)
{
	const char *named = authfile ? authfile : secure_getenv("REGISTRY_AUTH_FILE");
	char *paths[] = {
		user_file("XDG_RUNTIME_DIR", NULL, "containers/auth.json"),
		user_file("XDG_CONFIG_HOME", ".config", "containers/auth.json"),
		user_file("DOCKER_CONFIG", ".docker", "config.json"),
	};

	if (named && *named)
		strv_add(ret, named);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		if (paths[i] && !(named && *named))
			strv_take(ret, paths[i]);
		else
			free(paths[i]);
	}
	return strv_check(ret, e);
}

static int find_in_files(const struct credentials_query *q, struct credentials *ret,
			 char **ret_path, struct err *e)
{
	const char *named = q->authfile ? q->authfile : secure_getenv("REGISTRY_AUTH_FILE");
	char *paths[] = {
		named && *named ? strdup(named) : NULL,
		enroot_file(),
		user_file("XDG_RUNTIME_DIR", NULL, "containers/auth.json"),
		user_file("XDG_CONFIG_HOME", ".config", "containers/auth.json"),
		user_file("DOCKER_CONFIG", ".docker", "config.json"),
	};
	int r = 0;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		if (paths[i] && !r)
			r = i == 1 ? find_in_netrc(paths[i], q, ret, e)
				   : find_in_json(paths[i], q, ret, e);
		if (r > 0 && !*ret_path)
			*ret_path = take_ptr(paths[i]);
		free(paths[i]);
	}
	return r;
}

int credentials_find(const struct credentials_query *q, struct credentials *ret, struct err *e)
{
	_credentials_ struct credentials c = {0};
	int r = find_given(q, &c, e);

	if (r > 0)
		c.from = strdup("what was given for it");
	if (!r)
		r = find_in_files(q, &c, &c.from, e);
	if (r > 0) {
		*ret = c;
		c = (struct credentials){0};
	}
	return r;
}
