/* SPDX-License-Identifier: Apache-2.0 */
#include "image/oci/layout.h"

#include "image/oci/fileset.h"
#include "runtime/base/json/json.h"
#include "image/oci/image.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"

/*
 * The files that `skopeo copy ... dir:D` writes: `version`, manifest.json (a manifest, or an index
 * whose manifests are HEX.manifest.json) and blobs named by their bare hex digits.
 */
int skopeo_dir_load(const struct fileset *f, const struct image_wish *wish, struct image_source *s,
		    struct err *e)
{
	const struct oci_blobs blobs = {.files = f, .bare_names = true};
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int r = fileset_read(f, "version", 4096, &text, e);

	if (r < 0)
		return r;
	if (!str_has_prefix(strbuf_str(&text), "Directory Transport Version: 1."))
		return err_set(e, EOPNOTSUPP, "version: not \"Directory Transport Version: 1\"");
	strbuf_reset(&text);
	r = fileset_read(f, "manifest.json", JSON_MANIFEST_MAX, &text, e);
	return r < 0 ? r : oci_image_load_text(&blobs, &text, wish, s, e);
}
