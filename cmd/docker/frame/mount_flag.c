/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/frame/mount_flag.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/docker/frame/argv.h"
#include "cmd/options/mount_spec.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"
#include "runtime/spec/spec.h"

void mount_flag_free(struct mount_flag *f)
{
	free(f->text);
}

/* The next field of a line of CSV, in place: quotes go, a doubled one is one. */
static char *next_field(char **at)
{
	char *begin = *at, *to = *at, *s = *at;
	bool quoted = *s == '"';

	if (!*s)
		return NULL;
	for (s += quoted; *s && (quoted || *s != ','); s++) {
		if (quoted && *s == '"') {
			if (s[1] != '"') {
				s++;
				break;
			}
			s++;
		}
		*to++ = *s;
	}
	*at = *s == ',' ? s + 1 : s;
	*to = 0;
	return begin;
}

static int parse_bool(const char *key, const char *value, bool *ret, struct err *e)
{
	int r = value ? docker_parse_bool(value) : 1;

	if (r < 0)
		return err_set(e, EINVAL, "invalid value for %s: %s", key, value);
	*ret = r;
	return 0;
}

static bool is_key(const char *key, const char *const *names)
{
	while (*names && !str_eq(key, *names))
		names++;
	return *names;
}

static int set_recursive(struct mount_flag *f, const char *value, struct err *e)
{
	static const char *const known[] = {"enabled", "disabled", "writable", "readonly", NULL};

	if (!is_key(value, known))
		return err_set(e, EINVAL,
			       "invalid value for bind-recursive: %s (must be "
			       "\"enabled\", \"disabled\", \"writable\", or \"readonly\")",
			       value);
	f->non_recursive = str_eq(value, "disabled");
	return 0;
}

/* Keys with a value. */
static int set_pair(struct mount_flag *f, const char *key, char *value, struct err *e)
{
	static const char *const sources[] = {"source", "src", NULL};
	static const char *const targets[] = {"target", "dst", "destination", NULL};
	static const char *const passed[] = {"volume-label", NULL};

	if (str_eq(key, "type"))
		f->type = value;
	else if (is_key(key, sources))
		f->source = value;
	else if (is_key(key, targets))
		f->target = value;
	else if (str_eq(key, "consistency"))
		f->consistency = value;
	else if (str_eq(key, "bind-propagation"))
		f->propagation = value;
	else if (str_eq(key, "bind-recursive"))
		return set_recursive(f, value, e);
	else if (str_eq(key, "tmpfs-size"))
		return docker_set_bytes(&f->tmpfs_bytes, value, e) < 0
			       ? err_set(e, EINVAL, "invalid value for tmpfs-size: %s", value)
			       : 0;
	else if (str_eq(key, "tmpfs-mode"))
		return num_parse_mode(value, &f->tmpfs_mode) < 0
			       ? err_set(e, EINVAL, "invalid value for tmpfs-mode: %s", value)
			       : 0;
	else if (str_has_prefix(key, "volume-") && !is_key(key, passed))
		return err_set(e, EINVAL, "'%s' is not available in csbx", key);
	else if (!is_key(key, passed))
		return err_set(e, EINVAL, "unexpected key '%s' in '%s=%s'", key, key, value);
	return 0;
}

static int set_field(struct mount_flag *f, char *field, struct err *e)
{
	char *value = strchr(field, '=');

	if (value)
		*value++ = 0;
	for (char *c = field; *c; c++)
		*c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
	if (str_eq(field, "readonly") || str_eq(field, "ro"))
		return parse_bool(field, value, &f->readonly, e);
	if (str_eq(field, "volume-nocopy"))
		return parse_bool(field, value, &f->no_copy, e);
	if (str_eq(field, "bind-nonrecursive"))
		return parse_bool(field, value, &f->non_recursive, e);
	if (!value)
		return err_set(e, EINVAL, "invalid field '%s' must be a key=value pair", field);
	return set_pair(f, field, value, e);
}

