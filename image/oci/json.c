/* SPDX-License-Identifier: Apache-2.0 */
#include "image/oci/json.h"

#include <stdlib.h>

#include "image/model/digest.h"
#include "runtime/base/json/json.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"

static const struct {
	const char *media_type;
	enum oci_kind kind;
} document_types[] = {
	{OCI_MEDIA_INDEX, OCI_INDEX},
	{OCI_MEDIA_MANIFEST, OCI_MANIFEST},
	{"application/vnd.docker.distribution.manifest.list.v2+json", OCI_INDEX},
	{"application/vnd.docker.distribution.manifest.v2+json", OCI_MANIFEST},
};

static const char *const config_types[] = {
	"application/vnd.oci.image.config.v1+json",
	"application/vnd.docker.container.image.v1+json",
	NULL,
};

static const char *const layer_types[] = {
	"application/vnd.oci.image.layer.v1.tar",
	"application/vnd.oci.image.layer.v1.tar+gzip",
	"application/vnd.oci.image.layer.v1.tar+zstd",
	"application/vnd.oci.image.layer.nondistributable.v1.tar",
	"application/vnd.oci.image.layer.nondistributable.v1.tar+gzip",
	"application/vnd.oci.image.layer.nondistributable.v1.tar+zstd",
	"application/vnd.docker.image.rootfs.diff.tar",
	"application/vnd.docker.image.rootfs.diff.tar.gzip",
	"application/vnd.docker.image.rootfs.diff.tar.zstd",
	"application/vnd.docker.image.rootfs.foreign.diff.tar",
	"application/vnd.docker.image.rootfs.foreign.diff.tar.gzip",
	NULL,
};

static const char *const document_keys[] = {
	"schemaVersion", "mediaType", "artifactType", "manifests",   "config",
	"layers",        "fsLayers",  "subject",      "annotations", NULL,
};
static const char *const descriptor_keys[] = {
	"mediaType", "digest", "size",         "platform", "annotations",
	"urls",      "data",   "artifactType", NULL,
};
static const char *const platform_keys[] = {"os", "architecture", "variant", "os.version", NULL};

static bool is_one_of(const char *s, const char *const *list)
{
	for (; *list; list++) {
		if (str_eq(s, *list))
			return true;
	}
	return false;
}

int oci_kind_of(const char *media_type)
{
	for (unsigned i = 0; media_type && i < sizeof(document_types) / sizeof(document_types[0]);
	     i++) {
		if (str_eq(media_type, document_types[i].media_type))
			return (int)document_types[i].kind;
	}
	return -1;
}

/* A copy of a string member, NULL where it is absent. */
static int copy_member(const struct json *obj, const char *key, char **ret, struct err *e)
{
	const char *s;
	int r = json_get_str(obj, key, &s, e);

	if (r < 0 || !s)
		return r;
	*ret = strdup(s);
	return *ret ? 0 : err_oom(e);
}

static int parse_platform(const struct json *v, struct oci_descriptor *d, struct err *e)
{
	int r = json_check_keys(v, platform_keys, e);

	if (r >= 0)
		r = copy_member(v, "os", &d->os, e);
	if (r >= 0)
		r = copy_member(v, "architecture", &d->arch, e);
	if (r >= 0)
		r = copy_member(v, "variant", &d->variant, e);
	return r < 0 ? err_wrap(e, "platform") : 0;
}

static int parse_annotations(const struct json *v, struct oci_descriptor *d, struct err *e)
{
	int r = copy_member(v, "org.opencontainers.image.ref.name", &d->ref_name, e);

	if (r >= 0)
		r = copy_member(v, "io.containerd.image.name", &d->image_name, e);
	d->attestation = json_member(v, "vnd.docker.reference.type");
	return r < 0 ? err_wrap(e, "annotations") : 0;
}

