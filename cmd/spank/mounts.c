/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/spank/mounts.h"

#include <stdbool.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

struct field {
	const char *text;
	size_t len;
};

static bool field_is(struct field f, const char *word)
{
	return f.len == strlen(word) && !strncmp(f.text, word, f.len);
}

static bool is_path(struct field f)
{
	return f.len && (*f.text == '/' || *f.text == '.');
}

/* Up to the next colon, or all that is left. */
static struct field next_field(struct field *rest)
{
	const char *colon = rest->len ? memchr(rest->text, ':', rest->len) : NULL;
	struct field f = {rest->text, colon ? (size_t)(colon - rest->text) : rest->len};
	size_t skip = f.len + (colon != NULL);

	*rest = (struct field){rest->text + skip, rest->len - skip};
	return f;
}

static void add_escaped(struct strbuf *b, struct field f)
{
	for (size_t i = 0; i < f.len; i++) {
		char c = f.text[i];

		if (c == ' ' || c == '\\')
			strbuf_addf(b, "\\%03o", (unsigned)(unsigned char)c);
		else
			strbuf_addch(b, c);
	}
}

/* A blank would begin another column of the line, a comma was the end of the entry. */
static int add_flags(struct strbuf *b, struct field flags, struct err *e)
{
	if (memchr(flags.text, ' ', flags.len) || memchr(flags.text, ':', flags.len) ||
	    memchr(flags.text, '\\', flags.len))
		return err_set(e, EINVAL, "invalid flags: %.*s",
			       (int)(flags.len > 200 ? 200 : flags.len), flags.text);
	strbuf_addch(b, ',');
	for (size_t i = 0; i < flags.len; i++)
		strbuf_addch(b, flags.text[i] == '+' ? ',' : flags.text[i]);
	return 0;
}

static const char *default_flags(struct field source)
{
	if (is_path(source))
		return "x-create=auto,rbind";
	if (field_is(source, "tmpfs"))
		return "x-create=dir";
	return field_is(source, "umount") ? "x-detach" : NULL;
}

static int write_line(struct field source, struct field target, struct field flags,
		      struct strbuf *line, struct err *e)
{
	const char *defaults = default_flags(source);

	if (!defaults)
		return err_set(
			e, EINVAL,
			"mount source must be a relative path, an absolute path, \"tmpfs\" or "
			"\"umount\": %.*s (a path has / or ./ before it)",
			(int)(source.len > 200 ? 200 : source.len), source.text);
	if (!is_path(target))
		return err_set(e, EINVAL,
			       "mount target must be a relative path or an absolute path: %.*s "
			       "(with / or ./ before it)",
			       (int)(target.len > 200 ? 200 : target.len), target.text);
	add_escaped(line, source);
	strbuf_addch(line, ' ');
	add_escaped(line, target);
	strbuf_addf(line, " %s", defaults);
	return flags.len ? add_flags(line, flags, e) : 0;
}

int spank_mount_add(struct strv *mounts, struct strv *sources, const char *entry, size_t len,
		    struct err *e)
{
	struct field rest = {entry, len}, source = next_field(&rest), target = source;
	_strbuf_ struct strbuf line = STRBUF_INIT;
	bool has_target = source.len < len;
	int r;

	if (has_target)
		target = next_field(&rest);
	if (!source.len || !target.len)
		return err_set(e, EINVAL, "invalid format: %.*s", (int)(len > 200 ? 200 : len),
			       entry);
	r = write_line(source, target, rest, &line, e);
	if (r >= 0)
		r = strbuf_check(&line, e);
	for (size_t i = 0; r >= 0 && i < mounts->n; i++) {
		if (str_eq(mounts->items[i], line.data))
			return 0;
	}
	if (r < 0)
		return r;
	strv_add(mounts, line.data);
	if (is_path(source))
		strv_addn(sources, source.text, source.len);
	return strv_check(mounts, e);
}
