/* SPDX-License-Identifier: Apache-2.0 */
#include "image/store/store.h"

#include <stdlib.h>

#include "image/model/digest.h"
#include "runtime/base/json/json.h"
#include "image/oci/json.h"
#include "image/store/priv.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/out.h"

#define NAME_KEY "org.opencontainers.image.ref.name"
/* The digest that the name stood for when the entry is one platform's of an index. */
#define ROOT_KEY "csbx.root.digest"

static int copy(const char *text, char **ret, struct err *e)
{
	*ret = text ? strdup(text) : NULL;
	return text && !*ret ? err_oom(e) : 0;
}

static int parse_str(const struct json *v, const char *key, char **ret, struct err *e)
{
	const char *text;
	int r = json_get_str(v, key, &text, e);

	return r < 0 ? r : copy(text, ret, e);
}

static int parse_platform(const struct json *v, struct store_image *i, struct err *e)
{
	const struct json *platform;
	int r = json_get_object(v, "platform", &platform, e);

	if (r < 0 || !platform)
		return r;
	r = parse_str(platform, "os", &i->os, e);
	if (r >= 0)
		r = parse_str(platform, "architecture", &i->arch, e);
	return r < 0 ? r : parse_str(platform, "variant", &i->variant, e);
}

static int parse_annotations(const struct json *v, struct store_image *i, struct err *e)
{
	const struct json *annotations;
	const char *root = NULL;
	int r = json_get_object(v, "annotations", &annotations, e);

	i->root = i->manifest;
	if (r < 0 || !annotations)
		return r;
	r = parse_str(annotations, NAME_KEY, &i->name, e);
	if (r >= 0)
		r = json_get_str(annotations, ROOT_KEY, &root, e);
	return r < 0 || !root ? r : digest_parse(root, &i->root, e);
}

static int parse_image(const struct json *v, struct store_image *i, struct err *e)
{
	const char *digest;
	int r = json_is_object(v) ? json_get_str(v, "digest", &digest, e)
				  : err_set(e, EBADMSG, "not an object");

	if (r >= 0)
		r = digest ? digest_parse(digest, &i->manifest, e)
			   : err_set(e, EBADMSG, "digest: missing");
	if (r >= 0)
		r = json_get_size(v, "size", &i->size_bytes, e);
	if (r >= 0)
		r = parse_str(v, "mediaType", &i->media_type, e);
	if (r >= 0)
		r = parse_platform(v, i, e);
	return r < 0 ? r : parse_annotations(v, i, e);
}

void store_image_free(struct store_image *i)
{
	free(i->name);
	free(i->media_type);
	free(i->os);
	free(i->arch);
	free(i->variant);
	*i = (struct store_image){0};
}

void store_images_free(struct store_images *l)
{
	for (size_t i = 0; i < l->n; i++)
		store_image_free(&l->items[i]);
	free(l->items);
	*l = (struct store_images){0};
}

int store_images_pack(struct store_images *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		if (digest_is_set(&l->items[i].manifest))
			l->items[n++] = l->items[i];
	}
	l->n = n;
	return 0;
}

int store_images_parse(const void *text, size_t len, struct store_images *ret, struct err *e)
{
	_json_ struct json *doc = NULL;
	_store_images_ struct store_images l = {0};
	const struct json *manifests = NULL;
	size_t n;
	int r = json_parse(text, len, JSON_MANIFEST_MAX, &doc, e);

	if (r >= 0 && !json_is_object(doc))
		r = err_set(e, EBADMSG, "not an object");
	if (r >= 0)
		r = json_get_array(doc, "manifests", &manifests, e);
	if (r < 0)
		return r;
	n = manifests ? json_count(manifests) : 0;
	l.items = n ? calloc(n, sizeof(*l.items)) : NULL;
	if (n && !l.items)
		return err_oom(e);
	for (const struct json *i = manifests ? json_first(manifests) : NULL; i; i = json_next(i)) {
		r = parse_image(i, &l.items[l.n], e);
		if (r == -ENOMEM)
			return r;
		if (r < 0 || oci_kind_of(l.items[l.n].media_type) == -1)
			store_image_free(&l.items[l.n]);
		else
			l.n++;
	}
	*ret = l;
	l = (struct store_images){0};
	return 0;
}

static void format_image(struct json_out *j, const struct store_image *i)
{
	char text[DIGEST_TEXT_MAX];

	json_begin_object(j);
	if (i->media_type)
		json_kstr(j, "mediaType", i->media_type);
	json_kstr(j, "digest", digest_format(&i->manifest, text));
	json_ku64(j, "size", i->size_bytes);
	if (i->arch) {
		json_key(j, "platform");
		json_begin_object(j);
		json_kstr(j, "architecture", i->arch);
		json_kstr(j, "os", i->os ? i->os : "linux");
		if (i->variant)
			json_kstr(j, "variant", i->variant);
		json_end_object(j);
	}
	json_key(j, "annotations");
	json_begin_object(j);
	if (i->name)
		json_kstr(j, NAME_KEY, i->name);
	if (digest_is_set(&i->root) && !digest_equal(&i->root, &i->manifest))
		json_kstr(j, ROOT_KEY, digest_format(&i->root, text));
	json_end_object(j);
	json_end_object(j);
}

int store_images_format(const struct store_images *l, struct strbuf *out, struct err *e)
{
	struct json_out j = JSON_OUT_INIT;

	json_begin_object(&j);
	json_ku64(&j, "schemaVersion", 2);
	json_kstr(&j, "mediaType", OCI_MEDIA_INDEX);
	json_key(&j, "manifests");
	json_begin_array(&j);
	for (size_t i = 0; i < l->n; i++)
		format_image(&j, &l->items[i]);
	json_end_array(&j);
	json_end_object(&j);
	return json_append(&j, out, e);
}
