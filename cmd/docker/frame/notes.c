/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/frame/notes.h"

#include "runtime/base/fd.h"
#include "runtime/base/str.h"

void notes_add(struct strv *notes, const char *key, const char *value)
{
	if (value)
		strv_take(notes, str_printf("%s=%s", key, value));
}

void notes_add_all(struct strv *notes, const char *key, const struct strv *values)
{
	for (size_t i = 0; i < values->n; i++)
		notes_add(notes, key, values->items[i]);
}

const char *notes_get(const struct strv *notes, const char *key, size_t nth)
{
	size_t len = strlen(key);

	for (size_t i = 0; i < notes->n; i++) {
		const char *note = notes->items[i];

		if (!strncmp(note, key, len) && note[len] == '=' && !nth--)
			return note + len + 1;
	}
	return NULL;
}

void notes_copy(struct strv *ret, const char *key, const struct strv *notes)
{
	const char *value;

	for (size_t i = 0; (value = notes_get(notes, key, i)); i++)
		notes_add(ret, key, value);
}

void notes_get_all(const struct strv *notes, const char *key, struct strv *ret)
{
	const char *value;

	for (size_t i = 0; (value = notes_get(notes, key, i)); i++)
		strv_add(ret, value);
}
