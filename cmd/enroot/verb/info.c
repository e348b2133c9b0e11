/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "cmd/enroot/frame/enroot.h"
#include "cmd/enroot/frame/verbs.h"
#include "runtime/base/fd.h"

#define COLUMN 28

/* The real places of things: a runtime path that is not usable was replaced. */
static char *path_in_force(const struct enroot *x, const char *key)
{
	if (str_eq(key, "ENROOT_DATA_PATH"))
		return str_printf("%s", x->cmd.paths.data);
	if (str_eq(key, "ENROOT_CACHE_PATH"))
		return str_printf("%s", x->cmd.paths.cache);
	if (str_eq(key, "ENROOT_RUNTIME_PATH"))
		return str_printf("%s", x->cmd.paths.runtime);
	if (str_eq(key, "ENROOT_LIBRARY_PATH"))
		return str_printf("%s", paths_helpers());
	if (str_eq(key, "ENROOT_CONFIG_PATH"))
		return enroot_config_dir(&x->conf);
	if (str_eq(key, "ENROOT_SYSCONF_PATH"))
		return enroot_sysconf_dir(&x->conf);
	return NULL;
}

static void add_row(const struct enroot *x, const struct enroot_key *k, struct strbuf *out)
{
	const struct enroot_setting *s = enroot_conf_find(&x->conf, k->name);
	_free_ char *path = path_in_force(x, k->name);
	const char *value = path ? path : s ? s->value : k->initial ? k->initial : "";

	strbuf_addf(out, "%-*s ", COLUMN, k->name);
	strbuf_add_escaped(out, value, strlen(value));
	strbuf_addch(out, '\n');
}

static int info_run(struct enroot *x, void *args, int argc, char **argv)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	_free_ char *dir = enroot_sysconf_dir(&x->conf);

	(void)args, (void)argc, (void)argv;
	strbuf_addf(&out, "%-*s " ENROOT_VERSION " (csbx " CSBX_VERSION ")\n", COLUMN, "Version");
	strbuf_addf(&out, "%-*s %s/enroot.conf\n\n", COLUMN, "Configuration", dir ? dir : "");
	for (const struct enroot_key *k = enroot_keys; k->name; k++)
		add_row(x, k, &out);
	return enroot_print(&out);
}

const struct enroot_verb enroot_verb_info = {
	.name = "info",
	.run = info_run,
};
