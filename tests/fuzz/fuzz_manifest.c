/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every document around an image, from the same bytes. At most one kind of document accepts them;
 * what comes out is bounded and its digests are safe as path components.
 */
#include <stdlib.h>
#include <string.h>

#include "image/oci/config.h"
#include "image/model/digest.h"
#include "image/oci/docker_json.h"
#include "image/import/enroot_meta.h"
#include "image/oci/json.h"
#include "image/oci/platform.h"
#include "runtime/base/err.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "tests/fuzz/fuzz.h"

static void check_digest(const struct digest *d)
{
	char text[DIGEST_TEXT_MAX];
	struct digest again;

	FUZZ_ASSERT(!digest_parse(digest_format(d, text), &again, NULL) && digest_equal(d, &again));
	FUZZ_ASSERT(!strpbrk(d->hex, "./") && strlen(d->hex) >= 64);
}

static void check_document(const uint8_t *data, size_t size)
{
	_oci_document_ struct oci_document d = {0}, as_index = {0}, as_manifest = {0};
	struct platform want;
	size_t place;

	if (oci_document_parse(data, size, NULL, &d, NULL) < 0)
		return;
	for (size_t i = 0; i < d.n; i++)
		check_digest(&d.entries[i].digest);
	if (d.kind == OCI_MANIFEST) {
		check_digest(&d.config.digest);
		FUZZ_ASSERT(d.n <= OCI_LAYERS_MAX);
		FUZZ_ASSERT(oci_document_parse(data, size, OCI_MEDIA_INDEX, &as_index, NULL) < 0);
		return;
	}
	FUZZ_ASSERT(d.n <= OCI_INDEX_MAX);
	FUZZ_ASSERT(oci_document_parse(data, size, OCI_MEDIA_MANIFEST, &as_manifest, NULL) < 0);
	FUZZ_ASSERT(!platform_wanted("amd64", NULL, &want, NULL));
	if (!platform_choose(&want, d.entries, d.n, &place, NULL))
		FUZZ_ASSERT(place < d.n && !d.entries[place].attestation);
}

/* Each line of fstab names one clean path twice; none of environment could be taken for another. */
static void check_meta(const struct enroot_meta *m)
{
	static const char *const source = "${ENROOT_ROOTFS}";

	for (const char *p = strbuf_str(&m->fstab); *p; p = strchr(p, '\n') + 1) {
		FUZZ_ASSERT(str_has_prefix(p, source) && p[strlen(source)] == '/');
		FUZZ_ASSERT(!strstr(p, "/../") &&
			    strcspn(p + strlen(source), "$") >= strcspn(p, "\n") - strlen(source));
	}
	for (const char *p = strbuf_str(&m->environment); *p; p = strchr(p, '\n') + 1)
		FUZZ_ASSERT(*p != '=' && strcspn(p, "=") < strcspn(p, "\n"));
	FUZZ_ASSERT(str_has_suffix(strbuf_str(&m->rc), "\nfi\n"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_docker_images_ struct docker_images images = {0};
	_image_config_ struct image_config config = {0};
	struct image_source source = {0};
	struct enroot_meta meta = {0};

	check_document(data, size);
	if (!docker_images_parse(data, size, &images, NULL)) {
		for (size_t i = 0; i < images.n; i++)
			FUZZ_ASSERT(images.items[i].config &&
				    images.items[i].layers.n <= OCI_LAYERS_MAX);
	}
	(void)oci_layout_check(data, size, NULL);
	if (image_config_parse(data, size, &config, NULL) < 0)
		return 0;
	for (size_t i = 0; i < config.n_diff_ids; i++)
		check_digest(&config.diff_ids[i]);
	FUZZ_ASSERT(config.label_names.n == config.label_values.n);
	strbuf_add(&source.config, data, size);
	if (!enroot_meta_build(&source, &meta, NULL))
		check_meta(&meta);
	enroot_meta_free(&meta);
	strbuf_free(&source.config);
	return 0;
}
