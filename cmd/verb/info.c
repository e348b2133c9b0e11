/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/frame/cmd.h"
#include "cmd/frame/table.h"
#include "cmd/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/json/out.h"
#include "runtime/base/fd.h"
#include "runtime/settings/config.h"
#include "runtime/settings/policy.h"

struct info_args {
	bool json;
};

static const struct opt info_opts[] = {
	{OPT_FLAG, 0, "json", .offset = offsetof(struct info_args, json), .help = "print JSON"},
	{0},
};

static const struct opt_table info_table = {"Options", info_opts};

struct fact {
	const char *name, *value;
};

#define FACTS 8

static void collect(const struct cmd *c, struct fact ret[FACTS])
{
	const struct fact facts[FACTS] = {
		{"version", CSBX_VERSION},    {"data", c->paths.data},
		{"cache", c->paths.cache},    {"runtime", c->paths.runtime},
		{"layers", c->paths.layers},  {"scratch", c->paths.scratch},
		{"helpers", paths_helpers()}, {"site_configuration", CSBX_SYSCONFDIR},
	};

	for (size_t i = 0; i < FACTS; i++)
		ret[i] = facts[i];
}

/* Calls fn for every configured value, in the order of the table of keys. */
static void each_setting(const struct config *c,
			 void (*fn)(void *arg, const char *key, const char *value,
				    const char *place),
			 void *arg)
{
	size_t n;
	const struct config_key *keys = config_keys(&n);
	const char *value, *place;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; config_get_nth(c, keys[i].name, k, &value, &place); k++)
			fn(arg, keys[i].name, keys[i].is_secret ? "(not shown)" : value, place);
	}
}

/* Calls fn for every rule of the site's policy; one that has a fault is told in place of them. */
static void each_rule(void (*fn)(void *arg, const char *key, const char *value, const char *place),
		      void *arg)
{
	struct policy p = POLICY_INIT;
	struct err e = ERR_INIT;
	unsigned line;

	if (policy_load(&p, &e) < 0)
		fn(arg, "policy", e.msg, NULL);
	for (size_t i = 0; i < POLICY_RULES_MAX; i++) {
		_strbuf_ struct strbuf rule = STRBUF_INIT;
		_free_ char *place = NULL;

		if (!policy_rule(&p, i, &rule, &line))
			break;
		place = str_printf("%s:%u", p.file, line);
		fn(arg, "policy", strbuf_str(&rule), place);
	}
	policy_free(&p);
}

static void row(void *arg, const char *key, const char *value, const char *place)
{
	table_add(arg, key);
	table_add(arg, value);
	table_add(arg, place);
}

static int print_text(const struct cmd *c, const struct fact *facts)
{
	static const char *const heading[] = {"WHAT", "VALUE", "FROM"};
	_strbuf_ struct strbuf out = STRBUF_INIT;
	_table_ struct table t;

	table_init(&t, heading, 3);
	for (size_t i = 0; i < FACTS; i++)
		row(&t, facts[i].name, facts[i].value, NULL);
	each_rule(row, &t);
	each_setting(c->config, row, &t);
	table_format(&t, &out);
	return cmd_print(&out);
}

static void json_setting(void *arg, const char *key, const char *value, const char *place)
{
	struct json_out *j = arg;

	json_begin_object(j);
	json_kstr(j, "key", key);
	json_kstr(j, "value", value);
	json_kstr(j, "from", place);
	json_end_object(j);
}

static void json_rule(void *arg, const char *key, const char *value, const char *place)
{
	struct json_out *j = arg;

	(void)key;
	json_begin_object(j);
	json_kstr(j, "rule", place ? value : NULL);
	json_kstr(j, "from", place);
	json_kstr(j, "fault", place ? NULL : value);
	json_end_object(j);
}

static int print_json(const struct cmd *c, const struct fact *facts)
{
	struct json_out j = {.pretty = true};
	struct err e = ERR_INIT;
	int code;

	json_begin_object(&j);
	for (size_t i = 0; i < FACTS; i++)
		json_kstr(&j, facts[i].name, facts[i].value);
	json_key(&j, "policy");
	json_begin_array(&j);
	each_rule(json_rule, &j);
	json_end_array(&j);
	json_key(&j, "settings");
	json_begin_array(&j);
	each_setting(c->config, json_setting, &j);
	json_end_array(&j);
	json_end_object(&j);
	if (json_finish(&j, &e) < 0) {
		code = cmd_error(&e, "info");
	} else {
		strbuf_addch(&j.buf, '\n');
		code = cmd_print(&j.buf);
	}
	json_out_free(&j);
	return code;
}

static int info_run(struct cmd *c, void *args, int argc, char **argv)
{
	const struct info_args *a = args;
	struct fact facts[FACTS];

	(void)argc, (void)argv;
	collect(c, facts);
	return a->json ? print_json(c, facts) : print_text(c, facts);
}

static const struct verb_example examples[] = {
	{"the places of all files, and the settings in force", "csbx info"},
	{"the layer path, for a script", "csbx info --json | jq -r .layers"},
	{0},
};

const struct verb verb_info = {
	.name = "info",
	.usage = "[OPTIONS]",
	.description = "Shows where csbx keeps things, the rules of the site's policy, and every "
		       "setting that configuration files and CSBX_* variables make here, with "
		       "the place it is from.",
	.uses = (const struct opt_use[]){{&info_table, 0}, {0}},
	.examples = examples,
	.max_operands = 0,
	.args_bytes = sizeof(struct info_args),
	.run = info_run,
};
