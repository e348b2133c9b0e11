/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "cmd/cmd.h"
#include "runtime/base/err.h"
#include "runtime/config.h"
#include "runtime/meta_cache.h"
#include "runtime/squashd_client.h"

int cmd_load_state(struct cmd *c, struct err *e)
{
	int r;

	c->config = calloc(1, sizeof(*c->config));
	if (!c->config)
		return err_set(e, ENOMEM, "out of memory");
	r = config_load(c->config, e);
	return r < 0 ? r : paths_init(&c->paths, c->config, e);
}

void cmd_free_state(struct cmd *c)
{
	paths_free(&c->paths);
	if (c->config)
		config_free(c->config);
	free(c->config);
	c->config = NULL;
}

static int read_meta(void *arg, int image_fd, enum rootfs_kind kind, struct strbuf *ret_record,
		     struct err *e)
{
	const struct paths *paths = arg;

	(void)kind; /* the reader sees for itself */
	return squashd_read_meta(paths, image_fd, ret_record, e);
}

void cmd_meta_source(struct cmd *c, struct meta_source *ret)
{
	*ret = (struct meta_source){.read = read_meta, .arg = &c->paths};
}
