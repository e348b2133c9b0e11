/* SPDX-License-Identifier: Apache-2.0 */
#include "image/squash/start_files.h"

#include <string.h>

#include "tests/unit/tap.h"

static const char *const yes[] = {
	"ld-linux-x86-64.so.2",
	"ld-linux-aarch64.so.1",
	"ld-musl-x86_64.so.1",
	"ld-2.31.so",
	"libc.so.6",
	"libc-2.31.so",
	"libm.so.6",
	"libm-2.31.so",
	"libpython3.11.so.1.0",
	"libpython3.so",
	"libpython2.7.so.1.0",
	"libtinfo.so.6",
	"python",
	"python3",
	"python3.12",
	"sh",
	"bash",
	"dash",
	"ash",
	"busybox",
};

static const char *const no[] = {
	"",           "s",        "ssh",         "sh.txt",         "bashbug",     "libcrypto.so.3",
	"libcap.so",  "libc.a",   "libc.so.6~",  "libmd.so.0",     "ld-",         "ld-linux.so.gz",
	"ld.so.conf", "libm.a",   "python3-dbg", "python3-config", "libpython.a", "pythonw",
	"BASH",       "busybox2",
};

int main(void)
{
	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		ok(start_files_has(yes[i], (unsigned)strlen(yes[i])), "%s is one", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		ok(!start_files_has(no[i], (unsigned)strlen(no[i])), "\"%s\" is none", no[i]);
	ok(start_files_has("bash.old", 4), "a name ends where its length says");
	return done_testing();
}
