/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Landlock (landlock(7)) as a second lock: files are reachable beneath the container's root only,
 * whatever descriptor of the outside should ever leak in, and mount(2) is refused whatever the
 * capabilities. Applied once, before init's first fork, so that a process exec'd into the
 * container later is in the same domain and may be debugged from inside.
 *
 * Rules besides the root: init's clean clone of /proc, which hangs in no tree, and those of the
 * three standard streams that are files or devices of the host, because programs open /dev/stdout
 * and mean the file the caller gave them. Each for what the caller opened it for: the program must
 * not open a file again to write that was passed to be read.
 *
 * With the host's network the abstract UNIX sockets of the host would be in reach: an X server,
 * say, that lets in every program with the caller's user id. They are a means of IPC, and go with
 * --ipc host. unix_sockets.c keeps them apart; where it cannot, Landlock refuses to connect to them.
 */
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/log.h"
#include "runtime/child/child.h"
#include "runtime/spec/plan.h"

/* Rights the kernel headers at hand may not know yet. */
#define ACCESS_REFER (UINT64_C(1) << 13)    /* ABI 2 */
#define ACCESS_TRUNCATE (UINT64_C(1) << 14) /* ABI 3 */
#define ACCESS_ABI1 ((UINT64_C(1) << 13) - 1)
#define ACCESS_READ (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE)
#define ACCESS_WRITE (LANDLOCK_ACCESS_FS_WRITE_FILE | ACCESS_TRUNCATE)
#define SCOPE_ABSTRACT_UNIX_SOCKET (UINT64_C(1) << 0) /* ABI 6 */

/* struct landlock_ruleset_attr of ABI 6. An older kernel takes it while what it does not know is 0. */
struct ruleset_attr {
	uint64_t handled_access_fs, handled_access_net, scoped;
};

static int add_rule(int ruleset, int fd, uint64_t access, struct err *e)
{
	struct landlock_path_beneath_attr rule = {.allowed_access = access, .parent_fd = fd};

	if (syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) < 0)
		return err_sys(e, "landlock rule");
	return 0;
}

static uint64_t access_of(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || flags & O_PATH)
		return 0;
	return ((flags & O_ACCMODE) != O_WRONLY ? ACCESS_READ : 0) |
	       ((flags & O_ACCMODE) != O_RDONLY ? ACCESS_WRITE : 0);
}

static int add_streams(int ruleset, uint64_t handled, struct err *e)
{
	for (int fd = 0; fd <= 2; fd++) {
		uint64_t access = access_of(fd) & handled;
		struct err refused = ERR_INIT;
		struct stat st;
		int r;

		if (!access || fstat(fd, &st) < 0 || !(S_ISREG(st.st_mode) || S_ISCHR(st.st_mode)))
			continue;
		r = add_rule(ruleset, fd, access, &refused);
		/* A file of no visible file system (a memfd): Landlock never checks it. */
		if (r == -EBADFD)
			continue;
		if (r < 0) {
			*e = refused;
			return r;
		}
	}
	return 0;
}

int landlock_apply(struct child *c, const struct op *op, struct err *e)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	uint64_t handled = ACCESS_ABI1 | ACCESS_REFER | (abi >= 3 ? ACCESS_TRUNCATE : 0);
	struct ruleset_attr attr = {
		.handled_access_fs = handled,
		.scoped = abi >= 6 && op->flags & OP_SCOPED && !c->has_own_unix
				  ? SCOPE_ABSTRACT_UNIX_SOCKET
				  : 0,
	};
	_close_ int ruleset = -1, root = -1;
	int r;

	/* ABI 1 cannot allow renames between directories: it would break programs. The supervisor
	 * reports its absence (container.c); here it is no error. */
	if (abi < 2)
		return 0;
	ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
	if (ruleset < 0)
		return err_sys(e, "landlock");
	root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return err_sys(e, "landlock: open /");
	r = add_rule(ruleset, root, handled, e);
	if (r >= 0)
		r = add_rule(ruleset, c->clean_proc_fd, handled, e);
	if (r >= 0)
		r = add_streams(ruleset, handled, e);
	/* A memfd has no place in a file system, so it needs no rule. */
	if (r >= 0 && c->init_is_file)
		r = add_rule(ruleset, c->init_fd, ACCESS_READ, e);
	if (r < 0)
		return r;
	if (syscall(SYS_landlock_restrict_self, ruleset, 0) < 0)
		return err_sys(e, "landlock");
	return 0;
}
