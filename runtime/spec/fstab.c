/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/spec/fstab.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"

#define FIELDS_MAX 6

/* \ooo, one byte in octal, as getmntent(3) undoes it. 0 when there is none at s. */
static char octal_escape(const char *s)
{
	int value = 0;

	if (*s != '\\')
		return 0;
	for (int i = 1; i <= 3; i++) {
		if (s[i] < '0' || s[i] > '7')
			return 0;
		value = value * 8 + (s[i] - '0');
	}
	return value < 256 ? (char)value : 0;
}

static void unescape(char *s)
{
	char *out = s;

	while (*s) {
		char c = octal_escape(s);

		s += c ? 4 : 1;
		*out++ = c ? c : s[-1];
	}
	*out = 0;
}

/* Cuts the line at its blanks, in place. The number of fields, or -EINVAL. */
static int split(char *line, char *fields[FIELDS_MAX], struct err *e)
{
	char *rest = NULL;
	int n = 0;

	for (char *f = strtok_r(line, " \t\r\n", &rest); f; f = strtok_r(NULL, " \t\r\n", &rest)) {
		if (n == FIELDS_MAX)
			return err_set(e, EINVAL, "more than %d fields", FIELDS_MAX);
		unescape(f);
		fields[n++] = f;
	}
	return n;
}

static bool is_of(const char *word, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (str_eq(word, list[i]))
			return true;
	}
	return false;
}

static bool is_no_type(const char *s)
{
	static const char *const words[] = {"none", "bind", "rbind", "auto"};

	return is_of(s, words, sizeof(words) / sizeof(words[0]));
}

static bool is_kernel_type(const char *s)
{
	static const char *const types[] = {
		"proc",     "sysfs",   "devtmpfs", "devpts",     "mqueue", "cgroup",
		"cgroup2",  "debugfs", "tracefs",  "securityfs", "pstore", "hugetlbfs",
		"configfs", "bpf",     "efivarfs", "fusectl",    "autofs", "binfmt_misc",
	};

	return is_of(s, types, sizeof(types) / sizeof(types[0]));
}

/* Absolute, without doubled and final slashes: one place has one name. */
static char *normal_target(const char *s)
{
	char *copy = malloc(strlen(s) + 2), *out = copy;

	if (!copy)
		return NULL;
	while (*s == '.' && s[1] == '/') /* "./mnt" */
		s += 2;
	*out++ = '/';
	for (; *s; s++) {
		if (*s == '/' && (out[-1] == '/' || !s[1]))
			continue;
		*out++ = *s;
	}
	if (out > copy + 1 && out[-1] == '/')
		out--;
	*out = 0;
	return copy;
}

static int set_target(struct mount_spec *m, const char *target, struct err *e)
{
	m->target = normal_target(target);
	if (!m->target)
		return err_oom(e);
	if (!path_is_clean_absolute(m->target))
		return err_set(e, EINVAL, "'.' or '..' in the target '%s'", target);
	return 0;
}

/* A source below the root that hooks and files know as ${ENROOT_ROOTFS}; NULL: it is elsewhere. */
static const char *below(const char *source, const char *rootfs)
{
	size_t n = rootfs ? strlen(rootfs) : 0;

	if (!n || strncmp(source, rootfs, n) || (source[n] && source[n] != '/'))
		return NULL;
	return source + n;
}

static int set_source(struct fstab_entry *x, const char *source, const char *rootfs, struct err *e)
{
	struct mount_spec *m = &x->mount;
	const char *own = m->kind == MOUNT_BIND ? below(source, rootfs) : NULL;

	if (x->kind != FSTAB_MOUNT || x->is_kernel || m->kind == MOUNT_TMPFS)
		return 0;
	if (own) {
		m->kind = MOUNT_SELF;
		m->source = normal_target(own);
		m->devices = false;
	} else {
		m->source = strdup(source);
	}
	if (!m->source)
		return err_oom(e);
	if (own && !path_is_clean_absolute(m->source))
		return err_set(e, EINVAL, "'.' or '..' in the source '%s'", source);
	return 0;
}

