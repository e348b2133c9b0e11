/* SPDX-License-Identifier: Apache-2.0 */
#include "image/oci/layout.h"

#include <stdio.h>
#include <stdlib.h>

#include "image/model/digest.h"
#include "image/oci/docker_json.h"
#include "image/oci/fileset.h"
#include "runtime/base/json/json.h"
#include "image/oci/image.h"
#include "image/table/ref.h"
#include "image/oci/source_uri.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

/*
 * The tar of `docker save`, in three generations:
 *
 * - to 24:	ID.json, V1ID/layer.tar; a layer that is there twice is a symlink to the first;
 * - 25 on:	an OCI layout whose blobs manifest.json names; layers as plain tars;
 * - 29 and the containerd store: the same with compressed layers and nested indexes.
 *
 * manifest.json leads in all of them. Only where it lists nothing (null in some versions) and a
 * layout is there does index.json: docker 25.0 wrote empty ones (moby#47210).
 */

/*
 * The digest a member's name claims for its content: "HEX.json" and "sha256:HEX" for configs,
 * "blobs/sha256/HEX" for anything. Not set when the name claims nothing.
 */
static struct digest claimed_digest(const char *name, bool config)
{
	const char *slash = strrchr(name, '/'), *hex = slash ? slash + 1 : name;
	char text[DIGEST_TEXT_MAX];
	struct digest d = {0};
	int n = (int)strlen(hex);

	if (str_has_prefix(name, "blobs/sha512/")) {
		snprintf(text, sizeof(text), "sha512:%s", hex);
	} else {
		if (!str_has_prefix(name, "blobs/sha256/")) {
			if (!config)
				return d;
			if (str_has_suffix(hex, ".json"))
				n -= (int)strlen(".json");
			if (str_has_prefix(hex, "sha256:")) {
				hex += strlen("sha256:");
				n -= (int)strlen("sha256:");
			}
		}
		snprintf(text, sizeof(text), "sha256:%.*s", n, hex);
	}
	if (digest_parse(text, &d, NULL) < 0)
		d = (struct digest){0};
	return d;
}

static bool has_tag(const struct docker_image *image, const char *ref)
{
	for (size_t i = 0; i < image->repo_tags.n; i++) {
		const char *tag = image->repo_tags.items[i];

		if (str_eq(tag, ref) || image_ref_same(tag, ref))
			return true;
	}
	return false;
}

static bool is_selected(const struct docker_images *l, size_t i, const struct source_uri *u)
{
	struct digest id;

	switch (u->select) {
	case SELECT_REF:
		return has_tag(&l->items[i], u->ref);
	case SELECT_DIGEST:
		id = claimed_digest(l->items[i].config, true);
		return digest_equal(&id, &u->digest);
	case SELECT_PLACE:
		return i == u->place;
	case SELECT_ANY:
		break;
	}
	return true;
}

static void list_images(const struct docker_images *l, struct strbuf *out)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct strv *tags = &l->items[i].repo_tags;

		if (!tags->n)
			strbuf_addf(out, "%s@%zu", out->len ? ", " : "", i);
		for (size_t k = 0; k < tags->n && out->len < 300; k++) {
			strbuf_addstr(out, out->len ? ", " : "");
			strbuf_add_escaped(out, tags->items[k], strlen(tags->items[k]));
		}
	}
}

static int choose(const struct docker_images *l, const struct source_uri *u,
		  const struct docker_image **ret, struct err *e)
{
	_strbuf_ struct strbuf names = STRBUF_INIT;

	*ret = NULL;
	for (size_t i = 0; i < l->n; i++) {
		if (!is_selected(l, i, u))
			continue;
		if (*ret && !str_eq((*ret)->config, l->items[i].config)) {
			list_images(l, &names);
			return err_set(e, EINVAL, "several images; choose one of: %s",
				       strbuf_str(&names));
		}
		if (!*ret)
			*ret = &l->items[i];
	}
	if (*ret)
		return 0;
	list_images(l, &names);
	return err_set(e, ENOENT, "no such image in the archive; it has: %s", strbuf_str(&names));
}

static int load_config(const struct fileset *f, const char *name, struct image_source *s,
		       struct err *e)
{
	struct digest claimed = claimed_digest(name, true);
	int r = fileset_read(f, name, JSON_CONFIG_MAX, &s->config, e);

	if (r < 0)
		return r;
	if (digest_is_set(&claimed)) {
		s->config_digest = claimed;
		return digest_verify(strbuf_str(&s->config), s->config.len, &claimed, e);
	}
	return digest_of(strbuf_str(&s->config), s->config.len, &s->config_digest, e);
}

static int open_layers(const struct fileset *f, const struct strv *names, struct image_source *s,
		       struct err *e)
{
	s->layers = names->n ? calloc(names->n, sizeof(*s->layers)) : NULL;
	if (names->n && !s->layers)
		return err_oom(e);
	for (size_t i = 0; i < names->n; i++) {
		struct file_range range;
		int r = fileset_open(f, names->items[i], &range, e);

		if (r < 0)
			return err_wrap(e, "layer %zu", i + 1);
		s->layers[s->n_layers++] = (struct source_layer){
			.kind = LAYER_TAR,
			.digest = claimed_digest(names->items[i], false),
			.size_bytes = range.length,
			.fd = range.fd,
			.offset = range.offset,
			.length = range.length,
			.owns_fd = range.owns_fd,
		};
	}
	return 0;
}

int docker_archive_images(const struct fileset *f, struct docker_images *ret, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int r = fileset_read(f, "manifest.json", JSON_MANIFEST_MAX, &text, e);

	if (r == -ENOENT && fileset_has(f, "repositories"))
		return err_set(e, EOPNOTSUPP,
			       "written by docker before 1.10 (no manifest.json); "
			       "load and save it again with a current docker");
	if (r == -ENOENT)
		return err_set(e, ENOENT, "not a docker archive (no file manifest.json)");
	if (r < 0)
		return r;
	r = docker_images_parse(strbuf_str(&text), text.len, ret, e);
	return r < 0 ? err_wrap(e, "manifest.json") : 0;
}

int docker_archive_load(const struct fileset *f, const struct source_uri *u,
			const struct image_wish *wish, struct image_source *s, struct err *e)
{
	_docker_images_ struct docker_images images = {0};
	const struct docker_image *image;
	int r = docker_archive_images(f, &images, e);

	if (r < 0)
		return r;
	if (!images.n && fileset_has(f, "index.json"))
		return layout_load(f, u, wish, s, e);
	if (!images.n)
		return err_set(e, ENOENT, "manifest.json lists no image");
	r = choose(&images, u, &image, e);
	if (r < 0)
		return r;
	r = load_config(f, image->config, s, e);
	if (r < 0)
		return err_wrap(e, "image config");
	r = open_layers(f, &image->layers, s, e);
	return r < 0 ? r : oci_image_check_config(s, wish, e);
}
