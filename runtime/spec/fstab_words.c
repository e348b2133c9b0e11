/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The option words of enroot's mount lines. Set-id programs never gain anything in a container (no
 * new privileges), so the words about them change nothing; nor do those about times of access and
 * synchronous writing, which are the source's own. Propagation to the host is what a container
 * must not have.
 */

#include "runtime/base/err.h"
#include "runtime/spec/fstab.h"
#include "runtime/spec/mount_option.h"

#define NOT_SHARED "mounts of a container do not propagate to the host"

static const struct mount_option words[] = {
	{"bind", MOUNT_OPTION_BIND},
	{"rbind", MOUNT_OPTION_RBIND},
	{"ro", MOUNT_OPTION_RO},
	{"readonly", MOUNT_OPTION_RO},
	{"rw", MOUNT_OPTION_RW},
	{"exec", MOUNT_OPTION_EXEC},
	{"noexec", MOUNT_OPTION_NOEXEC},
	{"dev", MOUNT_OPTION_DEV},
	{"nodev", MOUNT_OPTION_NODEV},
	{"nofail", MOUNT_OPTION_OPTIONAL},
	{"silent", MOUNT_OPTION_SILENT},
	{"size=", MOUNT_OPTION_SIZE},
	{"mode=", MOUNT_OPTION_MODE},
	{"remount", MOUNT_OPTION_REMOUNT},
	{"x-detach", MOUNT_OPTION_DETACH},

	{"async", MOUNT_OPTION_NOTHING},
	{"atime", MOUNT_OPTION_NOTHING},
	{"auto", MOUNT_OPTION_NOTHING},
	{"noauto", MOUNT_OPTION_NOTHING},
	{"defaults", MOUNT_OPTION_NOTHING},
	{"diratime", MOUNT_OPTION_NOTHING},
	{"dirsync", MOUNT_OPTION_NOTHING},
	{"group", MOUNT_OPTION_NOTHING},
	{"nogroup", MOUNT_OPTION_NOTHING},
	{"iversion", MOUNT_OPTION_NOTHING},
	{"lazytime", MOUNT_OPTION_NOTHING},
	{"loud", MOUNT_OPTION_NOTHING},
	{"mand", MOUNT_OPTION_NOTHING},
	{"noatime", MOUNT_OPTION_NOTHING},
	{"nodiratime", MOUNT_OPTION_NOTHING},
	{"noiversion", MOUNT_OPTION_NOTHING},
	{"nolazytime", MOUNT_OPTION_NOTHING},
	{"nomand", MOUNT_OPTION_NOTHING},
	{"norelatime", MOUNT_OPTION_NOTHING},
	{"nostrictatime", MOUNT_OPTION_NOTHING},
	{"nosuid", MOUNT_OPTION_NOTHING},
	{"owner", MOUNT_OPTION_NOTHING},
	{"noowner", MOUNT_OPTION_NOTHING},
	{"private", MOUNT_OPTION_NOTHING},
	{"relatime", MOUNT_OPTION_NOTHING},
	{"rprivate", MOUNT_OPTION_NOTHING},
	{"rslave", MOUNT_OPTION_NOTHING},
	{"runbindable", MOUNT_OPTION_NOTHING},
	{"slave", MOUNT_OPTION_NOTHING},
	{"strictatime", MOUNT_OPTION_NOTHING},
	{"suid", MOUNT_OPTION_NOTHING},
	{"sync", MOUNT_OPTION_NOTHING},
	{"unbindable", MOUNT_OPTION_NOTHING},
	{"user", MOUNT_OPTION_NOTHING},
	{"nouser", MOUNT_OPTION_NOTHING},
	{"users", MOUNT_OPTION_NOTHING},
	{"nousers", MOUNT_OPTION_NOTHING},
	{"_netdev", MOUNT_OPTION_NOTHING},
	{"x-create=auto", MOUNT_OPTION_NOTHING},
	{"x-create=dir", MOUNT_OPTION_NOTHING},
	{"x-create=file", MOUNT_OPTION_NOTHING},

	{"shared", MOUNT_OPTION_REFUSED, NOT_SHARED},
	{"rshared", MOUNT_OPTION_REFUSED, NOT_SHARED},
	{"x-move", MOUNT_OPTION_REFUSED,
	 "there is nothing to move: bind the source to where it belongs"},
};

static const struct mount_vocabulary vocabulary = {words, sizeof(words) / sizeof(words[0])};

/* Notes a word that is about the line rather than about its mount. */
static void note(struct fstab_entry *x, enum mount_option_kind kind)
{
	switch (kind) {
	case MOUNT_OPTION_RO:
	case MOUNT_OPTION_RW:
		x->sets_readonly = true;
		break;
	case MOUNT_OPTION_EXEC:
	case MOUNT_OPTION_NOEXEC:
		x->sets_exec = true;
		break;
	case MOUNT_OPTION_SILENT:
		x->silent = true;
		break;
	case MOUNT_OPTION_REMOUNT:
		x->kind = FSTAB_REMOUNT;
		break;
	case MOUNT_OPTION_DETACH:
		x->kind = FSTAB_UMOUNT;
		break;
	default:
		break;
	}
}

static int take(void *arg, const char *word, struct err *e)
{
	struct fstab_entry *x = arg;
	const struct mount_option *o;
	int r = *word ? mount_option_look(&vocabulary, word, &o, e) : 0;

	if (r < 0 || !*word) /* enroot takes "a,,b" too */
		return r;
	note(x, o->kind);
	return mount_option_apply(&x->mount, o, word, e);
}

int fstab_words_apply(struct fstab_entry *x, const char *list, struct err *e)
{
	return mount_options_each(list, take, x, e);
}

bool fstab_words_known(const char *list)
{
	return mount_option_begins(&vocabulary, list);
}
