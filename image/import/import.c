/* SPDX-License-Identifier: Apache-2.0 */
#include "image/import/import.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "image/model/digest.h"
#include "image/import/priv.h"
#include "image/bytes/output.h"
#include "image/model/source.h"
#include "runtime/base/err.h"
#include "runtime/base/flat.h"
#include "runtime/base/image_trailer.h"
#include "runtime/base/io.h"

#define THREADS_MAX 64
#define TRAILER_ALIGN 4096u

unsigned import_default_threads(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);

	return n < 1 ? 1 : n > THREADS_MAX ? THREADS_MAX : (unsigned)n;
}

static int merge(struct import *im, struct err *e)
{
	uint64_t seed[2], total;
	int r;

	if (getrandom(seed, sizeof(seed), 0) != (ssize_t)sizeof(seed))
		return err_sys(e, "random seed");
	r = tree_init(&im->tree, seed, e);
	for (size_t i = 0; r == 0 && i < im->src->n_layers; i++) {
		r = tree_apply(&im->tree, &im->layers[i], e);
		if (r < 0)
			return import_wrap_layer(im, i, e);
	}
	if (r == 0)
		r = metadata_build(&im->metadata, im->src, im->layers, &im->tree,
				   !im->options.no_enroot_files, e);
	if (r == 0 && im->metadata.index.n)
		r = tree_apply(&im->tree, &im->metadata.index, e);
	if (r < 0)
		return r;
	total = tree_total_bytes(&im->tree);
	if (total > im->options.max_image_bytes)
		return err_set(
			e, EFBIG, "the files of the image sum up to %llu bytes, the limit is %llu",
			(unsigned long long)total, (unsigned long long)im->options.max_image_bytes);
	if (im->options.all_root)
		tree_set_owner(&im->tree, 0, 0);
	for (size_t i = 0; i < im->src->n_layers; i++)
		layer_index_drop_entries(&im->layers[i]);
	return 0;
}

static void trailer_digest(struct flat_writer *w, uint16_t tag, const struct digest *d)
{
	char text[DIGEST_TEXT_MAX];

	flat_str(w, tag, digest_format(d, text));
}

int import_trailer(const struct import *im, struct strbuf *out, struct err *e)
{
	const struct image_source *src = im->src;
	struct flat_writer w;
	char comp[32];
	int r;

	flat_begin(&w, IMAGE_TRAILER_MAGIC, IMAGE_TRAILER_VERSION);
	flat_str(&w, TRAILER_REF, src->ref);
	if (digest_is_set(&src->manifest_digest))
		trailer_digest(&w, TRAILER_MANIFEST_DIGEST, &src->manifest_digest);
	if (digest_is_set(&src->config_digest))
		trailer_digest(&w, TRAILER_CONFIG_DIGEST, &src->config_digest);
	if (src->manifest.len)
		flat_bytes(&w, TRAILER_MANIFEST, src->manifest.data, src->manifest.len);
	for (size_t i = 0; i < src->n_layers; i++) {
		trailer_digest(&w, TRAILER_LAYER_DIGEST, &im->layers[i].result.stored);
		/* The diff id of a directory is a claim of the source's. */
		trailer_digest(&w, TRAILER_DIFF_ID,
			       src->layers[i].kind == LAYER_DIRECTORY
				       ? &src->layers[i].diff_id
				       : &im->layers[i].result.diff_id);
	}
	for (unsigned i = 0; i < im->options.n_lowers; i++)
		flat_u64(&w, TRAILER_LOWER, im->options.lower_bytes[i]);
	flat_str(&w, TRAILER_TOOL, "csbx " CSBX_VERSION);
	squash_format_comp(&im->options.squash, comp, sizeof(comp));
	flat_str(&w, TRAILER_WRITER, comp);
	r = flat_end(&w, e);
	if (r == 0)
		strbuf_add(out, w.buf.data, w.buf.len);
	flat_free(&w);
	return r < 0 ? r : strbuf_check(out, e);
}

static int write_trailer(struct import *im, int fd, uint64_t bytes_used, uint64_t *ret_file_bytes,
			 struct err *e)
{
	uint64_t at = (bytes_used + TRAILER_ALIGN - 1) / TRAILER_ALIGN * TRAILER_ALIGN;
	_strbuf_ struct strbuf trailer = STRBUF_INIT;
	int r = import_trailer(im, &trailer, e);

	if (r == 0)
		r = io_pwrite_all(fd, trailer.data, trailer.len, at, e);
	*ret_file_bytes = at + trailer.len;
	return r;
}

static int write_image(struct import *im, struct output *out, struct import_result *ret,
		       struct err *e)
{
	_squash_ struct squash *s = NULL;
	uint64_t bytes_used = 0;
	int r = squash_open(&s, out->fd, &im->tree, &im->options.squash, e);

	if (r == 0)
		r = import_data(im, s, e);
	if (r == 0) {
		import_report(im, IMPORT_TABLES);
		r = squash_finish(s, &bytes_used, e);
	}
	return r < 0 ? r : write_trailer(im, out->fd, bytes_used, &ret->file_bytes, e);
}

static void count(const struct import *im, struct import_result *ret)
{
	ret->content_bytes = tree_total_bytes(&im->tree);
	for (uint32_t i = 0; i < im->tree.n_dents; i++)
		ret->n_entries += im->tree.dents[i].live;
}

static int run(struct import *im, struct output *out, struct import_result *ret, struct err *e)
{
	int r = import_index(im, e);

	if (r == 0)
		r = merge(im, e);
	if (r == 0)
		r = write_image(im, out, ret, e);
	if (r == 0 && im->options.cancel && *im->options.cancel)
		r = err_set(e, ECANCELED, "interrupted");
	if (r < 0)
		return r;
	count(im, ret);
	import_report(im, IMPORT_SYNC);
	return output_commit(out, e);
}

static int prepare(struct import *im, struct err *e)
{
	const struct image_source *src = im->src;

	if (!im->options.squash.threads)
		im->options.squash.threads = import_default_threads();
	if (!im->options.max_image_bytes)
		im->options.max_image_bytes = IMPORT_MAX_BYTES_DEFAULT;
	if (src->n_layers >= TREE_LAYERS_MAX)
		return err_set(e, E2BIG, "%zu layers; at most %u are possible", src->n_layers,
			       TREE_LAYERS_MAX - 1);
	im->layers = calloc(src->n_layers + 1, sizeof(*im->layers));
	if (!im->layers)
		return err_oom(e);
	for (size_t i = 0; i < src->n_layers; i++) {
		if (src->layers[i].kind == LAYER_TAR)
			im->total_bytes += src->layers[i].length;
	}
	return 0;
}

int import_image(const struct image_source *src, int dirfd, const char *name,
		 const struct import_options *o, struct import_result *ret, struct err *e)
{
	struct import im = {.src = src, .options = *o};
	_output_ struct output out = OUTPUT_INIT;
	int r = output_open(&out, dirfd, name, o->force, e);

	*ret = (struct import_result){0};
	if (r == 0)
		r = prepare(&im, e);
	if (r == 0)
		r = run(&im, &out, ret, e);
	for (size_t i = 0; im.layers && i < src->n_layers; i++)
		layer_index_free(&im.layers[i]);
	free(im.layers);
	tree_free(&im.tree);
	metadata_free(&im.metadata);
	return r;
}
