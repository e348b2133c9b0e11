/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The last step becomes an image: what the steps have changed, as one small file over the files of
 * the base (cmd/image/delta_image.h); without a base, and where the base's files cannot be shared,
 * all files, seen from inside, as one layer. The same last key again is the same image, which is
 * there already.
 */

#include "cmd/build/build.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "cmd/build/build_child.h"
#include "cmd/build/build_stream.h"
#include "cmd/docker/image/tar_image.h"
#include "cmd/frame/cmd.h"
#include "cmd/image/image_add.h"
#include "cmd/image/settings.h"
#include "image/bytes/spool.h"
#include "image/model/digest.h"
#include "image/model/source.h"
#include "image/oci/config_layers.h"
#include "image/pack/tar_out.h"
#include "image/pack/tree.h"
#include "image/source/source.h"
#include "image/source/tar.h"
#include "image/table/image_name.h"
#include "image/table/table.h"
#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/kernel/process_id.h"

/*
 * --- all files ---------------------------------------------------------------------------------
 */

struct pack_work {
	struct build_view view;
	int out;
};

static int pack_child(void *arg, int parent, struct err *e)
{
	struct pack_work *w = arg;
	_close_ int root = build_view_enter(&w->view, e);
	struct tar_out t;
	int r;

	if (root < 0)
		return root;
	if (process_end_with(parent, e) < 0)
		return -ESRCH;
	tar_out_init(&t, w->out);
	r = tree_pack(root, "", TREE_DEVICES_OF_IMAGE, &t, e);
	if (r >= 0)
		r = tar_out_end(&t, e);
	tar_out_free(&t);
	return r;
}

static int pack(struct build *b, struct build_stage *s, int out, struct err *e)
{
	struct pack_work w = {.out = out};
	struct build_child child = BUILD_CHILD_INIT;
	int r = build_view_open(b->cmd, &b->cache, &s->root, NULL, &w.view, e);

	if (r >= 0)
		r = build_child_start(&child, pack_child, &w, e);
	if (r >= 0)
		r = build_child_wait(&child, e);
	build_view_close(&w.view);
	if (r >= 0 && lseek(out, 0, SEEK_SET) < 0)
		r = err_sys(e, "read the files again");
	return r;
}

static int names(const struct build *b, struct strv *ret, struct err *e)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < b->args->tags.n; i++) {
		char *name = NULL;

		r = tar_image_name(b->args->tags.items[i], &name, e);
		if (r >= 0 && name)
			strv_take(ret, name);
	}
	return r < 0 ? r : strv_check(ret, e);
}

static int make_whole(struct build *b, struct build_stage *s, const struct strv *tags,
		      const struct import_options *o, char ret_id[IMAGE_ID_BYTES], struct err *e)
{
	const struct image_add_names n = {.names = tags, .options = o};
	_strv_ struct strv diff_ids = STRV_INIT;
	const struct config_layers one = {.diff_ids = &diff_ids, .has_rest = true};
	_spool_ struct spool files = SPOOL_INIT;
	char diff_id[DIGEST_TEXT_MAX];
	struct image_source src;
	int r = spool_open(&files, b->images, e);

	if (r >= 0)
		r = pack(b, s, files.fd, e);
	if (r >= 0)
		r = tar_source_open(&src, files.fd, b->images, e);
	if (r < 0)
		return r;
	strv_add(&diff_ids, digest_format(&src.layers[0].diff_id, diff_id));
	r = strv_check(&diff_ids, e);
	if (r >= 0)
		r = build_config_layers(&s->config, &one, &src.config, e);
	if (r >= 0)
		r = image_add_named(b->images, &src, &n, ret_id, NULL, e);
	source_close(&src);
	return r;
}

/* All files are one layer, which gives no step its own. */
static void say_untold(struct build *b)
{
	static const char text[] = "the image tells no steps to --cache-from: it has all files in "
				   "one layer, as its base is no image or a stack of eight files\n";

	if (cache_is_told(b->args) && !b->args->is_stream)
		build_text_output(&b->progress, text, strlen(text));
}

