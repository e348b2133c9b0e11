/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/dockerfile/ignore.h"

#include <stdlib.h>

#include "cmd/build/dockerfile/clean.h"
#include "cmd/build/dockerfile/glob.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

void ignore_free(struct ignore *g)
{
	strv_free(&g->patterns);
	*g = (struct ignore){0};
}

int ignore_add(struct ignore *g, const char *pattern, struct err *e)
{
	bool back = *pattern == '!';
	_free_ char *clean = NULL;
	int r;

	pattern += back;
	while (*pattern == ' ' || *pattern == '\t')
		pattern++;
	if (!*pattern)
		return back ? err_set(e, EINVAL, "illegal exclusion pattern: \"!\"") : 0;
	if (g->patterns.n == IGNORE_MAX_PATTERNS)
		return err_set(e, EFBIG, "more than %u patterns", IGNORE_MAX_PATTERNS);
	clean = path_clean(pattern);
	if (!clean)
		return err_oom(e);
	r = glob_check(clean, e);
	if (r < 0)
		return err_wrap(e, "%.200s", pattern);
	/* The root itself is always there. */
	if (!str_eq(clean, "."))
		strv_take(&g->patterns,
			  str_printf("%s%s", back ? "!" : "", clean + strspn(clean, "/")));
	g->takes_back |= back;
	return strv_check(&g->patterns, e);
}

static int add_line(struct ignore *g, const char *line, size_t len, struct err *e)
{
	_free_ char *pattern = NULL;

	while (len && strchr(" \t\r\v\f", line[len - 1]))
		len--;
	while (len && strchr(" \t\r\v\f", *line))
		line++, len--;
	if (!len)
		return 0;
	pattern = strndup(line, len);
	return pattern ? ignore_add(g, pattern, e) : err_oom(e);
}

int ignore_parse(const char *text, size_t len, struct ignore *ret, struct err *e)
{
	const char *end = text + len;
	int r = 0;

	*ret = (struct ignore){0};
	if (len > IGNORE_MAX_BYTES)
		return err_set(e, EFBIG, "more than %u bytes", IGNORE_MAX_BYTES);
	if (memchr(text, 0, len))
		return err_set(e, EINVAL, "a line holds a NUL byte");
	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		text += 3;
	while (r >= 0 && text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));

		stop = stop ? stop : end;
		if (*text != '#')
			r = add_line(ret, text, (size_t)(stop - text), e);
		text = stop < end ? stop + 1 : end;
	}
	if (r < 0)
		ignore_free(ret);
	return r;
}

/* The path itself or a directory above it. */
static bool covers(const char *pattern, const char *path)
{
	_free_ char *part = strdup(path);
	bool found = part && glob_matches_path(pattern, part);

	for (char *slash; !found && part && (slash = strrchr(part, '/'));) {
		*slash = 0;
		found = glob_matches_path(pattern, part);
	}
	return found;
}

bool ignore_has(const struct ignore *g, const char *path)
{
	for (size_t i = g->patterns.n; i-- > 0;) {
		const char *pattern = g->patterns.items[i];
		bool back = *pattern == '!';

		if (covers(pattern + back, path))
			return !back;
	}
	return false;
}
