/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/enroot/conf/expand.h"

#include <stdbool.h>
#include <string.h>

#include "runtime/base/str.h"

const char *env_list_get(char *const *env, const char *name, size_t len)
{
	for (; env && *env; env++) {
		if (!strncmp(*env, name, len) && (*env)[len] == '=')
			return *env + len + 1;
	}
	return NULL;
}

static size_t name_length(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && (s[n] == '_' || (s[n] >= 'a' && s[n] <= 'z') ||
			   (s[n] >= 'A' && s[n] <= 'Z') || (n && s[n] >= '0' && s[n] <= '9')))
		n++;
	return n;
}

/* Length of the reference that begins at s, 0 when there is none; its name goes to *ret_name. */
static size_t reference(const char *s, size_t len, const char **ret_name, size_t *ret_len)
{
	bool braced = len > 1 && s[1] == '{';
	size_t skip = braced ? 2 : 1, n = len > skip ? name_length(s + skip, len - skip) : 0;

	*ret_name = s + skip;
	*ret_len = n;
	if (!n || (braced && (skip + n == len || s[skip + n] != '}')))
		return 0;
	return skip + n + braced;
}

void expand_variables(const char *text, size_t len, char *const *env, struct strbuf *out)
{
	while (len) {
		const char *dollar = memchr(text, '$', len), *name;
		size_t plain = dollar ? (size_t)(dollar - text) : len, n, name_len;

		strbuf_add(out, text, plain);
		text += plain;
		len -= plain;
		if (!len)
			break;
		n = reference(text, len, &name, &name_len);
		if (n) {
			const char *value = env_list_get(env, name, name_len);

			strbuf_addstr(out, value ? value : "");
		} else {
			strbuf_addch(out, '$');
			n = 1;
		}
		text += n;
		len -= n;
	}
}
