/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/dockerfile/heredoc_text.h"

#include "cmd/build/dockerfile/dockerfile.h"

char *heredoc_text(const struct dockerfile_heredoc *h)
{
	struct strbuf out = STRBUF_INIT;
	bool begins = true;

	for (size_t i = 0; i < h->len; i++) {
		if (h->chomp && begins && h->data[i] == '\t')
			continue;
		begins = h->data[i] == '\n';
		strbuf_addch(&out, h->data[i]);
	}
	return out.len ? strbuf_take(&out) : strdup("");
}
