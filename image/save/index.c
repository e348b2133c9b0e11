/* SPDX-License-Identifier: Apache-2.0 */
#include "image/save/index.h"

#include <stdlib.h>

#include "image/table/image_name.h"
#include "image/oci/json.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

#define MEDIA_CONFIG "application/vnd.oci.image.config.v1+json"
#define MEDIA_LAYER "application/vnd.oci.image.layer.v1.tar"
#define MEDIA_INDEX "application/vnd.oci.image.index.v1+json"

int save_image_add_layer(struct save_image *i, const char *digest, uint64_t bytes, struct err *e)
{
	uint64_t *sizes = reallocarray(i->layer_bytes, i->layers.n + 1, sizeof(*sizes));

	if (!sizes)
		return err_oom(e);
	i->layer_bytes = sizes;
	sizes[i->layers.n] = bytes;
	strv_add(&i->layers, digest);
	return strv_check(&i->layers, e);
}

void save_image_free(struct save_image *i)
{
	strv_free(&i->layers);
	free(i->layer_bytes);
	*i = (struct save_image){0};
}

/* Without its closing brace, so that annotations may follow. */
static void begin_descriptor(struct json_out *j, const char *type, const char *digest,
			     uint64_t bytes)
{
	json_begin_object(j);
	json_kstr(j, "mediaType", type);
	json_kstr(j, "digest", digest);
	json_key(j, "size");
	json_u64(j, bytes);
}

static int take(struct json_out *j, struct strbuf *out, struct err *e)
{
	int r = json_finish(j, e);

	if (r < 0)
		return r;
	strbuf_add(out, j->buf.data, j->buf.len);
	return strbuf_check(out, e);
}

int save_image_manifest(struct save_image *i, struct strbuf *out, struct err *e)
{
	struct json_out j = JSON_OUT_INIT;
	struct digest d;
	int r;

	json_begin_object(&j);
	json_key(&j, "schemaVersion");
	json_u64(&j, 2);
	json_kstr(&j, "mediaType", OCI_MEDIA_MANIFEST);
	json_key(&j, "config");
	begin_descriptor(&j, MEDIA_CONFIG, i->config, i->config_bytes);
	json_end_object(&j);
	json_key(&j, "layers");
	json_begin_array(&j);
	for (size_t k = 0; k < i->layers.n; k++) {
		begin_descriptor(&j, MEDIA_LAYER, i->layers.items[k], i->layer_bytes[k]);
		json_end_object(&j);
	}
	json_end_array(&j);
	json_end_object(&j);
	r = take(&j, out, e);
	json_out_free(&j);
	if (r >= 0)
		r = digest_of(strbuf_str(out), out->len, &d, e);
	if (r < 0)
		return r;
	digest_format(&d, i->manifest);
	i->manifest_bytes = out->len;
	return 0;
}

static void begin(struct save_index *x)
{
	if (x->begun)
		return;
	x->begun = true;
	json_begin_object(&x->index);
	json_key(&x->index, "schemaVersion");
	json_u64(&x->index, 2);
	json_kstr(&x->index, "mediaType", MEDIA_INDEX);
	json_key(&x->index, "manifests");
	json_begin_array(&x->index);
	json_begin_array(&x->docker);
}

static void add_to_index(struct json_out *j, const struct save_image *i, const char *name)
{
	begin_descriptor(j, OCI_MEDIA_MANIFEST, i->manifest, i->manifest_bytes);
	if (name) {
		json_key(j, "annotations");
		json_begin_object(j);
		json_kstr(j, "io.containerd.image.name", name);
		json_kstr(j, "org.opencontainers.image.ref.name",
			  name + image_name_repository_len(name) + 1);
		json_end_object(j);
	}
	json_end_object(j);
}

static void add_path(struct json_out *j, const char *digest)
{
	_free_ char *path = str_printf("blobs/sha256/%s", digest + strlen("sha256:"));

	json_str(j, path ? path : "");
}

static void add_to_docker(struct json_out *j, const struct save_image *i)
{
	json_begin_object(j);
	json_key(j, "Config");
	add_path(j, i->config);
	json_key(j, "RepoTags");
	if (!i->names->n) {
		json_null(j);
	} else {
		json_begin_array(j);
		for (size_t k = 0; k < i->names->n; k++)
			json_str(j, image_name_familiar(i->names->items[k]));
		json_end_array(j);
	}
	json_key(j, "Layers");
	json_begin_array(j);
	for (size_t k = 0; k < i->layers.n; k++)
		add_path(j, i->layers.items[k]);
	json_end_array(j);
	json_end_object(j);
}

int save_index_add(struct save_index *x, const struct save_image *i, struct err *e)
{
	begin(x);
	for (size_t k = 0; k < i->names->n; k++)
		add_to_index(&x->index, i, i->names->items[k]);
	if (!i->names->n)
		add_to_index(&x->index, i, NULL);
	add_to_docker(&x->docker, i);
	return strbuf_check(&x->docker.buf, e);
}

int save_index_format(struct save_index *x, struct strbuf *index, struct strbuf *docker,
		      struct err *e)
{
	int r;

	begin(x);
	json_end_array(&x->index);
	json_end_object(&x->index);
	json_end_array(&x->docker);
	r = take(&x->index, index, e);
	return r < 0 ? r : take(&x->docker, docker, e);
}

void save_index_free(struct save_index *x)
{
	json_out_free(&x->index);
	json_out_free(&x->docker);
}
