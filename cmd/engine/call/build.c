/* SPDX-License-Identifier: Apache-2.0 */

/*
 * POST /build and POST /build/prune. csbx-image builds (cmd/build/build_pipe.h): the request's
 * parameters become its options, the body its standard input, and its lines the answer.
 */

#include "cmd/docker/show/value.h"
#include "cmd/engine/call/helper.h"
#include "cmd/frame/cmd.h"
#include "cmd/image/build_prune.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/json.h"

#define JSON_MAX_BYTES (1u << 20)

struct build_call {
	struct call *k;
	struct strv words;
};

/* --- parameters ------------------------------------------------------------------------------ */

static const struct {
	const char *name, *option;
} texts[] = {{"dockerfile", "--file"},
	     {"target", "--target"},
	     {"networkmode", "--network"},
	     {"shmsize", "--shm-size"},
	     {"platform", "--platform"}},
  flags[] = {{"q", "--quiet"}, {"nocache", "--no-cache"}, {"pull", "--pull"}},
  lists[] = {{"t", "--tag"}, {"extrahosts", "--add-host"}},
  maps[] = {{"buildargs", "--build-arg"}, {"labels", "--label"}};

/* Parameters by which docker limits a step; clients send most of them as 0. */
static const char *const refused[] = {"memory",    "memswap",    "cpushares",  "cpuquota",
				      "cpuperiod", "cpusetcpus", "cpusetmems", "cgroupparent",
				      "squash",    "isolation"};

static void add_word(struct build_call *b, const char *option, const char *value)
{
	strv_take(&b->words, str_printf("%s=%s", option, value));
}

static int add_texts(struct build_call *b, struct err *e)
{
	const char *query = b->k->conn->head.query;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < sizeof(texts) / sizeof(texts[0]); i++) {
		_free_ char *value = NULL;

		r = http_query_get(query, texts[i].name, &value, e);
		if (r >= 0 && value && *value && !str_eq(value, "0"))
			add_word(b, texts[i].option, value);
	}
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (http_query_true(query, flags[i].name))
			strv_add(&b->words, flags[i].option);
	}
	for (size_t i = 0; r >= 0 && i < sizeof(lists) / sizeof(lists[0]); i++) {
		_strv_ struct strv values = STRV_INIT;

		r = http_query_list(query, lists[i].name, &values, e);
		for (size_t n = 0; r >= 0 && n < values.n; n++) {
			if (*values.items[n])
				add_word(b, lists[i].option, values.items[n]);
		}
	}
	return r;
}

static int read_json(struct build_call *b, const char *name, struct json **ret, struct err *e)
{
	_free_ char *text = NULL;
	int r = http_query_get(b->k->conn->head.query, name, &text, e);

	*ret = NULL;
	if (r >= 0 && text && *text)
		r = json_parse(text, strlen(text), JSON_MAX_BYTES, ret, e);
	return r < 0 ? err_wrap(e, "%s", name) : 0;
}

/* {"NAME": "value"}; of an argument null means the client has none. */
static int add_map(struct build_call *b, const char *name, const char *option, struct err *e)
{
	_json_ struct json *map = NULL;
	int r = read_json(b, name, &map, e);

	if (r < 0 || !map || json_is_null(map))
		return r;
	if (!json_is_object(map))
		return err_set(e, EINVAL, "%s: must be an object", name);
	for (const struct json *m = json_first(map); m; m = json_next(m)) {
		if (json_is_null(m))
			continue;
		if (!json_text(m))
			return err_set(e, EINVAL, "%s: %s must be a string", name, json_name(m));
		strv_take(&b->words, str_printf("%s=%s=%s", option, json_name(m), json_text(m)));
	}
	return 0;
}

/* [{"Name": "nofile", "Soft": 1, "Hard": 2}] */
static int add_ulimits(struct build_call *b, struct err *e)
{
	_json_ struct json *list = NULL;
	int r = read_json(b, "ulimits", &list, e);

	for (const struct json *m = r >= 0 && list ? json_first(list) : NULL; m; m = json_next(m)) {
		const char *name = NULL;
		int64_t soft = 0, hard = 0;

		if (!json_is_object(m))
			return err_set(e, EINVAL, "ulimits: must be objects");
		r = call_get_str(m, "Name", &name, e);
		if (r >= 0)
			r = call_get_int(m, "Soft", &soft, e);
		if (r >= 0)
			r = call_get_int(m, "Hard", &hard, e);
		if (r < 0)
			return r;
		strv_take(&b->words, str_printf("--ulimit=%s=%lld:%lld", name ? name : "",
						(long long)soft, (long long)hard));
	}
	return r;
}

