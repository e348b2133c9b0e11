/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The option words of mount(8), docker's volumes and enroot's fstab lines, and what each means
 * for a container's mount: most say what is the case anyhow, a few change the mount, and the
 * rest ask for what an unprivileged container cannot give.
 */

#include "cmd/mount_words.h"

#include <string.h>

#include "runtime/base/err.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"
#include "runtime/spec.h"

enum word {
	WORD_NOTHING, /* already so */
	WORD_BIND,
	WORD_RBIND,
	WORD_RO,
	WORD_RW,
	WORD_EXEC,
	WORD_NOEXEC,
	WORD_OPTIONAL,
	WORD_SIZE, /* tmpfs only, with a value */
	WORD_MODE,
	WORD_REFUSED,
};

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
	{"nofail", WORD_OPTIONAL},
	{"size=", WORD_SIZE},
	{"mode=", WORD_MODE},

	{"defaults", WORD_NOTHING},
	{"auto", WORD_NOTHING},
	{"silent", WORD_NOTHING},
	{"loud", WORD_NOTHING},
	{"user", WORD_NOTHING},
	{"owner", WORD_NOTHING},
	{"group", WORD_NOTHING},
	{"nosuid", WORD_NOTHING},
	{"nodev", WORD_NOTHING},
	{"private", WORD_NOTHING},
	{"rprivate", WORD_NOTHING},
	{"async", WORD_NOTHING},
	{"atime", WORD_NOTHING},
	{"diratime", WORD_NOTHING},
	{"relatime", WORD_NOTHING},
	{"nomand", WORD_NOTHING},
	{"noiversion", WORD_NOTHING},
	{"nolazytime", WORD_NOTHING},
	{"nostrictatime", WORD_NOTHING},
	{"x-create=auto", WORD_NOTHING},
	{"x-create=dir", WORD_NOTHING},
	{"x-create=file", WORD_NOTHING},
	{"consistent", WORD_NOTHING},
	{"cached", WORD_NOTHING},
	{"delegated", WORD_NOTHING},

	{"suid", WORD_REFUSED, "a mount never carries set-id programs"},
	{"dev", WORD_REFUSED, "a mount never carries device nodes; see --device"},
	{"shared", WORD_REFUSED, "mounts do not propagate"},
	{"rshared", WORD_REFUSED, "mounts do not propagate"},
	{"slave", WORD_REFUSED, "mounts do not propagate"},
	{"rslave", WORD_REFUSED, "mounts do not propagate"},
	{"z", WORD_REFUSED, "SELinux labels are not changed"},
	{"Z", WORD_REFUSED, "SELinux labels are not changed"},
	{"U", WORD_REFUSED, "owners are not changed"},
	{"O", WORD_REFUSED, "overlay volumes are not supported"},
	{"remount", WORD_REFUSED, "there is nothing to mount again"},
	{"x-move", WORD_REFUSED, "there is nothing to move"},
	{"x-detach", WORD_REFUSED, "the container starts without foreign mounts"},
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

int mount_word_apply(struct mount_spec *m, const char *word, struct err *e)
{
	int i = find(word, strlen(word));
	const char *value = strchr(word, '=');

	if (i < 0)
		return err_set(e, EINVAL, "unknown mount option '%s'", word);
	switch (words[i].word) {
	case WORD_NOTHING:
		break;
	case WORD_BIND:
	case WORD_RBIND:
		if (m->kind != MOUNT_BIND)
			return err_set(e, EINVAL, "'%s' is for a bind only", word);
		m->non_recursive = words[i].word == WORD_BIND;
		break;
	case WORD_RO:
	case WORD_RW:
		m->readonly = words[i].word == WORD_RO;
		break;
	case WORD_EXEC:
	case WORD_NOEXEC:
		m->exec_off = words[i].word == WORD_NOEXEC;
		break;
	case WORD_OPTIONAL:
		m->optional = true;
		break;
	case WORD_SIZE:
		return apply_size(m, value + 1, e);
	case WORD_MODE:
		return apply_mode(m, value + 1, e);
	case WORD_REFUSED:
		return err_set(e, EINVAL, "mount option '%s': %s", word, words[i].why);
	}
	return 0;
}

int mount_words_apply(struct mount_spec *m, const char *list, struct err *e)
{
	while (true) {
		size_t n = strcspn(list, ",");
		char word[64];
		int r;

		if (!n)
			return err_set(e, EINVAL, "an empty mount option");
		if (n >= sizeof(word))
			return err_set(e, EINVAL, "unknown mount option '%.60s...'", list);
		memcpy(word, list, n);
		word[n] = 0;
		r = mount_word_apply(m, word, e);
		if (r < 0 || !list[n])
			return r;
		list += n + 1;
	}
}

bool mount_words_known(const char *list)
{
	return find(list, strcspn(list, ",")) >= 0;
}
