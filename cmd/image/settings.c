/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/image/settings.h"

#include <stddef.h>

#include "cmd/frame/cmd.h"
#include "runtime/settings/config.h"

static int lookup(void *ctx, const char *key, size_t i, const char **ret_value,
		  const char **ret_place)
{
	return config_get_nth(ctx, key, i, ret_value, ret_place);
}

int image_settings_read(struct cmd *c, struct image_settings *ret, struct err *e)
{
	const size_t registry = offsetof(struct image_settings, source.registry);
	const struct opt_use uses[] = {
		{&source_opts_table, offsetof(struct image_settings, source)},
		{&output_opts_table, offsetof(struct image_settings, output)},
		{&registry_opts_table, registry},
		{&registry_fetch_table, registry},
		{0},
	};
	const struct opt_parser parser = {
		.uses = uses, .args = ret, .lookup = lookup, .lookup_ctx = c->config};
	char name[] = "docker";
	char *argv[] = {name, NULL};
	int r;

	*ret = (struct image_settings){0};
	r = opt_parse(&parser, 1, argv, e);
	return r < 0 ? r : 0;
}

void image_settings_done(struct image_settings *s)
{
	source_opts_done(&s->source);
}
