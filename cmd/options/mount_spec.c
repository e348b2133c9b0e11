/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/options/mount_spec.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/options/mount_keys.h"
#include "cmd/options/mount_words.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"
#include "runtime/spec/name.h"
#include "runtime/spec/spec.h"

#define FIELDS_MAX 6
#define TEXT_MAX 8192

static void mount_clear(struct mount_spec *m)
{
	free(m->source);
	free(m->target);
	free(m->asked);
	free(m->volume);
	*m = (struct mount_spec){0};
}

/* The character an fstab escape at s stands for, 0 when there is none. */
static char fstab_escape(const char *s)
{
	static const struct {
		const char *octal;
		char c;
	} escapes[] = {
		{"\\040", ' '}, {"\\011", '\t'}, {"\\012", '\n'}, {"\\072", ':'}, {"\\134", '\\'}};

	for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++) {
		if (!strncmp(s, escapes[i].octal, 4))
			return escapes[i].c;
	}
	return 0;
}

static void unescape(char *s)
{
	char *out = s;

	while (*s) {
		char c = *s == '\\' ? fstab_escape(s) : 0;

		s += c ? 4 : 1;
		*out++ = c ? c : s[-1];
	}
	*out = 0;
}

/* Cuts text at its colons, in place; the number of fields or -EINVAL. */
static int split(char *text, char *fields[FIELDS_MAX], struct err *e)
{
	int n = 0;

	while (true) {
		char *colon = strchr(text, ':');

		if (colon)
			*colon = 0;
		if (!*text)
			return err_set(e, EINVAL, "an empty part between ':'");
		if (n == FIELDS_MAX)
			return err_set(e, EINVAL, "too many parts between ':'");
		unescape(text);
		fields[n++] = text;
		if (!colon)
			return n;
		text = colon + 1;
	}
}

static bool is_absolute(const char *s)
{
	return s[0] == '/';
}

static int set_source(struct mount_spec *m, const char *source, struct err *e)
{
	m->source = strdup(source);
	return m->source ? 0 : err_oom(e);
}

/* The third field of an fstab line. Only what an unprivileged user can mount is a type here. */
static int set_type(struct mount_spec *m, const char *type, struct err *e)
{
	if (str_eq(type, "tmpfs"))
		m->kind = MOUNT_TMPFS;
	else if (!str_eq(type, "none") && !str_eq(type, "bind") && !str_eq(type, "auto"))
		return err_set(e, EINVAL,
			       "'%s' is neither an option nor a type that can be mounted "
			       "(none, bind, tmpfs)",
			       type);
	return 0;
}

/* "bind" alone is the option: it asks for the mounts below to be left out. */
static bool is_type(const char *s)
{
	return str_eq(s, "none") || str_eq(s, "tmpfs");
}

/* dump and pass numbers of fstab: checked, without meaning here. */
static int check_numbers(char *const *fields, int n, struct err *e)
{
	for (int i = 0; i < n; i++) {
		uint64_t v;

		if (!str_eq(fields[i], "-1") && num_parse_u64(fields[i], 99, &v) < 0)
			return err_set(e, EINVAL, "'%s' is no number of a mount table", fields[i]);
	}
	return 0;
}

/* S:D:TYPE:OPTIONS[:DUMP[:PASS]] */
static int long_form(struct mount_spec *m, char *const *f, int n, struct err *e)
{
	int r = set_type(m, f[2], e);

	if (r >= 0)
		r = mount_words_apply(m, f[3], e);
	if (r >= 0)
		r = check_numbers(f + 4, n - 4, e);
	if (r >= 0)
		r = mount_set_target(m, f[1], e);
	return r;
}

/* S  S:OPTIONS  S:D  S:D:OPTIONS  S:D:TYPE */
static int short_form(struct mount_spec *m, char *const *f, int n, struct err *e)
{
	const char *target = n > 1 ? f[1] : f[0];
	int r = 0;

	if (n == 2 && !is_absolute(f[1]) && mount_words_known(f[1])) {
		target = f[0];
		r = mount_words_apply(m, f[1], e);
	} else if (n == 3) {
		r = is_type(f[2]) || !mount_words_known(f[2]) ? set_type(m, f[2], e)
							      : mount_words_apply(m, f[2], e);
	}
	if (r >= 0 && target == f[0] && !is_absolute(target))
		return err_set(e, EINVAL, "a relative source needs a target: SOURCE:TARGET");
	return r < 0 ? r : mount_set_target(m, target, e);
}

static int parse_fields(struct mount_spec *m, char *const *f, int n, struct err *e)
{
	bool nodev = str_eq(f[0], "tmpfs") || str_eq(f[0], "none");
	int r;

	if (str_eq(f[0], "tmpfs"))
		m->kind = MOUNT_TMPFS;
	if (nodev && n < 2)
		return err_set(e, EINVAL, "the target is missing");
	r = n > 3 ? long_form(m, f, n, e) : short_form(m, f, n, e);
	if (r < 0)
		return r;
	if (str_eq(f[0], "none") && m->kind != MOUNT_TMPFS)
		return err_set(e, EINVAL, "'none' can only be the source of a tmpfs");
	return m->kind == MOUNT_TMPFS ? 0 : set_source(m, f[0], e);
}

