/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/dockerfile/mount_words.h"

#include <stdlib.h>
#include <strings.h>

#include "cmd/build/dockerfile/expand.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/num.h"

void run_mount_free(struct run_mount *m)
{
	free(m->target);
	free(m->source);
	free(m->from);
	free(m->id);
	free(m->env);
	*m = (struct run_mount){0};
}

static const char *const kinds[] = {"bind", "cache", "tmpfs", "secret", "ssh"};

static int bad_value(const char *key, const char *value, struct err *e)
{
	return err_set(e, EINVAL, "invalid value for %s: %.100s", key, value);
}

static int set_kind(struct run_mount *m, const char *value, struct err *e)
{
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!strcasecmp(value, kinds[i])) {
			m->kind = (enum run_mount_kind)i;
			return 0;
		}
	}
	return err_set(e, EINVAL, "unsupported mount type \"%.100s\"", value);
}

static int set_sharing(struct run_mount *m, const char *value, struct err *e)
{
	static const char *const sharings[] = {"shared", "private", "locked"};

	for (unsigned i = 0; i < sizeof(sharings) / sizeof(sharings[0]); i++) {
		if (!strcasecmp(value, sharings[i])) {
			m->sharing = (enum run_mount_sharing)i;
			return 0;
		}
	}
	return err_set(e, EINVAL, "unsupported sharing value \"%.100s\"", value);
}

static int set_truth(bool *ret, const char *key, const char *value, struct err *e)
{
	bool yes = !strcasecmp(value, "true") || str_eq(value, "1");

	if (!yes && strcasecmp(value, "false") && !str_eq(value, "0"))
		return bad_value(key, value, e);
	*ret = yes;
	return 0;
}

static int set_id(uint32_t *ret, const char *key, const char *value, struct err *e)
{
	uint64_t n;

	if (num_parse_u64(value, UINT32_MAX - 1, &n) < 0)
		return bad_value(key, value, e);
	*ret = (uint32_t)n;
	return 0;
}

static int set_text(char **slot, char **value)
{
	free(*slot);
	*slot = take_ptr(*value);
	return 0;
}

/* *value: taken where it is kept. -ENOENT: no such key. */
static int set_pair(struct run_mount *m, const char *key, char **value, struct err *e)
{
	if (str_eq(key, "type"))
		return set_kind(m, *value, e);
	if (str_eq(key, "target") || str_eq(key, "dst") || str_eq(key, "destination"))
		return set_text(&m->target, value);
	if (str_eq(key, "source") || str_eq(key, "src"))
		return set_text(&m->source, value);
	if (str_eq(key, "from"))
		return set_text(&m->from, value);
	if (str_eq(key, "id"))
		return set_text(&m->id, value);
	if (str_eq(key, "env"))
		return set_text(&m->env, value);
	if (str_eq(key, "readonly") || str_eq(key, "ro"))
		return set_truth(&m->readonly, key, *value, e);
	if (str_eq(key, "required"))
		return set_truth(&m->required, key, *value, e);
	if (str_eq(key, "readwrite") || str_eq(key, "rw"))
		return set_truth(&m->readwrite, key, *value, e);
	if (str_eq(key, "sharing"))
		return set_sharing(m, *value, e);
	if (str_eq(key, "size"))
		return num_parse_bytes(*value, &m->size_bytes) < 0 ? bad_value(key, *value, e) : 0;
	if (str_eq(key, "mode")) {
		m->mode_is_set = true;
		return num_parse_mode(*value, &m->mode) < 0 ? bad_value(key, *value, e) : 0;
	}
	if (str_eq(key, "uid"))
		return set_id(&m->uid, key, *value, e);
	if (str_eq(key, "gid"))
		return set_id(&m->gid, key, *value, e);
	return -ENOENT;
}

static bool is_lone_truth(const char *key)
{
	return str_eq(key, "readonly") || str_eq(key, "ro") || str_eq(key, "readwrite") ||
	       str_eq(key, "rw") || str_eq(key, "required");
}

static int field(struct run_mount *m, const char *text, size_t len, const struct expand *x,
		 struct err *e)
{
	_free_ char *key = strndup(text, len), *value = NULL;
	char *sign = key ? strchr(key, '=') : NULL;
	int r;

	if (!key)
		return err_oom(e);
	if (sign)
		*sign = 0;
	for (char *p = key; *p; p++)
		*p = (char)(*p >= 'A' && *p <= 'Z' ? *p + 32 : *p);
	if (!sign && !is_lone_truth(key))
		return err_set(e, EINVAL, "invalid field '%.100s' must be a key=value pair", key);
	r = expand_word(x, sign ? sign + 1 : "true", &value, e);
	if (r >= 0)
		r = set_pair(m, key, &value, e);
	return r == -ENOENT ? err_set(e, EINVAL, "unexpected key '%.100s' in '%.*s'", key,
				      (int)(len > 100 ? 100 : len), text)
			    : r;
}

static int check(const struct run_mount *m, struct err *e)
{
	bool needs_target = m->kind != RUN_MOUNT_SECRET && m->kind != RUN_MOUNT_SSH;

	if (needs_target && (!m->target || !*m->target))
		return err_set(e, EINVAL, "target is required");
	if (m->size_bytes && m->kind != RUN_MOUNT_TMPFS)
		return err_set(e, EINVAL, "unexpected key 'size' for mount type '%s'",
			       kinds[m->kind]);
	if (m->env && m->kind != RUN_MOUNT_SECRET)
		return err_set(e, EINVAL, "unexpected key 'env' for mount type '%s'",
			       kinds[m->kind]);
	return 0;
}

int run_mount_parse(const char *value, const struct expand *x, struct run_mount *ret, struct err *e)
{
	int r = 0;

	*ret = (struct run_mount){0};
	if (!*value)
		return err_set(e, EINVAL, "invalid field '' must be a key=value pair");
	while (r >= 0 && *value) {
		size_t len = strcspn(value, ",");

		r = field(ret, value, len, x, e);
		value += len + (value[len] == ',');
	}
	if (r >= 0)
		r = check(ret, e);
	if (r < 0)
		run_mount_free(ret);
	return r;
}