static int parse_descriptor(const struct json *v, struct oci_descriptor *d, struct err *e)
{
	const struct json *platform, *annotations, *urls;
	const char *digest;
	int r;

	if (!json_is_object(v))
		return err_set(e, EBADMSG, "not an object");
	r = json_check_keys(v, descriptor_keys, e);
	if (r >= 0)
		r = copy_member(v, "mediaType", &d->media_type, e);
	if (r >= 0)
		r = json_get_str(v, "digest", &digest, e);
	if (r >= 0)
		r = digest ? digest_parse(digest, &d->digest, e)
			   : err_set(e, EBADMSG, "digest: missing");
	if (r >= 0)
		r = json_get_size(v, "size", &d->size_bytes, e);
	if (r >= 0)
		r = json_get_array(v, "urls", &urls, e);
	if (r >= 0)
		d->foreign = urls && json_count(urls);
	if (r >= 0)
		r = json_get_object(v, "platform", &platform, e);
	if (r >= 0 && platform)
		r = parse_platform(platform, d, e);
	if (r >= 0)
		r = json_get_object(v, "annotations", &annotations, e);
	if (r >= 0 && annotations)
		r = parse_annotations(annotations, d, e);
	return r;
}

static int parse_entries(const struct json *doc, const char *key, size_t max,
			 struct oci_document *d, struct err *e)
{
	const struct json *array;
	size_t n;
	int r = json_get_array(doc, key, &array, e);

	if (r < 0)
		return r;
	n = json_count(array);
	if (n > max)
		return err_set(e, E2BIG, "%s: %zu entries, the limit is %zu", key, n, max);
	d->entries = n ? calloc(n, sizeof(*d->entries)) : NULL;
	if (n && !d->entries)
		return err_oom(e);
	for (const struct json *i = json_first(array); i; i = json_next(i)) {
		r = parse_descriptor(i, &d->entries[d->n++], e);
		if (r < 0)
			return err_wrap(e, "%s[%zu]", key, d->n - 1);
	}
	return 0;
}

static bool has_key(const struct json *obj, const char *key)
{
	for (const struct json *m = json_first(obj); m; m = json_next(m)) {
		if (str_eq(json_name(m), key))
			return true;
	}
	return false;
}

static int check_version(const struct json *doc, struct err *e)
{
	uint64_t version;
	int r = json_get_size(doc, "schemaVersion", &version, e);

	if (r < 0)
		return r;
	if (version == 1)
		return err_set(e, EOPNOTSUPP,
			       "docker image manifest schema 1 is obsolete and not supported; "
			       "pull and push the image again with a current tool");
	return version == 2 ? 0 : err_set(e, EBADMSG, "schemaVersion: not 2");
}

static int same_kind(const char *media_type, const char *whose, enum oci_kind kind, struct err *e)
{
	int k = oci_kind_of(media_type);

	if (!media_type || k == (int)kind)
		return 0;
	if (k < 0)
		return err_set(e, EOPNOTSUPP, "%s type %.100s: not a container image", whose,
			       media_type);
	return err_set(e, EBADMSG, "%s says %.100s, but the members are those of %s", whose,
		       media_type, kind == OCI_INDEX ? "an index" : "a manifest");
}

/* Decides what the document is; see the header for why it looks three times. */
static int classify(const struct json *doc, const char *referred, enum oci_kind *ret, struct err *e)
{
	const char *own;
	bool index = has_key(doc, "manifests");
	bool manifest =
		has_key(doc, "layers") || has_key(doc, "config") || has_key(doc, "fsLayers");
	int r = json_get_str(doc, "mediaType", &own, e);

	if (r < 0)
		return r;
	if (index && manifest)
		return err_set(e, EBADMSG, "has the members of an index and of a manifest");
	if (!index && !manifest)
		return err_set(e, EBADMSG, "neither an image index nor an image manifest");
	*ret = index ? OCI_INDEX : OCI_MANIFEST;
	if (own && referred && !str_eq(own, referred))
		return err_set(e, EBADMSG, "mediaType %.100s, but referred to as %.100s", own,
			       referred);
	r = same_kind(own, "mediaType", *ret, e);
	return r < 0 ? r : same_kind(referred, "reference", *ret, e);
}