static int parse_colons(const char *text, struct mount_spec *m, struct err *e)
{
	_free_ char *copy = strdup(text);
	char *fields[FIELDS_MAX] = {0};
	int n;

	if (!copy)
		return err_oom(e);
	n = split(copy, fields, e);
	return n < 0 ? n : parse_fields(m, fields, n, e);
}

/* Runs one grammar on a fresh mount and hands it over only when all of it is right. */
static int parse_with(int (*grammar)(const char *, struct mount_spec *, struct err *),
		      const char *text, struct mount_spec *ret, struct err *e)
{
	struct mount_spec m = {0};
	int r;

	if (strlen(text) > TEXT_MAX)
		return err_set(e, EINVAL, "longer than %d bytes", TEXT_MAX);
	r = *text ? grammar(text, &m, e) : err_set(e, EINVAL, "empty");
	if (r >= 0) {
		m.asked = strdup(text);
		if (!m.asked)
			r = err_oom(e);
	}
	if (r < 0)
		mount_clear(&m);
	else
		*ret = m;
	return r;
}

int mount_parse(const char *text, struct mount_spec *ret, struct err *e)
{
	return parse_with(mount_keys_match(text) ? mount_keys_parse : parse_colons, text, ret, e);
}

static int parse_volume(const char *text, struct mount_spec *m, struct err *e)
{
	_free_ char *copy = strdup(text);
	char *f[FIELDS_MAX] = {0};
	int n, r = 0;

	if (!copy)
		return err_oom(e);
	n = split(copy, f, e);
	if (n < 0)
		return n;
	if (n == 1)
		return err_set(e, EINVAL, "SOURCE is missing: SOURCE:TARGET[:ro]");
	if (n > 3)
		return err_set(e, EINVAL, "too many parts: SOURCE:TARGET[:OPTIONS]");
	if (n == 3)
		r = mount_words_apply(m, f[2], e);
	if (r >= 0)
		r = mount_set_target(m, f[1], e);
	if (r < 0 || strchr(f[0], '/') || str_is_dots(f[0]))
		return r < 0 ? r : set_source(m, f[0], e);
	if (!name_is_valid(f[0]))
		return err_set(e, EINVAL, "'%s' is neither a path nor the name of a volume", f[0]);
	m->volume = strdup(f[0]);
	m->copy_up = true;
	return m->volume ? 0 : err_oom(e);
}

int volume_parse(const char *text, struct mount_spec *ret, struct err *e)
{
	return parse_with(parse_volume, text, ret, e);
}

static int parse_tmpfs(const char *text, struct mount_spec *m, struct err *e)
{
	_free_ char *copy = strdup(text);
	char *f[FIELDS_MAX] = {0};
	int n;

	if (!copy)
		return err_oom(e);
	n = split(copy, f, e);
	m->kind = MOUNT_TMPFS;
	if (n > 2)
		return err_set(e, EINVAL, "too many parts: TARGET[:OPTIONS]");
	if (n == 2 && mount_words_apply(m, f[1], e) < 0)
		return -EINVAL;
	return n < 0 ? n : mount_set_target(m, f[0], e);
}

int tmpfs_parse(const char *text, struct mount_spec *ret, struct err *e)
{
	return parse_with(parse_tmpfs, text, ret, e);
}

static int parse_device(const char *text, struct mount_spec *m, struct err *e)
{
	_free_ char *copy = strdup(text);
	char *f[FIELDS_MAX] = {0};
	int n, r;

	if (!copy)
		return err_oom(e);
	n = split(copy, f, e);
	if (n < 0)
		return n;
	m->kind = MOUNT_DEVICE;
	if (n > 3)
		return err_set(e, EINVAL, "too many parts: SOURCE[:TARGET]");
	if (!is_absolute(f[0]))
		return err_set(e, EINVAL, "'%s' is no absolute path of a device", f[0]);
	/* The node's own mode decides who may read or write; fewer rights cannot be given. */
	if (n > 1 && !is_absolute(f[n - 1]) && !str_eq(f[n - 1], "rwm") && !str_eq(f[n - 1], "rw"))
		return err_set(e, EINVAL, "'%s': only rwm can be given", f[n - 1]);
	r = mount_set_target(m, n > 1 && is_absolute(f[1]) ? f[1] : f[0], e);
	return r < 0 ? r : set_source(m, f[0], e);
}

int device_parse(const char *text, struct mount_spec *ret, struct err *e)
{
	return parse_with(parse_device, text, ret, e);
}

int mount_make_absolute(struct mount_spec *m, const char *cwd, struct err *e)
{
	const char *rest = m->source;
	char *absolute;

	if (!rest || is_absolute(rest))
		return 0;
	while (rest[0] == '.' && (rest[1] == '/' || !rest[1]))
		rest += rest[1] ? 2 : 1;
	absolute = str_printf("%s%s%s", cwd, *rest && !str_has_suffix(cwd, "/") ? "/" : "", rest);
	if (!absolute)
		return err_oom(e);
	free(m->source);
	m->source = absolute;
	return 0;
}
