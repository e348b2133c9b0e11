/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/dockerfile/dockerfile.h"

#define LINES_AROUND 2u /* shown before and after those of the place */

static const char rule[] = "--------------------\n";

void dockerfile_show_place(const char *file, const char *text, size_t len,
			   const struct dockerfile_place *place, struct strbuf *out)
{
	unsigned first = place->line > LINES_AROUND ? place->line - LINES_AROUND : 1, line = 1;
	const char *end = text + len;

	if (!place->line)
		return;
	strbuf_addf(out, "%s:%u\n%s", file, place->line, rule);
	for (const char *p = text; p < end && line <= place->end_line + LINES_AROUND; line++) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		const char *stop = newline ? newline : end;

		if (line >= first) {
			strbuf_addf(out, "%4u | %s ", line,
				    line >= place->line && line <= place->end_line ? ">>>" : "   ");
			strbuf_add_escaped(out, p, (size_t)(stop - p));
			strbuf_addch(out, '\n');
		}
		p = newline ? newline + 1 : end;
	}
	strbuf_addstr(out, rule);
}
