/* SPDX-License-Identifier: Apache-2.0 */
#include "image/squash/comp.h"

#include <sqfs/compressor.h>
#include <sqfs/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/err.h"
#include "runtime/base/num.h"

/*
 * The library's compressor in a wrapper that never lets a block grow: the library's own LZ4 does,
 * and unsquashfs refuses such an image. With no compressor inside, everything is stored.
 */
struct shrinking {
	sqfs_compressor_t base;
	sqfs_compressor_t *lib;
};

static sqfs_s32 shrink_block(sqfs_compressor_t *c, const sqfs_u8 *in, sqfs_u32 size, sqfs_u8 *out,
			     sqfs_u32 out_size)
{
	struct shrinking *s = (struct shrinking *)c;
	sqfs_s32 n = s->lib ? s->lib->do_block(s->lib, in, size, out, out_size) : 0;

	return n > 0 && (sqfs_u32)n >= size ? 0 : n;
}

static int write_options(sqfs_compressor_t *c, sqfs_file_t *f)
{
	struct shrinking *s = (struct shrinking *)c;

	return s->lib ? s->lib->write_options(s->lib, f) : 0;
}

static int read_options(sqfs_compressor_t *c, sqfs_file_t *f)
{
	struct shrinking *s = (struct shrinking *)c;

	return s->lib ? s->lib->read_options(s->lib, f) : 0;
}

static void get_configuration(const sqfs_compressor_t *c, sqfs_compressor_config_t *cfg)
{
	const struct shrinking *s = (const struct shrinking *)c;

	memset(cfg, 0, sizeof(*cfg));
	if (s->lib)
		s->lib->get_configuration(s->lib, cfg);
}

static void shrinking_destroy(sqfs_object_t *o)
{
	struct shrinking *s = (struct shrinking *)o;

	if (s->lib)
		sqfs_destroy(s->lib);
	free(s);
}

static sqfs_object_t *shrinking_copy(const sqfs_object_t *o);

/* Takes lib, which is NULL for a compressor that stores; NULL when out of memory. */
static sqfs_compressor_t *shrinking_new(sqfs_compressor_t *lib)
{
	struct shrinking *s = calloc(1, sizeof(*s));

	if (!s) {
		if (lib)
			sqfs_destroy(lib);
		return NULL;
	}
	s->lib = lib;
	s->base.base.destroy = shrinking_destroy;
	s->base.base.copy = shrinking_copy;
	s->base.get_configuration = get_configuration;
	s->base.write_options = write_options;
	s->base.read_options = read_options;
	s->base.do_block = shrink_block;
	return &s->base;
}

/* Each of the library's threads works with a copy. */
static sqfs_object_t *shrinking_copy(const sqfs_object_t *o)
{
	const struct shrinking *s = (const struct shrinking *)o;
	sqfs_compressor_t *lib = s->lib ? sqfs_copy(s->lib) : NULL;

	if (s->lib && !lib)
		return NULL;
	return (sqfs_object_t *)shrinking_new(lib);
}

static const SQFS_COMPRESSOR comp_ids[] = {
	[SQUASH_ZSTD] = SQFS_COMP_ZSTD,
	[SQUASH_LZ4] = SQFS_COMP_LZ4,
	[SQUASH_GZIP] = SQFS_COMP_GZIP,
	[SQUASH_NONE] = SQFS_COMP_GZIP,
};

static const struct comp_name {
	const char *name;
	int level, max_level;
} comps[] = {
	[SQUASH_ZSTD] = {"zstd", 3, SQFS_ZSTD_MAX_LEVEL},
	[SQUASH_LZ4] = {"lz4", 0, 0},
	[SQUASH_GZIP] = {"gzip", 6, SQFS_GZIP_MAX_LEVEL},
	[SQUASH_NONE] = {"none", 0, 0},
};

int squash_parse_comp(const char *text, enum squash_comp *ret, int *ret_level, struct err *e)
{
	size_t len = strcspn(text, ":");

	for (size_t i = 0; i < sizeof(comps) / sizeof(comps[0]); i++) {
		uint64_t level = 0;

		if (strlen(comps[i].name) != len || memcmp(comps[i].name, text, len) != 0)
			continue;
		if (text[len] &&
		    (num_parse_u64(text + len + 1, (uint64_t)comps[i].max_level, &level) < 0 ||
		     !level))
			return err_set(e, EINVAL, "compression '%s': %s takes %s", text,
				       comps[i].name,
				       comps[i].max_level ? "a level from 1 up" : "no level");
		*ret = (enum squash_comp)i;
		*ret_level = (int)level;
		return 0;
	}
	return err_set(e, EINVAL,
		       "compression '%s': not one of zstd[:LEVEL], lz4, gzip[:LEVEL], none", text);
}

int squash_format_comp(const struct squash_options *o, char *buf, size_t len)
{
	const struct comp_name *c = &comps[o->comp];

	if (!c->level)
		return snprintf(buf, len, "%s", c->name);
	return snprintf(buf, len, "%s:%d", c->name, o->level ? o->level : c->level);
}

unsigned squash_comp_id(enum squash_comp comp)
{
	return comp_ids[comp];
}

int squash_comp_new(enum squash_comp comp, int level, bool uncompress,
		    struct sqfs_compressor_t **ret, struct err *e)
{
	sqfs_compressor_config_t cfg;
	sqfs_compressor_t *lib = NULL;
	int r;

	if (comp != SQUASH_NONE || uncompress) {
		r = sqfs_compressor_config_init(&cfg, comp_ids[comp], SQUASH_BLOCK_BYTES,
						uncompress ? SQFS_COMP_FLAG_UNCOMPRESS : 0);
		if (r == 0 && comps[comp].level)
			cfg.level = (sqfs_u32)(level ? level : comps[comp].level);
		if (r == 0)
			r = sqfs_compressor_create(&cfg, &lib);
		if (r)
			return err_set(e, r == SQFS_ERROR_ALLOC ? ENOMEM : EIO,
				       "compression %s: libsquashfs: error %d", comps[comp].name,
				       r);
	}
	*ret = uncompress ? lib : shrinking_new(lib);
	return *ret ? 0 : err_oom(e);
}
