/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/dockerfile/directive.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cmd/build/dockerfile/dockerfile.h"
#include "runtime/base/err.h"

static const char *skip_blanks(const char *s, const char *end)
{
	while (s < end && isspace((unsigned char)*s))
		s++;
	return s;
}

/* "#name=value" with blanks anywhere between; false: another comment, or none. */
static bool split(const char *s, size_t len, const char **ret_name, size_t *ret_name_len,
		  const char **ret_value, size_t *ret_value_len)
{
	const char *end = s + len, *value;

	while (end > s && isspace((unsigned char)end[-1]))
		end--;
	s = skip_blanks(s, end);
	if (s == end || *s != '#')
		return false;
	*ret_name = s = skip_blanks(s + 1, end);
	while (s < end &&
	       (isalpha((unsigned char)*s) || (s > *ret_name && isdigit((unsigned char)*s))))
		s++;
	*ret_name_len = (size_t)(s - *ret_name);
	s = skip_blanks(s, end);
	if (!*ret_name_len || s == end || *s != '=')
		return false;
	value = skip_blanks(s + 1, end);
	*ret_value = value;
	*ret_value_len = (size_t)(end - value);
	return *ret_value_len > 0;
}

static bool is(const char *name, size_t len, const char *want)
{
	return len == strlen(want) && !strncasecmp(name, want, len);
}

static int once(char **slot, const char *name, const char *value, size_t len, struct err *e)
{
	if (*slot)
		return err_set(e, EINVAL, "only one %s parser directive can be used", name);
	*slot = strndup(value, len);
	return *slot ? 1 : err_oom(e);
}

int directive_line(struct dockerfile *d, const char *line, size_t len, struct err *e)
{
	const char *name, *value;
	size_t name_len, value_len;

	if (!split(line, len, &name, &name_len, &value, &value_len))
		return 0;
	if (is(name, name_len, "syntax"))
		return once(&d->syntax, "syntax", value, value_len, e);
	if (is(name, name_len, "check"))
		return once(&d->check, "check", value, value_len, e);
	if (!is(name, name_len, "escape"))
		return 0;
	if (d->escape)
		return err_set(e, EINVAL, "only one escape parser directive can be used");
	if (value_len != 1 || (*value != '\\' && *value != '`'))
		return err_set(e, EINVAL, "invalid ESCAPE '%.*s'. Must be ` or \\",
			       (int)(value_len > 40 ? 40 : value_len), value);
	d->escape = *value;
	return 1;
}
