/* SPDX-License-Identifier: Apache-2.0 */
#include "image/oci/docker_json.h"

#include <stdlib.h>

#include "runtime/base/json/json.h"
#include "image/oci/json.h"
#include "runtime/base/err.h"

static const char *const image_keys[] = {"Config", "RepoTags",     "Layers",
					 "Parent", "LayerSources", NULL};

static int parse_image(const struct json *v, struct docker_image *image, struct err *e)
{
	const char *config;
	int r;

	if (!json_is_object(v))
		return err_set(e, EBADMSG, "not an object");
	r = json_check_keys(v, image_keys, e);
	if (r >= 0)
		r = json_get_str(v, "Config", &config, e);
	if (r < 0)
		return r;
	if (!config || !*config)
		return err_set(e, EBADMSG, "Config: missing");
	image->config = strdup(config);
	if (!image->config)
		return err_oom(e);
	r = json_get_strv(v, "RepoTags", &image->repo_tags, e);
	if (r >= 0)
		r = json_get_strv(v, "Layers", &image->layers, e);
	if (r >= 0 && image->layers.n > OCI_LAYERS_MAX)
		r = err_set(e, E2BIG, "Layers: %zu entries, the limit is %d", image->layers.n,
			    OCI_LAYERS_MAX);
	return r;
}

int docker_images_parse(const void *text, size_t len, struct docker_images *ret, struct err *e)
{
	_json_ struct json *doc = NULL;
	_docker_images_ struct docker_images l = {0};
	size_t n;
	int r = json_parse(text, len, JSON_MANIFEST_MAX, &doc, e);

	if (r < 0)
		return r;
	if (!json_is_array(doc) && !json_is_null(doc))
		return err_set(e, EBADMSG, "not an array of images");
	n = json_count(doc);
	l.items = n ? calloc(n, sizeof(*l.items)) : NULL;
	if (n && !l.items)
		return err_oom(e);
	for (const struct json *i = json_first(doc); i; i = json_next(i)) {
		r = parse_image(i, &l.items[l.n++], e);
		if (r < 0)
			return err_wrap(e, "image %zu", l.n - 1);
	}
	*ret = l;
	l = (struct docker_images){0};
	return 0;
}

void docker_images_free(struct docker_images *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->items[i].config);
		strv_free(&l->items[i].repo_tags);
		strv_free(&l->items[i].layers);
	}
	free(l->items);
	*l = (struct docker_images){0};
}
