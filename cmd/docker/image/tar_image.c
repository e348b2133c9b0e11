/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/image/tar_image.h"

#include <string.h>

#include "image/source/source.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/image/image_add.h"
#include "cmd/image/settings.h"
#include "image/model/digest.h"
#include "image/table/image_name.h"
#include "image/oci/platform.h"
#include "image/source/tar.h"
#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

int tar_image_name(const char *operand, char **ret, struct err *e)
{
	_image_name_ struct image_name name = {0};
	int r = *operand ? image_name_parse(operand, &name, e) : 0;

	*ret = NULL;
	if (r < 0 || !*operand)
		return r;
	if (name.digest)
		return err_set(e, EOPNOTSUPP, "refusing to create a tag with a digest reference");
	*ret = image_name_canonical(&name);
	return *ret ? 0 : err_oom(e);
}

static int make_changes(struct image_change *c, const struct strv *changes, struct err *e)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < changes->n; i++)
		r = image_change_parse(c, changes->items[i], e);
	return r;
}

int tar_image_check(const struct strv *changes, struct err *e)
{
	struct image_change probe = {0};
	int r = make_changes(&probe, changes, e);

	image_change_free(&probe);
	return r;
}

static char *words(const struct strv *v)
{
	struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i < v->n; i++)
		strbuf_addf(&out, "%s%s", i ? " " : "", v->items[i]);
	return strbuf_take(&out);
}

int tar_image_config(const struct tar_image *image, struct image_change *c,
		     const struct strv *below, struct image_source *src, struct err *e)
{
	char diff_id[DIGEST_TEXT_MAX];
	/* The command that ran in the container created its layer: not what --change says. */
	_free_ char *command =
		image->created_by_command ? words(c->cmd.n ? &c->cmd : &c->entrypoint) : NULL;
	struct platform platform;
	int r = platform_wanted(NULL, image->platform, &platform, e);

	if (r >= 0)
		r = make_changes(c, image->changes, e);
	if (r < 0)
		return r;
	const struct image_change_base base = {
		.arch = platform.arch,
		.variant = platform.variant,
		.os = "linux",
		.below = below,
		.diff_id = digest_format(&src->layers[0].diff_id, diff_id),
		.comment = image->comment,
		.author = image->author,
		.created_by = command,
		.created_ns = clock_realtime_ns(),
		.old_config = image->made_from ? image->made_from->config : NULL,
		.old_config_len = image->made_from ? image->made_from->config_len : 0,
	};

	return image_change_config(c, &base, &src->config, e);
}

int tar_image_add(struct docker *d, int dirfd, int tar_fd, const struct tar_image *image,
		  struct image_change *config, char ret_id[IMAGE_ID_BYTES], struct err *e)
{
	_image_settings_ struct image_settings settings;
	_strv_ struct strv names = STRV_INIT;
	struct image_source src;
	struct import_options o;
	const struct image_add_names n = {.names = &names, .options = &o};
	int r = image_settings_read(&d->cmd, &settings, e);

	if (r < 0)
		return r;
	o = output_opts_import(&settings.output);
	if (image->name)
		strv_add(&names, image->name);
	r = strv_check(&names, e);
	if (r >= 0)
		r = tar_source_open(&src, tar_fd, dirfd, e);
	if (r < 0)
		return r;
	r = tar_image_config(image, config, NULL, &src, e);
	if (r >= 0)
		r = image_add_named(dirfd, &src, &n, ret_id, NULL, e);
	source_close(&src);
	return r;
}
