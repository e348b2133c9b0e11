/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/options/mount_keys.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/options/mount_spec.h"
#include "cmd/options/mount_words.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/spec/spec.h"

enum key {
	KEY_TYPE,
	KEY_SOURCE,
	KEY_TARGET,
	KEY_READONLY,
	KEY_PROPAGATION,
	KEY_NONRECURSIVE,
	KEY_RECURSIVE,
	KEY_TMPFS_SIZE,
	KEY_TMPFS_MODE,
	KEY_CONSISTENCY,
	KEY_NOFAIL,
};

static const struct {
	const char *name;
	enum key key;
} keys[] = {
	{"type", KEY_TYPE},
	{"source", KEY_SOURCE},
	{"src", KEY_SOURCE},
	{"target", KEY_TARGET},
	{"destination", KEY_TARGET},
	{"dst", KEY_TARGET},
	{"readonly", KEY_READONLY},
	{"ro", KEY_READONLY},
	{"bind-propagation", KEY_PROPAGATION},
	{"bind-nonrecursive", KEY_NONRECURSIVE},
	{"bind-recursive", KEY_RECURSIVE},
	{"tmpfs-size", KEY_TMPFS_SIZE},
	{"tmpfs-mode", KEY_TMPFS_MODE},
	{"consistency", KEY_CONSISTENCY},
	{"nofail", KEY_NOFAIL},
};

static int find(const char *text, size_t len)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strlen(keys[i].name) == len && !strncmp(keys[i].name, text, len))
			return (int)i;
	}
	return -1;
}

bool mount_keys_match(const char *text)
{
	text += *text == '"';
	return find(text, strcspn(text, "=,")) >= 0 && strchr(text, '=');
}

/* One pair of the list into out; *text moves behind its comma. */
static int next_pair(const char **text, struct strbuf *out, struct err *e)
{
	const char *p = *text;

	strbuf_reset(out);
	if (*p == '"') {
		for (p++; *p && (*p != '"' || p[1] == '"'); p++) {
			p += *p == '"';
			strbuf_addch(out, *p);
		}
		if (*p != '"' || (p[1] && p[1] != ','))
			return err_set(e, EINVAL, "a quote that does not end");
		p++;
	} else {
		size_t n = strcspn(p, ",");

		strbuf_add(out, p, n);
		p += n;
	}
	if (*p == ',' && !p[1])
		return err_set(e, EINVAL, "a comma at the end");
	*text = p + (*p == ',');
	if (!out->len)
		return err_set(e, EINVAL, "an empty pair");
	return strbuf_check(out, e);
}

static int parse_bool(const char *key, const char *value, bool *ret, struct err *e)
{
	static const char *const yes[] = {"true", "1", "yes"}, *const no[] = {"false", "0", "no"};

	*ret = true;
	for (size_t i = 0; value && i < 3; i++) {
		*ret = str_eq(value, yes[i]);
		if (*ret || str_eq(value, no[i]))
			return 0;
	}
	return value ? err_set(e, EINVAL, "%s=%s: must be true or false", key, value) : 0;
}

static int set_type(struct mount_spec *m, const char *type, struct err *e)
{
	if (str_eq(type, "bind"))
		m->kind = MOUNT_BIND;
	else if (str_eq(type, "tmpfs"))
		m->kind = MOUNT_TMPFS;
	else if (str_eq(type, "copy"))
		m->kind = MOUNT_COPY;
	else
		return err_set(e, EINVAL, "type=%s: must be bind, tmpfs or copy", type);
	return 0;
}

static int set_source(struct mount_spec *m, const char *path, struct err *e)
{
	if (m->source)
		return err_set(e, EINVAL, "two sources");
	m->source = strdup(path);
	return m->source ? 0 : err_oom(e);
}

/* "readonly" asks that mounts below are read-only too: that is how a read-only bind is made. */
static int set_recursive(struct mount_spec *m, const char *value, struct err *e)
{
	if (str_eq(value, "disabled"))
		m->non_recursive = true;
	else if (!str_eq(value, "enabled") && !str_eq(value, "readonly"))
		return err_set(e, EINVAL,
			       "bind-recursive=%s: must be enabled, disabled or readonly", value);
	return 0;
}

static int apply_word(struct mount_spec *m, const char *word, const char *value, struct err *e)
{
	_free_ char *text = str_printf("%s%s", word, value);

	return text ? mount_word_apply(m, text, e) : err_oom(e);
}

static int apply(struct mount_spec *m, const char *name, const char *value, struct err *e)
{
	int i = find(name, strlen(name));

	if (i < 0)
		return err_set(e, EINVAL, "unknown key '%s'", name);
	if (keys[i].key == KEY_READONLY)
		return parse_bool(name, value, &m->readonly, e);
	if (keys[i].key == KEY_NONRECURSIVE)
		return parse_bool(name, value, &m->non_recursive, e);
	if (keys[i].key == KEY_NOFAIL)
		return parse_bool(name, value, &m->optional, e);
	if (!value || !*value)
		return err_set(e, EINVAL, "%s= needs a value", name);
	switch (keys[i].key) {
	case KEY_TYPE:
		return set_type(m, value, e);
	case KEY_SOURCE:
		return set_source(m, value, e);
	case KEY_TARGET:
		return mount_set_target(m, value, e);
	case KEY_TMPFS_SIZE:
		return apply_word(m, "size=", value, e);
	case KEY_TMPFS_MODE:
		return apply_word(m, "mode=", value, e);
	case KEY_RECURSIVE:
		return set_recursive(m, value, e);
	case KEY_PROPAGATION:
	case KEY_CONSISTENCY:
	default:
		return mount_word_apply(m, value, e);
	}
}

/* type= may stand anywhere, but says what the other keys mean: it is applied first. */
static int apply_all(struct mount_spec *m, const char *text, bool types, struct err *e)
{
	_strbuf_ struct strbuf pair = STRBUF_INIT;

	while (*text) {
		char *value;
		int r = next_pair(&text, &pair, e);

		if (r < 0)
			return r;
		value = strchr(pair.data, '=');
		if (value)
			*value++ = 0;
		if (types != str_eq(pair.data, "type"))
			continue;
		r = apply(m, pair.data, value, e);
		if (r < 0)
			return r;
	}
	return 0;
}

int mount_keys_parse(const char *text, struct mount_spec *m, struct err *e)
{
	int r = apply_all(m, text, true, e);

	if (r >= 0)
		r = apply_all(m, text, false, e);
	if (r < 0)
		return r;
	if (!m->target)
		return err_set(e, EINVAL, "dst= is missing");
	if (m->kind == MOUNT_TMPFS && m->source)
		return err_set(e, EINVAL, "src= is not for a tmpfs");
	if (m->kind != MOUNT_TMPFS && !m->source)
		return err_set(e, EINVAL, "src= is missing");
	return 0;
}
