/* SPDX-License-Identifier: Apache-2.0 */
/* The watchdog's parsers on texts as the kernel writes them, and on broken ones. */
#include "runtime/limit/watchdog.h"
#include "tests/unit/tap.h"

static const char shm[] =
	"       key      shmid perms                  size  cpid  lpid nattch   uid   gid  cuid  "
	"cgid"
	"      atime      dtime      ctime                   rss                  swap\n"
	"         0          0   600               1048576    12    12      1     0     0     0    "
	" 0"
	" 1700000000          0 1700000000               1044480                     0\n"
	"         0          1   600                  8192    12    12      0     0     0     0    "
	" 0"
	" 1700000000          0 1700000000                  4096                  4096\n";

static const char rollup[] =
	"7f00-7fff ---p 00000000 00:00 0    [rollup]\n"
	"Rss:                2048 kB\nPss:                 512 kB\n"
	"Pss_Anon:            300 kB\nPss_File:            200 kB\nPss_Shmem:            12 kB\n";

static const char smaps[] =
	"7f0000000000-7f0000100000 rw-s 00000000 00:01 1025       /dev/zero (deleted)\n"
	"Size:               1024 kB\nRss:                1024 kB\nPss:                 512 kB\n"
	"VmFlags: rd wr sh mr mw me ms sd \n"
	"7f0000100000-7f0000200000 rw-s 00000000 00:1a 2          /dev/shm/x\n"
	"Pss:                1024 kB\n"
	"7f0000200000-7f0000300000 rw-s 00000000 00:01 1026       /dev/zero (deleted)\n"
	"Pss_Dirty:             4 kB\nPss:                   8 kB\n";

static void test_statm(void)
{
	struct watchdog_statm m;

	ok(watchdog_parse_statm("1000 500 200 1 0 3 0\n", 4096, &m), "statm");
	is_int(m.private_bytes, 300 * 4096, "private");
	is_int(m.shared_bytes, 200 * 4096, "shared");
	ok(!watchdog_parse_statm("0 0 0 0 0 0 0\n", 4096, &m), "a thread that has ended");
	ok(!watchdog_parse_statm("", 4096, &m), "a process that is gone");
	is_int(m.private_bytes, 0, "has nothing");
	ok(!watchdog_parse_statm("1 2 3", 4096, &m), "more shared than resident");
	is_int(m.shared_bytes, 0, "is nothing");
}

static uint64_t sysv_sum(enum watchdog_sysv kind, const char *text)
{
	char copy[2048];
	uint64_t sum = 0;

	snprintf(copy, sizeof(copy), "%s", text);
	for (char *line = strtok(copy, "\n"); line; line = strtok(NULL, "\n"))
		sum += watchdog_parse_sysv(kind, line);
	return sum;
}

static void test_sysv(void)
{
	is_int(sysv_sum(WATCHDOG_SHM, shm), 1044480 + 4096 + 4096,
	       "resident and swapped SysV segments");
	is_int(sysv_sum(
		       WATCHDOG_SEM,
		       "       key      semid perms      nsems   uid   gid  cuid  cgid      otime      ctime\n"
		       "         0          0   600      32000     0     0     0     0          0 1700000000\n"
		       "         0          1   600          1     0     0     0     0          0 1700000000\n"),
	       32001 * 64, "a cache line for each semaphore");
	is_int(sysv_sum(
		       WATCHDOG_MSG,
		       "       key      msqid perms      cbytes       qnum lspid lrpid   uid   gid  cuid\n"
		       "         0          0   600       16000          2    12     0     0     0     0\n"),
	       16000 + 2 * 64, "messages and their heads");
	for (int kind = WATCHDOG_SHM; kind <= WATCHDOG_MSG; kind++) {
		is_int(watchdog_parse_sysv((enum watchdog_sysv)kind, ""), 0, "no text");
		is_int(watchdog_parse_sysv((enum watchdog_sysv)kind, "x 1 2 3 4 5"), 0, "a word");
	}
}

static void test_smaps(void)
{
	struct watchdog_smaps s = {.in_zero = false};
	char text[sizeof(smaps)];

	memcpy(text, smaps, sizeof(smaps));
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		watchdog_smaps_line(&s, line);
	is_int(s.anon_shared_bytes, (512 + 8) * 1024, "the mappings without a name");
	watchdog_smaps_line(&s, "");
	watchdog_smaps_line(&s, ":");
	watchdog_smaps_line(&s, "Pss:");
	is_int(s.anon_shared_bytes, (512 + 8) * 1024, "broken lines");
}

static bool must_kill(struct watchdog *w, uint64_t sum_mib, uint64_t files_mib)
{
	bool yes;

	w->sum_bytes = sum_mib << 20;
	w->files_bytes = files_mib << 20;
	yes = watchdog_must_kill(w);
	if (yes)
		w->floor_bytes = w->sum_bytes;
	return yes;
}

static void test_who_must_die(void)
{
	struct watchdog w = {.limit_bytes = 100 << 20};

	ok(!must_kill(&w, 100, 0), "at the limit");
	ok(must_kill(&w, 101, 0), "past it");
	ok(must_kill(&w, 101, 0), "still past it when one is gone");
	ok(!must_kill(&w, 50, 0) && must_kill(&w, 101, 99), "below it all begins anew");
	ok(!must_kill(&w, 101, 99), "what is left is in files, and no more than it was");
	ok(!must_kill(&w, 100, 99) && must_kill(&w, 101, 99), "less of it, and more again");
	ok(must_kill(&w, 104, 99), "more than when the last one died");
	ok(must_kill(&w, 104, 50), "what processes hold is given back");
}

int main(void)
{
	test_who_must_die();
	test_statm();
	test_smaps();
	test_sysv();
	is_int(watchdog_parse_kib(rollup, "Pss_Anon"), 300 * 1024, "anonymous share");
	is_int(watchdog_parse_kib(rollup, "Pss_Shmem"), 12 * 1024, "the last line");
	is_int(watchdog_parse_kib(rollup, "Pss_Dirty"), 0, "a line that is missing");
	is_int(watchdog_parse_kib("", "Pss_Anon"), 0, "no text");
	return done_testing();
}
