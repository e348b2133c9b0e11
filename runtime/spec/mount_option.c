/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/spec/mount_option.h"

#include <string.h>

#include "runtime/base/err.h"
#include "runtime/base/num.h"
#include "runtime/spec/spec.h"

const struct mount_option *mount_option_find(const struct mount_vocabulary *v, const char *word,
					     size_t len)
{
	for (size_t i = 0; i < v->n; i++) {
		const char *name = v->options[i].name;
		size_t n = strlen(name);

		if ((name[n - 1] == '=' ? len > n : len == n) && !strncmp(name, word, n))
			return &v->options[i];
	}
	return NULL;
}

bool mount_option_begins(const struct mount_vocabulary *v, const char *list)
{
	return mount_option_find(v, list, strcspn(list, ","));
}

int mount_option_look(const struct mount_vocabulary *v, const char *word,
		      const struct mount_option **ret, struct err *e)
{
	*ret = mount_option_find(v, word, strlen(word));
	return *ret ? 0 : err_set(e, EINVAL, "unknown mount option '%s'", word);
}

static int apply_size(struct mount_spec *m, const char *value, struct err *e)
{
	uint64_t bytes = 0;

	if (m->kind != MOUNT_TMPFS)
		return err_set(e, EINVAL, "size= is for a tmpfs");
	if (num_parse_bytes(value, &bytes) < 0 || !bytes)
		return err_set(e, EINVAL, "size=%s: must be a size above 0, such as 64m", value);
	m->tmpfs_bytes = bytes;
	return 0;
}

static int apply_mode(struct mount_spec *m, const char *value, struct err *e)
{
	unsigned mode = 0;

	if (m->kind != MOUNT_TMPFS)
		return err_set(e, EINVAL, "mode= is for a tmpfs");
	if (num_parse_mode(value, &mode) < 0 || !mode)
		return err_set(e, EINVAL, "mode=%s: must be octal, such as 1777", value);
	m->tmpfs_mode = mode;
	return 0;
}

int mount_option_apply(struct mount_spec *m, const struct mount_option *o, const char *word,
		       struct err *e)
{
	switch (o->kind) {
	case MOUNT_OPTION_BIND:
	case MOUNT_OPTION_RBIND:
		m->non_recursive = o->kind == MOUNT_OPTION_BIND;
		break;
	case MOUNT_OPTION_RO:
	case MOUNT_OPTION_RW:
		m->readonly = o->kind == MOUNT_OPTION_RO;
		break;
	case MOUNT_OPTION_EXEC:
	case MOUNT_OPTION_NOEXEC:
		m->exec_off = o->kind == MOUNT_OPTION_NOEXEC;
		break;
	case MOUNT_OPTION_DEV:
	case MOUNT_OPTION_NODEV:
		m->devices = o->kind == MOUNT_OPTION_DEV && m->kind == MOUNT_BIND;
		break;
	case MOUNT_OPTION_OPTIONAL:
		m->optional = true;
		break;
	case MOUNT_OPTION_SIZE:
		return apply_size(m, strchr(word, '=') + 1, e);
	case MOUNT_OPTION_MODE:
		return apply_mode(m, strchr(word, '=') + 1, e);
	case MOUNT_OPTION_REFUSED:
		return err_set(e, EINVAL, "mount option '%s': %s", word, o->why);
	default:
		break;
	}
	return 0;
}

int mount_options_each(const char *list, mount_option_take *take, void *arg, struct err *e)
{
	while (true) {
		size_t n = strcspn(list, ",");
		char word[64];
		int r;

		if (n >= sizeof(word))
			return err_set(e, EINVAL, "unknown mount option '%.60s...'", list);
		memcpy(word, list, n);
		word[n] = 0;
		r = take(arg, word, e);
		if (r < 0 || !list[n])
			return r;
		list += n + 1;
	}
}