static int parse_pass(const char *text, int *ret, struct err *e)
{
	char *end = NULL;
	long v = strtol(text, &end, 10);

	if (end == text || *end || v < -1 || v > 99)
		return err_set(e, EINVAL, "'%s' is no number of a mount table", text);
	*ret = (int)v;
	return 0;
}

/* The fields by their meaning; NULL: not given. */
struct fields {
	const char *source, *target, *type, *options, *pass;
};

static int name_fields(char *const *f, int n, struct fields *x, struct err *e)
{
	int unused;

	*x = (struct fields){.source = f[0], .target = f[0]};
	if (n == 2 && f[1][0] != '/' && fstab_words_known(f[1])) {
		x->options = f[1];
	} else if (n > 1) {
		x->target = f[1];
	} else if (str_eq(f[0], "tmpfs") || str_eq(f[0], "none")) {
		return err_set(e, EINVAL, "the target is missing");
	}
	if (n == 3 && fstab_words_known(f[2]) && !is_no_type(f[2]))
		x->options = f[2];
	else if (n > 2)
		x->type = f[2];
	if (n > 3)
		x->options = f[3];
	if (n > 5)
		x->pass = f[5];
	if (n == 2 && x->options && f[0][0] != '/')
		return err_set(e, EINVAL, "a relative source needs a target");
	return n > 4 ? parse_pass(f[4], &unused, e) : 0;
}

static int set_type(struct fstab_entry *x, const struct fields *f, struct err *e)
{
	if (str_eq(f->source, "tmpfs") || (f->type && str_eq(f->type, "tmpfs")))
		x->mount.kind = MOUNT_TMPFS;
	if (!f->type || is_no_type(f->type) || str_eq(f->type, "tmpfs"))
		return 0;
	if (!is_kernel_type(f->type))
		return err_set(e, EINVAL,
			       "'%s' is neither an option nor a type that can be mounted "
			       "(none, bind, tmpfs)",
			       f->type);
	x->is_kernel = true;
	return 0;
}

static int parse_fields(const struct fields *f, const char *rootfs, struct fstab_entry *x,
			struct err *e)
{
	int r = set_type(x, f, e);

	x->mount.devices = x->mount.kind == MOUNT_BIND; /* unless an option says nodev */
	if (r >= 0 && f->options)
		r = fstab_words_apply(x, f->options, e);
	if (r >= 0 && f->pass)
		r = parse_pass(f->pass, &x->pass, e);
	if (r >= 0)
		r = set_target(&x->mount, f->target, e);
	if (r >= 0 && x->kind == FSTAB_MOUNT && x->mount.kind == MOUNT_BIND && !x->is_kernel &&
	    str_eq(f->source, "none"))
		r = err_set(e, EINVAL, "'none' can only be the source of a tmpfs");
	if (r >= 0)
		r = set_source(x, f->source, rootfs, e);
	return r;
}

void fstab_entry_free(struct fstab_entry *x)
{
	free(x->mount.source);
	free(x->mount.target);
	free(x->mount.asked);
	*x = (struct fstab_entry){0};
}

int fstab_parse_line(const char *line, size_t len, const char *rootfs, struct fstab_entry *ret,
		     struct err *e)
{
	_free_ char *copy = NULL;
	char *fields[FIELDS_MAX];
	struct fields named;
	int n, r;

	*ret = (struct fstab_entry){0};
	if (len > FSTAB_LINE_MAX)
		return err_set(e, EINVAL, "longer than %u bytes", FSTAB_LINE_MAX);
	if (memchr(line, 0, len))
		return err_set(e, EINVAL, "a NUL byte");
	copy = strndup(line, len);
	if (!copy)
		return err_oom(e);
	n = split(copy, fields, e);
	if (n <= 0 || fields[0][0] == '#')
		return n < 0 && copy[strspn(copy, " \t")] != '#' ? n : 0;
	r = name_fields(fields, n, &named, e);
	if (r >= 0)
		r = parse_fields(&named, rootfs, ret, e);
	if (r < 0)
		fstab_entry_free(ret);
	return r < 0 ? r : 1;
}
