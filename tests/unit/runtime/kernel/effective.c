/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/effective.h"

#include <signal.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "tests/unit/tap.h"

static void test_status(void)
{
	static const char text[] =
		"Name:\tCapEff: x\nUid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\nGroups:\t5 6 \n"
		"CapInh:\t0000000000000000\nCapPrm:\t00000000800405fb\nCapEff:\t0000000000000001\n"
		"CapBnd:\t000001ffffffffff\nCapAmb:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:"
		"\t2\n"
		"Seccomp_filters:\t3\n";
	struct effective x = {0};

	is_int(effective_parse_status(text, &x, NULL), 0, "a status file");
	is_str(x.uids, "1 2 3 4", "uids");
	is_str(x.groups, "5 6", "groups");
	ok(x.caps[CAPS_PERMITTED] == 0x800405fb && x.caps[CAPS_EFFECTIVE] == 1 &&
		   x.caps[CAPS_BOUNDING] == 0x1ffffffffff,
	   "capabilities");
	ok(x.no_new_privs && x.seccomp_mode == 2 && x.seccomp_filters == 3, "flags");
	effective_free(&x);
	ok(effective_parse_status("x", &x, NULL) < 0, "something else");
}

static void test_mounts(void)
{
	static const char text[] =
		"36 35 98:0 / /mnt\\040a ro,nosuid shared:1 master:2 - ext4 /dev/root rw,errors=x\n"
		"37 35 0:5 / /\\ rw - tmpfs  rw\nnonsense\n";
	struct effective x = {0};

	is_int(effective_parse_mounts(text, &x, NULL), 0, "a mount table");
	is_int(x.n_mounts, 2, "two mounts");
	is_str(x.mounts[0].target, "/mnt a", "escape");
	is_str(x.mounts[0].options, "ro,nosuid", "options of the mount, not of the file system");
	is_str(x.mounts[0].type, "ext4", "type");
	is_str(x.mounts[0].source, "/dev/root", "source");
	is_str(x.mounts[1].target, "/\\", "no escape");
	effective_free(&x);
}

static void test_limits(void)
{
	static const char text[] =
		"Limit                     Soft Limit           Hard Limit           Units     \n"
		"Max cpu time              unlimited            unlimited            seconds   \n"
		"Max open files            1024                 4096                 files     \n";
	struct effective x = {0};

	is_int(effective_parse_limits(text, &x, NULL), 0, "a table of limits");
	is_int(x.n_limits, 2, "without its heading");
	is_str(x.limits[1].name, "Max open files", "name");
	is_str(x.limits[1].soft, "1024", "soft");
	is_str(x.limits[1].hard, "4096", "hard");
	effective_free(&x);
}

static void test_self(void)
{
	struct effective x;
	struct err e = ERR_INIT;
	pid_t child = fork(), found = 0;

	if (!child) {
		pause();
		_exit(0);
	}
	ok(effective_read(getpid(), &x, &e) >= 0, "our own process: %s", e.msg);
	is_int(x.own_ns[NS_USER], 0, "in our own user namespace");
	ok(x.n_mounts && x.n_limits && x.uid_map.n, "everything is there");
	effective_free(&x);
	ok(effective_first_child(getpid(), &found, &e) >= 0, "a child: %s", e.msg);
	is_int(found, child, "ours");
	kill(child, SIGKILL);
}

int main(void)
{
	test_status();
	test_mounts();
	test_limits();
	test_self();
	return done_testing();
}