static int make_image(struct build *b, struct build_stage *s, const struct strv *tags,
		      char ret_id[IMAGE_ID_BYTES], struct err *e)
{
	_image_settings_ struct image_settings settings;
	struct import_options o;
	int r = image_settings_read(b->cmd, &settings, e);

	if (r < 0)
		return r;
	o = output_opts_import(&settings.output);
	r = build_delta(b, s, tags, &o, ret_id, e);
	if (r != -EOPNOTSUPP)
		return r;
	*e = (struct err)ERR_INIT;
	say_untold(b);
	return make_whole(b, s, tags, &o, ret_id, e);
}

void build_keep_failed(struct build *b, struct build_stage *s, const struct build_step *step)
{
	_free_ char *dir = build_step_path(&b->cache, step);
	_free_ char *created_by = str_printf("RUN %s # failed", b->failed ? b->failed : "");
	_strv_ struct strv no_names = STRV_INIT;
	char id[IMAGE_ID_BYTES] = "";
	struct err why = ERR_INIT;
	int r = dir && created_by ? 0 : err_oom(&why);

	b->is_kept = true;
	if (r >= 0) {
		strv_take(&s->root.layers, str_printf("%s/upper", dir));
		r = strv_check(&s->root.layers, &why);
	}
	if (r >= 0)
		r = build_config_history(&s->config, created_by, false, clock_realtime_ns(), &why);
	if (r >= 0)
		r = make_image(b, s, &no_names, id, &why);
	if (r < 0)
		cmd_warn("the files of the failed step: %s", why.msg);
	else
		cmd_warn("the files as the failed step left them: docker run --rm -it %.12s",
			 image_id_hex(id));
}

/* The image of an earlier build, if it is still there. */
static bool is_known(struct build *b, const struct build_stage *s, char ret_id[IMAGE_ID_BYTES])
{
	const char *told = cache_from_image(b, s->key);
	_image_entry_ struct image_entry x = {0};
	bool is_known = build_cache_image(&b->cache, s->key, ret_id, IMAGE_ID_BYTES) >= 0;

	if (!is_known && told)
		snprintf(ret_id, IMAGE_ID_BYTES, "%s", told);
	return !b->args->no_cache && (is_known || told) &&
	       image_table_find(b->images, ret_id, &x, NULL) >= 0 && str_eq(x.id, ret_id);
}

static int tag(struct build *b, const struct strv *tags, const char *id, struct err *e)
{
	_close_ int lock = image_table_lock(b->images, e);
	int r = lock < 0 ? lock : 0;

	for (size_t i = 0; r >= 0 && i < tags->n; i++)
		r = image_table_tag(b->images, tags->items[i], id, NULL, e);
	return r;
}

/* Says the lines about the image that clients of the engine look for. */
static void say_made(const struct build *b, const char *id, const struct strv *tags)
{
	if (b->args->quiet) {
		build_stream_say("%s\n", id);
		return;
	}
	build_stream_aux(id);
	build_stream_say("Successfully built %.12s\n", image_id_hex(id));
	for (size_t i = 0; i < tags->n; i++)
		build_stream_say("Successfully tagged %s\n", image_name_familiar(tags->items[i]));
}

int build_result(struct build *b, struct build_stage *s, char *ret_id, size_t size, struct err *e)
{
	_strv_ struct strv tags = STRV_INIT;
	char id[IMAGE_ID_BYTES] = "";
	int r = names(b, &tags, e);

	if (r < 0)
		return r;
	build_text_prepare(&b->progress, "exporting to image");
	build_text_open(&b->progress);
	r = is_known(b, s, id) ? tag(b, &tags, id, e) : -ENOENT;
	if (r == -ENOENT)
		r = make_image(b, s, &tags, id, e);
	if (r >= 0)
		r = build_cache_set_image(&b->cache, s->key, id, e);
	if (r < 0)
		return r;
	snprintf(ret_id, size, "%s", id);
	for (size_t i = 0; i < tags.n; i++) {
		_free_ char *line = str_printf("naming to %s\n", tags.items[i]);

		if (line && !b->args->is_stream)
			build_text_output(&b->progress, line, strlen(line));
	}
	build_text_done(&b->progress);
	if (b->args->is_stream)
		say_made(b, id, &tags);
	return 0;
}