/* ["image"] */
static int add_cache_from(struct build_call *b, struct err *e)
{
	_json_ struct json *list = NULL;
	int r = read_json(b, "cachefrom", &list, e);

	for (const struct json *m = r >= 0 && list ? json_first(list) : NULL; m; m = json_next(m)) {
		if (!json_text(m))
			return err_set(e, EINVAL, "cachefrom: must be strings");
		add_word(b, "--cache-from", json_text(m));
	}
	return r;
}

static int check_refused(const struct build_call *b, struct err *e)
{
	const char *query = b->k->conn->head.query;
	_free_ char *version = NULL, *remote = NULL;
	int r = http_query_get(query, "version", &version, e);

	if (r >= 0)
		r = http_query_get(query, "remote", &remote, e);
	if (r < 0)
		return r;
	if (version && str_eq(version, "2"))
		return err_set(e, EINVAL,
			       "csbx does not speak BuildKit's protocol: DOCKER_BUILDKIT=0 docker "
			       "build, or csbx as the plugin docker-buildx");
	if (remote && *remote)
		return err_set(e, EINVAL,
			       "a context from a URL is not done by csbx: fetch it, "
			       "then build the directory");
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		_free_ char *value = NULL;

		r = http_query_get(query, refused[i], &value, e);
		if (r < 0)
			return r;
		if (value && *value && !str_eq(value, "0") && !str_eq(value, "default"))
			return err_set(e, EINVAL, "build: %s is not done by csbx", refused[i]);
	}
	return 0;
}

static int make_words(struct build_call *b, struct err *e)
{
	int r = check_refused(b, e);

	strv_add(&b->words, "__build");
	if (r >= 0)
		r = add_texts(b, e);
	for (size_t i = 0; r >= 0 && i < sizeof(maps) / sizeof(maps[0]); i++)
		r = add_map(b, maps[i].name, maps[i].option, e);
	if (r >= 0)
		r = add_ulimits(b, e);
	if (r >= 0)
		r = add_cache_from(b, e);
	return r < 0 ? r : strv_check(&b->words, e);
}

/* A client that goes ends its build; steps that are done stay for the next. */
void call_build(struct call *k)
{
	static const struct http_reply reply = {200, HTTP_TYPE_JSON, NULL};
	struct build_call b = {.k = k};
	struct err e = ERR_INIT;

	if (make_words(&b, &e) < 0)
		call_reply_err(k, &e);
	else
		helper_answer(k, &(struct helper_ask){
					 (const char *const *)b.words.items,
					 .secret = http_header(&k->conn->head, "X-Registry-Config"),
					 .wants_in = true, .reply = &reply});
	strv_free(&b.words);
}

/* --- prune ----------------------------------------------------------------------------------- */

static int prune_rules(struct call *k, struct build_prune *how)
{
	_strv_ struct strv filters = STRV_INIT;
	_free_ char *keep = NULL;
	struct err e = ERR_INIT;
	int r = call_filters(k, &filters);

	if (r < 0)
		return r;
	if (call_query(k, "keep-storage", &keep) < 0)
		return -EINVAL;
	for (size_t i = 0; r >= 0 && i < filters.n; i++)
		r = build_prune_filter(how, filters.items[i], &e);
	if (r >= 0 && keep && *keep && !str_eq(keep, "0"))
		r = build_prune_keep(how, keep, &e);
	if (r < 0)
		call_reply_err(k, &e);
	return r;
}

void call_build_prune(struct call *k)
{
	struct build_prune how = {0};
	struct err e = ERR_INIT;
	uint64_t bytes = 0;
	struct docker_value *v;

	if (prune_rules(k, &how) < 0)
		return;
	if (build_cache_prune(&k->cmd->paths, &how, &bytes, &e) < 0) {
		call_reply_err(k, &e);
		return;
	}
	v = docker_value_new(DOCKER_VALUE_STRUCT);
	docker_value_add(v, "CachesDeleted", DOCKER_VALUE_NOLIST);
	docker_value_int(v, "SpaceReclaimed", (int64_t)bytes);
	call_reply_value(k, 200, v);
}
