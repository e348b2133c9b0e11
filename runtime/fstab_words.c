/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The option words of enroot's mount lines. Set-id programs never gain anything in a container (no
 * new privileges), so the words about them change nothing; nor do those about times of access and
 * synchronous writing, which are the source's own. Propagation to the host is what a container
 * must not have.
 */

#include <stdlib.h>
#include <string.h>

#include "runtime/base/err.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"
#include "runtime/fstab.h"

enum word {
	WORD_NOTHING,
	WORD_BIND,
	WORD_RBIND,
	WORD_RO,
	WORD_RW,
	WORD_EXEC,
	WORD_NOEXEC,
	WORD_DEV,
	WORD_NODEV,
	WORD_OPTIONAL,
	WORD_SILENT,
	WORD_SIZE, /* with a value */
	WORD_MODE,
	WORD_REMOUNT,
	WORD_DETACH,
	WORD_REFUSED,
};

#define NOT_SHARED "mounts of a container do not propagate to the host"

static const struct {
	const char *name; /* ends in '=' where a value follows */
	enum word word;
	const char *why; /* WORD_REFUSED */
} words[] = {
	{"bind", WORD_BIND},
	{"rbind", WORD_RBIND},
	{"ro", WORD_RO},
	{"readonly", WORD_RO},
	{"rw", WORD_RW},
	{"exec", WORD_EXEC},
	{"noexec", WORD_NOEXEC},
	{"dev", WORD_DEV},
	{"nodev", WORD_NODEV},
	{"nofail", WORD_OPTIONAL},
	{"silent", WORD_SILENT},
	{"size=", WORD_SIZE},
	{"mode=", WORD_MODE},
	{"remount", WORD_REMOUNT},
	{"x-detach", WORD_DETACH},

	{"async", WORD_NOTHING},
	{"atime", WORD_NOTHING},
	{"auto", WORD_NOTHING},
	{"noauto", WORD_NOTHING},
	{"defaults", WORD_NOTHING},
	{"diratime", WORD_NOTHING},
	{"dirsync", WORD_NOTHING},
	{"group", WORD_NOTHING},
	{"nogroup", WORD_NOTHING},
	{"iversion", WORD_NOTHING},
	{"lazytime", WORD_NOTHING},
	{"loud", WORD_NOTHING},
	{"mand", WORD_NOTHING},
	{"noatime", WORD_NOTHING},
	{"nodiratime", WORD_NOTHING},
	{"noiversion", WORD_NOTHING},
	{"nolazytime", WORD_NOTHING},
	{"nomand", WORD_NOTHING},
	{"norelatime", WORD_NOTHING},
	{"nostrictatime", WORD_NOTHING},
	{"nosuid", WORD_NOTHING},
	{"owner", WORD_NOTHING},
	{"noowner", WORD_NOTHING},
	{"private", WORD_NOTHING},
	{"relatime", WORD_NOTHING},
	{"rprivate", WORD_NOTHING},
	{"rslave", WORD_NOTHING},
	{"runbindable", WORD_NOTHING},
	{"slave", WORD_NOTHING},
	{"strictatime", WORD_NOTHING},
	{"suid", WORD_NOTHING},
	{"sync", WORD_NOTHING},
	{"unbindable", WORD_NOTHING},
	{"user", WORD_NOTHING},
	{"nouser", WORD_NOTHING},
	{"users", WORD_NOTHING},
	{"nousers", WORD_NOTHING},
	{"_netdev", WORD_NOTHING},
	{"x-create=auto", WORD_NOTHING},
	{"x-create=dir", WORD_NOTHING},
	{"x-create=file", WORD_NOTHING},

	{"shared", WORD_REFUSED, NOT_SHARED},
	{"rshared", WORD_REFUSED, NOT_SHARED},
	{"x-move", WORD_REFUSED, "there is nothing to move: bind the source to where it belongs"},
};

/* Index in words[], or -1. */
static int find(const char *word, size_t len)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i].name);

		if (words[i].name[n - 1] == '=' ? len > n : len == n) {
			if (!strncmp(words[i].name, word, n))
				return (int)i;
		}
	}
	return -1;
}

static int apply_value(struct mount_spec *m, enum word word, const char *value, struct err *e)
{
	uint64_t bytes = 0;
	unsigned mode = 0;

	if (m->kind != MOUNT_TMPFS)
		return err_set(e, EINVAL, "size= and mode= are for a tmpfs");
	if (word == WORD_SIZE) {
		if (num_parse_bytes(value, &bytes) < 0 || !bytes)
			return err_set(e, EINVAL, "size=%s: must be a size above 0, such as 64m",
				       value);
		m->tmpfs_bytes = bytes;
		return 0;
	}
	if (num_parse_mode(value, &mode) < 0 || !mode)
		return err_set(e, EINVAL, "mode=%s: must be octal, such as 1777", value);
	m->tmpfs_mode = mode;
	return 0;
}

static void apply_plain(struct fstab_entry *x, enum word word)
{
	struct mount_spec *m = &x->mount;

	switch (word) {
	case WORD_BIND:
		m->non_recursive = true;
		break;
	case WORD_RBIND:
		m->non_recursive = false;
		break;
	case WORD_RO:
	case WORD_RW:
		m->readonly = word == WORD_RO;
		x->sets_readonly = true;
		break;
	case WORD_EXEC:
	case WORD_NOEXEC:
		m->exec_off = word == WORD_NOEXEC;
		x->sets_exec = true;
		break;
	case WORD_DEV:
	case WORD_NODEV:
		m->devices = word == WORD_DEV && m->kind == MOUNT_BIND;
		break;
	case WORD_OPTIONAL:
		m->optional = true;
		break;
	case WORD_SILENT:
		x->silent = true;
		break;
	case WORD_REMOUNT:
		x->kind = FSTAB_REMOUNT;
		break;
	case WORD_DETACH:
		x->kind = FSTAB_UMOUNT;
		break;
	default:
		break;
	}
}

static int apply(struct fstab_entry *x, const char *word, struct err *e)
{
	int i = find(word, strlen(word));

	if (i < 0)
		return err_set(e, EINVAL, "unknown mount option '%s'", word);
	if (words[i].word == WORD_REFUSED)
		return err_set(e, EINVAL, "mount option '%s': %s", word, words[i].why);
	if (words[i].word == WORD_SIZE || words[i].word == WORD_MODE)
		return apply_value(&x->mount, words[i].word, strchr(word, '=') + 1, e);
	apply_plain(x, words[i].word);
	return 0;
}

int fstab_words_apply(struct fstab_entry *x, const char *list, struct err *e)
{
	while (true) {
		size_t n = strcspn(list, ",");
		char word[64];
		int r;

		if (n >= sizeof(word))
			return err_set(e, EINVAL, "unknown mount option '%.60s...'", list);
		memcpy(word, list, n);
		word[n] = 0;
		r = n ? apply(x, word, e) : 0; /* enroot takes "a,,b" too */
		if (r < 0 || !list[n])
			return r;
		list += n + 1;
	}
}

bool fstab_words_known(const char *list)
{
	return find(list, strcspn(list, ",")) >= 0;
}