static int check_layer(const struct oci_document *d, const struct oci_descriptor *layer,
		       struct err *e)
{
	if (!layer->media_type)
		return err_set(e, EBADMSG, "mediaType: missing");
	if (str_has_suffix(layer->media_type, "+encrypted"))
		return err_set(e, EOPNOTSUPP,
			       "encrypted; decrypt the image first (skopeo copy --decryption-key)");
	if (!is_one_of(layer->media_type, layer_types))
		return err_set(e, EOPNOTSUPP, "type %.100s: not a file system layer",
			       layer->media_type);
	if (digest_equal(&layer->digest, &d->config.digest))
		return err_set(e, EBADMSG, "has the digest of the config");
	return 0;
}

static int parse_manifest(const struct json *doc, struct oci_document *d, struct err *e)
{
	const struct json *config;
	int r = json_get_object(doc, "config", &config, e);

	if (r >= 0)
		r = config ? parse_descriptor(config, &d->config, e)
			   : err_set(e, EBADMSG, "missing");
	if (r >= 0 && (!d->config.media_type || !is_one_of(d->config.media_type, config_types)))
		r = err_set(e, EOPNOTSUPP, "type %.100s: an artifact, not a container image",
			    d->config.media_type ? d->config.media_type : "(none)");
	if (r < 0)
		return err_wrap(e, "config");
	r = parse_entries(doc, "layers", OCI_LAYERS_MAX, d, e);
	for (size_t i = 0; r >= 0 && i < d->n; i++) {
		r = check_layer(d, &d->entries[i], e);
		if (r < 0)
			return err_wrap(e, "layers[%zu]", i);
	}
	return r;
}

int oci_document_parse(const void *text, size_t len, const char *media_type,
		       struct oci_document *ret, struct err *e)
{
	_json_ struct json *doc = NULL;
	_oci_document_ struct oci_document d = {0};
	int r = json_parse(text, len, JSON_MANIFEST_MAX, &doc, e);

	if (r < 0)
		return r;
	if (!json_is_object(doc))
		return err_set(e, EBADMSG, "not a JSON object");
	r = json_check_keys(doc, document_keys, e);
	if (r >= 0)
		r = check_version(doc, e);
	if (r >= 0)
		r = classify(doc, media_type, &d.kind, e);
	if (r < 0)
		return r;
	r = d.kind == OCI_INDEX ? parse_entries(doc, "manifests", OCI_INDEX_MAX, &d, e)
				: parse_manifest(doc, &d, e);
	if (r < 0)
		return r;
	*ret = d;
	d = (struct oci_document){0};
	return 0;
}

static void descriptor_release(struct oci_descriptor *d)
{
	free(d->media_type);
	free(d->os);
	free(d->arch);
	free(d->variant);
	free(d->ref_name);
	free(d->image_name);
}

void oci_document_free(struct oci_document *d)
{
	for (size_t i = 0; i < d->n; i++)
		descriptor_release(&d->entries[i]);
	free(d->entries);
	descriptor_release(&d->config);
	*d = (struct oci_document){0};
}

int oci_layout_check(const void *text, size_t len, struct err *e)
{
	_json_ struct json *doc = NULL;
	const char *version;
	int r = json_parse(text, len, JSON_MANIFEST_MAX, &doc, e);

	if (r < 0)
		return r;
	if (!json_is_object(doc))
		return err_set(e, EBADMSG, "not a JSON object");
	r = json_get_str(doc, "imageLayoutVersion", &version, e);
	if (r < 0)
		return r;
	if (!version || !str_has_prefix(version, "1."))
		return err_set(e, EOPNOTSUPP, "imageLayoutVersion %.32s: only 1.0.0 is supported",
			       version ? version : "missing");
	return 0;
}
