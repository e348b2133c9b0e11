/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/enroot/conf/conf.h"

#include <stdlib.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"

int enroot_conf_set(struct enroot_conf *c, const char *key, const char *value, const char *place,
		    struct err *e)
{
	struct enroot_setting s = {strdup(key), strdup(value), strdup(place)};

	if (c->n == c->cap) {
		size_t cap = c->cap ? 2 * c->cap : 32;
		struct enroot_setting *p = reallocarray(c->items, cap, sizeof(*p));

		if (p) {
			c->items = p;
			c->cap = cap;
		}
	}
	if (!s.key || !s.value || !s.place || c->n == c->cap) {
		free(s.key);
		free(s.value);
		free(s.place);
		return err_oom(e);
	}
	c->items[c->n++] = s;
	return 0;
}

void enroot_conf_free(struct enroot_conf *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->items[i].key);
		free(c->items[i].value);
		free(c->items[i].place);
	}
	free(c->items);
	strv_free(&c->warnings);
	*c = (struct enroot_conf)ENROOT_CONF_INIT;
}

const struct enroot_setting *enroot_conf_find(const struct enroot_conf *c, const char *key)
{
	for (size_t i = c->n; i-- > 0;) {
		if (str_eq(c->items[i].key, key))
			return &c->items[i];
	}
	return NULL;
}

bool enroot_conf_is_false(const char *word)
{
	static const char *const words[] = {"n", "N",     "no",    "No",    "NO", "f",
					    "F", "false", "False", "FALSE", "0",  "off"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (str_eq(word, words[i]))
			return true;
	}
	return false;
}

const char *enroot_conf_get(const struct enroot_conf *c, const char *key)
{
	const struct enroot_setting *s = enroot_conf_find(c, key);

	return s && *s->value && !enroot_conf_is_false(s->value) ? s->value : NULL;
}

bool enroot_conf_flag(const struct enroot_conf *c, const char *key, bool silent)
{
	const struct enroot_setting *s = enroot_conf_find(c, key);

	return s && *s->value ? !enroot_conf_is_false(s->value) : silent;
}
