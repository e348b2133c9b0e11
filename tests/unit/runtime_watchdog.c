/* SPDX-License-Identifier: Apache-2.0 */
/* The watchdog's parsers on texts as the kernel writes them, and on broken ones. */
#include "runtime/watchdog.h"
#include "tests/unit/tap.h"

static const char shm[] =
	"       key      shmid perms                  size  cpid  lpid nattch   uid   gid  cuid  cgid"
	"      atime      dtime      ctime                   rss                  swap\n"
	"         0          0   600               1048576    12    12      1     0     0     0     0"
	" 1700000000          0 1700000000               1044480                     0\n"
	"         0          1   600                  8192    12    12      0     0     0     0     0"
	" 1700000000          0 1700000000                  4096                  4096\n";

static const char rollup[] = "7f00-7fff ---p 00000000 00:00 0    [rollup]\n"
			     "Rss:                2048 kB\nPss:                 512 kB\n"
			     "Pss_Anon:            300 kB\nPss_File:            200 kB\nPss_Shmem:            12 kB\n";

int main(void)
{
	is_int(watchdog_parse_statm("1000 500 200 1 0 3 0\n", 4096), 300 * 4096, "statm");
	is_int(watchdog_parse_statm("", 4096), 0, "a process that is gone");
	is_int(watchdog_parse_statm("1 2 3", 4096), 0, "more shared than resident");
	is_int(watchdog_parse_sysvipc(shm, sizeof(shm) - 1), 1044480 + 4096, "rss of SysV segments");
	is_int(watchdog_parse_sysvipc("", 0), 0, "no text");
	is_int(watchdog_parse_sysvipc("x", 1), 0, "one word");
	is_int(watchdog_parse_rollup(rollup, "Pss_Anon"), 300 * 1024, "anonymous share");
	is_int(watchdog_parse_rollup(rollup, "Pss_Shmem"), 12 * 1024, "the last line");
	is_int(watchdog_parse_rollup(rollup, "Pss_Dirty"), 0, "a line that is missing");
	is_int(watchdog_parse_rollup("", "Pss_Anon"), 0, "no text");
	return done_testing();
}
