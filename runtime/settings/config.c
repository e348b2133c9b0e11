/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/settings/config.h"

#include <stdlib.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"

int config_add(struct config *c, const struct config_key *key, const char *value, size_t len,
	       char *place, bool from_env)
{
	struct config_entry entry = {.key = key, .place = place, .from_env = from_env};

	entry.value = strndup(value, len);
	if (c->n == c->cap) {
		size_t cap = c->cap ? 2 * c->cap : 16;
		struct config_entry *p = reallocarray(c->entries, cap, sizeof(*p));

		if (p) {
			c->entries = p;
			c->cap = cap;
		}
	}
	if (!entry.value || !place || c->n == c->cap) {
		free(entry.value);
		free(place);
		return -ENOMEM;
	}
	c->entries[c->n++] = entry;
	return 0;
}

void config_free(struct config *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->entries[i].value);
		free(c->entries[i].place);
	}
	free(c->entries);
	*c = (struct config)CONFIG_INIT;
}

/* --- text --------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

struct line {
	const char *key, *value;
	size_t key_len, value_len;
};

/* Splits a line without its newline; 0 for an empty one or a comment, 1 for a pair. */
static int split_line(const char *p, size_t len, struct line *ret, const char **ret_why)
{
	*ret_why = NULL;
	while (len && is_blank(*p))
		p++, len--;
	if (len && p[len - 1] == '\r')
		len--;
	while (len && is_blank(p[len - 1]))
		len--;
	if (!len || *p == '#')
		return 0;
	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)p[i] < 0x20 && p[i] != '\t') {
			*ret_why = "a control character";
			return -EINVAL;
		}
	}
	ret->key = p;
	while (len && !is_blank(*p))
		p++, len--;
	ret->key_len = (size_t)(p - ret->key);
	while (len && is_blank(*p))
		p++, len--;
	ret->value = p;
	ret->value_len = len;
	if (!len) {
		*ret_why = "no value (write KEY VALUE)";
		return -EINVAL;
	}
	if (*p == '"') {
		if (len < 2 || p[len - 1] != '"') {
			*ret_why = "a quote that does not end";
			return -EINVAL;
		}
		ret->value++;
		ret->value_len -= 2;
	}
	return 1;
}

static int parse_line(struct config *c, const char *file, unsigned number, const char *p,
		      size_t len, struct err *e)
{
	_strbuf_ struct strbuf shown = STRBUF_INIT;
	_free_ char *name = NULL, *place = NULL, *value = NULL;
	const struct config_key *key;
	struct line line;
	const char *why;
	int r = split_line(p, len, &line, &why);

	if (r < 0)
		return err_set(e, EINVAL, "%s:%u: %s", file, number, why);
	if (!r)
		return 0;
	name = strndup(line.key, line.key_len);
	place = str_printf("%s:%u", file, number);
	value = strndup(line.value, line.value_len);
	if (!name || !place || !value)
		return err_oom(e);
	key = config_key_find(name);
	if (!key) {
		strbuf_add_escaped(&shown, name, strnlen(name, 64));
		return err_set(e, EINVAL, "%s: unknown key '%s'", place, strbuf_str(&shown));
	}
	if (key->kind == CONFIG_FLAG && *value && config_parse_flag(value) < 0)
		return err_set(e, EINVAL, "%s: %s is yes or no", place, name);
	if (config_add(c, key, value, strlen(value), take_ptr(place), false) < 0)
		return err_oom(e);
	return 0;
}

int config_parse(struct config *c, const char *file, const char *buf, size_t len, struct err *e)
{
	unsigned number = 0;

	while (len) {
		const char *end = memchr(buf, '\n', len);
		size_t n = end ? (size_t)(end - buf) : len;
		int r = parse_line(c, file, ++number, buf, n, e);

		if (r < 0)
			return r;
		n += end != NULL;
		buf += n;
		len -= n;
	}
	return 0;
}

/* --- lookup ------------------------------------------------------------------------------- */

/* The entries that count: all of the environment if it has any, else those of the files. */
static const struct config_entry *nth(const struct config *c, const char *key, size_t i)
{
	const struct config_entry *last = NULL;
	size_t first = 0;
	bool env = false;

	for (size_t k = c->n; k-- > 0;) {
		if (!strcmp(c->entries[k].key->name, key)) {
			last = &c->entries[k];
			env = last->from_env;
			break;
		}
	}
	if (!last || last->key->kind != CONFIG_LIST)
		return i ? NULL : last;
	/* An empty value drops what was before it. */
	for (size_t k = 0; k < c->n; k++) {
		if (c->entries[k].key == last->key && !*c->entries[k].value)
			first = k + 1;
	}
	for (size_t k = first; k < c->n; k++) {
		if (c->entries[k].key == last->key && c->entries[k].from_env == env && !i--)
			return &c->entries[k];
	}
	return NULL;
}

int config_get_nth(const struct config *c, const char *key, size_t i, const char **ret_value,
		   const char **ret_place)
{
	const struct config_entry *entry = nth(c, key, i);

	if (!entry || !*entry->value)
		return 0;
	*ret_value = entry->value;
	if (ret_place)
		*ret_place = entry->place;
	return 1;
}

const char *config_get(const struct config *c, const char *key)
{
	const char *value;

	return config_get_nth(c, key, 0, &value, NULL) ? value : NULL;
}

int config_parse_flag(const char *word)
{
	static const char *const words[2][5] = {{"no", "false", "off", "0", NULL},
						{"yes", "true", "on", "1", NULL}};

	for (int v = 0; v < 2; v++) {
		for (int i = 0; words[v][i]; i++) {
			if (!strcmp(word, words[v][i]))
				return v;
		}
	}
	return -EINVAL;
}
