/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/image/pull_text.h"

#include "cmd/docker/frame/docker.h"
#include "image/table/image_name.h"
#include "image/model/source.h"
#include "runtime/base/str.h"

void pull_text_default_tag(void)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	strbuf_addstr(&out, "Using default tag: latest\n");
	(void)cmd_print(&out);
}

static void add_layers(struct strbuf *out, const struct image_source *src, const char *what)
{
	for (size_t i = 0; i < src->n_layers; i++)
		strbuf_addf(out, "%.12s: %s\n", src->layers[i].digest.hex, what);
}

/* docker names a tag alone, a digest with all of the name before it. */
void pull_text_begin(const struct pull_text *t, const struct image_source *src)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	if (t->quiet)
		return;
	strbuf_addf(&out, "%s: Pulling from %s\n",
		    t->name->digest ? t->canonical
		    : t->name->tag  ? t->name->tag
				    : "latest",
		    t->name->path);
	if (!t->same) {
		add_layers(&out, src, "Pulling fs layer");
		add_layers(&out, src, "Verifying Checksum");
		add_layers(&out, src, "Download complete");
	}
	(void)cmd_print(&out);
}

void pull_text_end(const struct pull_text *t, const struct image_source *src)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	if (!t->quiet) {
		if (!t->same)
			add_layers(&out, src, "Pull complete");
		strbuf_addf(&out, "Digest: %s\nStatus: %s for %s\n", t->digest,
			    t->same ? "Image is up to date" : "Downloaded newer image",
			    image_name_familiar(t->canonical));
	}
	strbuf_addf(&out, "%s\n", t->canonical);
	(void)cmd_print(&out);
}
