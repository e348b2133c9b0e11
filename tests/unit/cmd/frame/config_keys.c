/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of configuration keys and the tables of run options know of each other only by name:
 * a key without an option would be accepted and ignored, an option without its key refused.
 */
#include "cmd/frame/opt.h"
#include "cmd/options/run_opts.h"
#include "runtime/settings/config.h"
#include "tests/unit/tap.h"

static const struct opt_table *const tables[] = {&run_table_files, &run_table_process,
						 &run_table_isolation, &run_table_limits,
						 &run_table_result};

#define TABLES (sizeof(tables) / sizeof(tables[0]))

static enum config_kind kind_of(const struct opt *o)
{
	if (o->kind == OPT_FLAG)
		return CONFIG_FLAG;
	return o->kind == OPT_LIST || o->repeats ? CONFIG_LIST : CONFIG_TEXT;
}

static void test_options_have_keys(void)
{
	for (size_t t = 0; t < TABLES; t++) {
		for (const struct opt *o = tables[t]->opts; o->kind != OPT_END; o++) {
			const struct config_key *key = config_key_of_option(o->name);
			_strbuf_ struct strbuf name = STRBUF_INIT;

			if (!o->has_key) {
				ok(!key, "--%s has no key", o->name);
				continue;
			}
			opt_key_name(o, &name);
			if (!ok(key != NULL, "--%s has a key", o->name))
				continue;
			is_str(key->name, strbuf_str(&name), "called alike");
			is_int(key->kind, kind_of(o), "of the same kind");
		}
	}
}

static void test_keys_have_options(void)
{
	struct opt_use uses[TABLES + 1] = {{0}};
	size_t n;
	const struct config_key *keys = config_keys(&n);

	for (size_t t = 0; t < TABLES; t++)
		uses[t].table = tables[t];
	for (size_t i = 0; i < n; i++) {
		if (keys[i].option && !keys[i].of_image)
			ok(opt_uses_has_key(uses, keys[i].name), "%s has an option", keys[i].name);
	}
}

int main(void)
{
	test_options_have_keys();
	test_keys_have_options();
	return done_testing();
}
