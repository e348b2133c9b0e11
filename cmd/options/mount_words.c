/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The option words of mount(8), docker's volumes and enroot's fstab lines, and what each means
 * for a container's mount: most say what is the case anyhow, a few change the mount, and the
 * rest ask for what an unprivileged container cannot give.
 */

#include "cmd/options/mount_words.h"

#include "runtime/base/err.h"
#include "runtime/spec/mount_option.h"
#include "runtime/spec/spec.h"

static const struct mount_option words[] = {
	{"bind", MOUNT_OPTION_BIND},
	{"rbind", MOUNT_OPTION_RBIND},
	{"ro", MOUNT_OPTION_RO},
	{"readonly", MOUNT_OPTION_RO},
	{"rw", MOUNT_OPTION_RW},
	{"exec", MOUNT_OPTION_EXEC},
	{"noexec", MOUNT_OPTION_NOEXEC},
	{"nofail", MOUNT_OPTION_OPTIONAL},
	{"size=", MOUNT_OPTION_SIZE},
	{"mode=", MOUNT_OPTION_MODE},

	{"defaults", MOUNT_OPTION_NOTHING},
	{"auto", MOUNT_OPTION_NOTHING},
	{"silent", MOUNT_OPTION_NOTHING},
	{"loud", MOUNT_OPTION_NOTHING},
	{"user", MOUNT_OPTION_NOTHING},
	{"owner", MOUNT_OPTION_NOTHING},
	{"group", MOUNT_OPTION_NOTHING},
	{"nosuid", MOUNT_OPTION_NOTHING},
	{"nodev", MOUNT_OPTION_NOTHING},
	{"private", MOUNT_OPTION_NOTHING},
	{"rprivate", MOUNT_OPTION_NOTHING},
	{"async", MOUNT_OPTION_NOTHING},
	{"atime", MOUNT_OPTION_NOTHING},
	{"diratime", MOUNT_OPTION_NOTHING},
	{"relatime", MOUNT_OPTION_NOTHING},
	{"nomand", MOUNT_OPTION_NOTHING},
	{"noiversion", MOUNT_OPTION_NOTHING},
	{"nolazytime", MOUNT_OPTION_NOTHING},
	{"nostrictatime", MOUNT_OPTION_NOTHING},
	{"x-create=auto", MOUNT_OPTION_NOTHING},
	{"x-create=dir", MOUNT_OPTION_NOTHING},
	{"x-create=file", MOUNT_OPTION_NOTHING},
	{"consistent", MOUNT_OPTION_NOTHING},
	{"cached", MOUNT_OPTION_NOTHING},
	{"delegated", MOUNT_OPTION_NOTHING},

	{"suid", MOUNT_OPTION_REFUSED, "a mount never carries set-id programs"},
	{"dev", MOUNT_OPTION_REFUSED, "a mount never carries device nodes; see --device"},
	{"shared", MOUNT_OPTION_REFUSED, "mounts do not propagate"},
	{"rshared", MOUNT_OPTION_REFUSED, "mounts do not propagate"},
	{"slave", MOUNT_OPTION_REFUSED, "mounts do not propagate"},
	{"rslave", MOUNT_OPTION_REFUSED, "mounts do not propagate"},
	{"z", MOUNT_OPTION_REFUSED, "SELinux labels are not changed"},
	{"Z", MOUNT_OPTION_REFUSED, "SELinux labels are not changed"},
	{"U", MOUNT_OPTION_REFUSED, "owners are not changed"},
	{"O", MOUNT_OPTION_REFUSED, "overlay volumes are not supported"},
	{"remount", MOUNT_OPTION_REFUSED, "there is nothing to mount again"},
	{"x-move", MOUNT_OPTION_REFUSED, "there is nothing to move"},
	{"x-detach", MOUNT_OPTION_REFUSED, "the container starts without foreign mounts"},
};

static const struct mount_vocabulary vocabulary = {words, sizeof(words) / sizeof(words[0])};

int mount_word_apply(struct mount_spec *m, const char *word, struct err *e)
{
	const struct mount_option *o;
	int r = mount_option_look(&vocabulary, word, &o, e);

	if (r < 0)
		return r;
	if ((o->kind == MOUNT_OPTION_BIND || o->kind == MOUNT_OPTION_RBIND) &&
	    m->kind != MOUNT_BIND)
		return err_set(e, EINVAL, "'%s' is for a bind only", word);
	return mount_option_apply(m, o, word, e);
}

static int take(void *arg, const char *word, struct err *e)
{
	if (!*word)
		return err_set(e, EINVAL, "an empty mount option");
	return mount_word_apply(arg, word, e);
}

int mount_words_apply(struct mount_spec *m, const char *list, struct err *e)
{
	return mount_options_each(list, take, m, e);
}

bool mount_words_known(const char *list)
{
	return mount_option_begins(&vocabulary, list);
}
