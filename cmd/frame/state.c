/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdlib.h>

#include "cmd/frame/cmd.h"
#include "cmd/frame/frame.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/path.h"
#include "runtime/settings/config.h"
#include "runtime/server/meta_cache.h"
#include "runtime/server/client.h"

int cmd_load_state(struct cmd *c, struct err *e)
{
	int r;

	c->config = calloc(1, sizeof(*c->config));
	if (!c->config)
		return err_oom(e);
	r = config_load(c->config, e);
	return r < 0 ? r : paths_init(&c->paths, c->config, e);
}

#define CONF_BYTES_MAX (1u << 20)

int cmd_read_conf(void *config, const char *path, struct err *e)
{
	struct config *c = config;
	size_t before;
	int r;
	_strbuf_ struct strbuf text = STRBUF_INIT;
	_close_ int fd = path_open_input(path, O_RDONLY, NULL, e);

	if (fd < 0)
		return fd;
	if (io_read_all(fd, CONF_BYTES_MAX, &text, e) < 0)
		return e ? -e->code : -EIO;
	before = c->n;
	r = config_parse(c, path, strbuf_str(&text), text.len, e);
	/* The store has been found already. */
	for (size_t i = before; r >= 0 && i < c->n; i++) {
		if (!c->entries[i].key->option)
			r = err_set(e, EINVAL,
				    "%s: %s can only be set in csbx.conf or the environment",
				    c->entries[i].place, c->entries[i].key->name);
	}
	return r;
}

int cmd_only_options(const struct cmd *c, const char *const *names, const char *why, struct err *e)
{
	for (size_t i = 0; i < c->given.n; i++) {
		const char *const *n = names;

		while (*n && !str_eq(*n, c->given.items[i]))
			n++;
		if (!*n)
			return err_set(e, EINVAL, "--%s: %s", c->given.items[i], why);
	}
	return 0;
}

void cmd_free_state(struct cmd *c)
{
	strv_free(&c->given);
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