int mount_flag_parse(struct mount_flag *f, const char *text, struct err *e)
{
	char volume[] = "volume", *at, *field;
	int r = 0;

	*f = (struct mount_flag){.text = strdup(text)};
	if (!f->text)
		return err_oom(e);
	if (!*text)
		return err_set(e, EINVAL, "value is empty");
	at = f->text;
	while (r >= 0 && (field = next_field(&at)))
		r = set_field(f, field, e);
	if (r >= 0 && (!f->target || !*f->target))
		r = err_set(e, EINVAL, "target is required");
	if (r >= 0 && f->type && !str_eq(f->type, volume) && f->no_copy)
		r = err_set(e, EINVAL, "cannot mix 'volume-*' options with mount type '%s'",
			    f->type);
	if (r >= 0 && f->type && !str_eq(f->type, "tmpfs") && (f->tmpfs_bytes || f->tmpfs_mode))
		r = err_set(e, EINVAL, "cannot mix 'tmpfs-*' options with mount type '%s'",
			    f->type);
	return r;
}

int docker_set_mount(void *strv, const char *value, struct err *e)
{
	struct mount_flag f;
	int r = mount_flag_parse(&f, value, e);

	mount_flag_free(&f);
	if (r >= 0)
		strv_add(strv, value);
	return r < 0 ? r : strv_check(strv, e);
}

static int invalid(const struct mount_flag *f, struct err *e, const char *why, const char *what)
{
	return err_set(e, EINVAL, "invalid mount config for type \"%s\": %s%s",
		       f->type ? f->type : "volume", why, what);
}

static int set_bind(const struct mount_flag *f, struct mount_spec *m, struct err *e)
{
	if (!f->source || !*f->source)
		return invalid(f, e, "field Source must not be empty", "");
	m->source = docker_absolute_source(f->source);
	if (!m->source)
		return err_oom(e);
	if (*m->source != '/') {
		_free_ char *text = str_printf("'%s' mount path must be absolute", m->source);

		return invalid(f, e, "invalid mount path: ", text ? text : "");
	}
	if (access(m->source, F_OK) < 0)
		return invalid(f, e, "bind source path does not exist: ", m->source);
	if (f->propagation && !str_eq(f->propagation, "private") &&
	    !str_eq(f->propagation, "rprivate"))
		return err_set(e, EINVAL,
			       "--mount: bind-propagation is not available in csbx: "
			       "mounts do not propagate");
	return 0;
}

static int fill(const struct paths *p, const struct mount_flag *f, struct mount_spec *m,
		struct err *e)
{
	const char *type = f->type ? f->type : "volume";
	struct err why = ERR_INIT;
	int r;

	m->readonly = f->readonly;
	if (str_eq(type, "bind")) {
		m->non_recursive = f->non_recursive;
		r = set_bind(f, m, e);
	} else if (str_eq(type, "tmpfs")) {
		m->kind = MOUNT_TMPFS;
		m->exec_off = true;
		m->tmpfs_bytes = f->tmpfs_bytes;
		m->tmpfs_mode = f->tmpfs_mode;
		r = f->source ? invalid(f, e, "field Source must not be specified", "") : 0;
	} else if (str_eq(type, "volume")) {
		r = docker_mount_volume(p, f->source, m, e);
		m->copy_up &= !f->no_copy;
	} else {
		r = invalid(f, e, "mount type unknown", "");
	}
	if (r < 0)
		return r;
	if (*f->target != '/') {
		_free_ char *text = str_printf("'%s' mount path must be absolute", f->target);

		return invalid(f, e, "invalid mount path: ", text ? text : "");
	}
	if (mount_set_target(m, f->target, &why) < 0)
		return invalid(f, e, "invalid mount path: ", why.msg);
	return 0;
}

int docker_mount_flag_add(const struct paths *p, const char *text, struct container_spec *s,
			  struct err *e)
{
	struct mount_spec *m = spec_add_mount(s);
	struct mount_flag f = {0};
	int r = m ? mount_flag_parse(&f, text, e) : err_oom(e);

	if (r >= 0) {
		m->asked = strdup(text);
		r = m->asked ? fill(p, &f, m, e) : err_oom(e);
	}
	mount_flag_free(&f);
	return r;
}
