/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/fd.h"
#include "runtime/cgroup/text.h"
#include "tests/unit/tap.h"

static void test_controllers(void)
{
	char text[32];

	is_int(cgroup_parse_controllers("cpuset cpu io memory hugetlb pids rdma misc\n"),
	       CGROUP_ALL, "all that hold a limit");
	is_int(cgroup_parse_controllers("cpuset memory.x pidss +cpu\n"), 0, "other words");
	is_int(cgroup_parse_controllers(""), 0, "none");
	is_int(cgroup_parse_controllers("pids"), CGROUP_PIDS, "without a newline");
	cgroup_print_controllers(CGROUP_ALL, text);
	is_str(text, "+memory +cpu +pids", "what enables them");
	cgroup_print_controllers(0, text);
	is_str(text, "", "nothing");
	is_str(cgroup_controller_name(CGROUP_PIDS), "pids", "a name");
	is_str(cgroup_controller_name(3), "?", "two are no controller");
}

static void test_keys(void)
{
	static const char events[] = "low 0\nhigh 7\nmax 12\noom 3\noom_kill 2\noom_group_kill 1\n";

	is_int((long)cgroup_parse_key(events, "oom_kill"), 2, "oom_kill");
	is_int((long)cgroup_parse_key(events, "oom"), 3, "a key that begins another");
	is_int((long)cgroup_parse_key(events, "oom_"), 0, "the beginning of a key");
	is_int((long)cgroup_parse_key("x oom_kill 5\n", "oom_kill"), 0,
	       "not at the start of a line");
	is_int((long)cgroup_parse_key("oom_kill", "oom_kill"), 0, "cut before the number");
	is_int((long)cgroup_parse_key("oom_kill -1\n", "oom_kill"), 0, "a sign");
	is_int((long)cgroup_parse_key("oom_kill 4x\n", "oom_kill"), 0, "a letter");
	is_int((long)cgroup_parse_key("", "oom_kill"), 0, "nothing");
	is_int((long)cgroup_parse_number("4096\n"), 4096, "a number");
	is_int((long)cgroup_parse_number("max\n"), 0, "max");
	ok(cgroup_parse_number("18446744073709551615\n") == UINT64_MAX, "the largest");
}

static void test_stalled(void)
{
	uint64_t us = 7;

	ok(cgroup_parse_stalled("some avg10=0.10 avg60=0.00 avg300=0.00 total=900\n"
				"full avg10=15.03 avg60=4.45 avg300=1.02 total=3255618\n",
				&us),
	   "a pressure file");
	is_int((long)us, 3255618, "its line of nobody running");
	ok(!cgroup_parse_stalled("some avg10=0.10 total=900\n", &us) && !us, "without that line");
	ok(!cgroup_parse_stalled("", &us) && !us, "nothing");
	ok(cgroup_parse_stalled("full total=x\n", &us) && !us, "no number");
}

static const char *cpu_max(uint64_t milli)
{
	static char text[48];

	cgroup_print_cpu_max(milli, text);
	return text;
}

static void test_cpu_max(void)
{
	is_str(cpu_max(1000), "100000 100000", "one CPU");
	is_str(cpu_max(1500), "150000 100000", "one and a half");
	is_str(cpu_max(333), "33300 100000", "a third, exactly");
	is_str(cpu_max(10), "1000 100000", "the least of a short period");
	is_str(cpu_max(9), "9000 1000000", "less: a long period");
	is_str(cpu_max(1), "1000 1000000", "a thousandth");
	is_str(cpu_max(65536000), "6553600000 100000", "many");
}

static void is_own(const char *text, const char *want, const char *what)
{
	_free_ char *got = cgroup_own_path(text);

	if (want)
		is_str(got ? got : "(none)", want, "%s", what);
	else
		ok(!got, "%s", what);
}

static void test_own_path(void)
{
	is_own("0::/user.slice/x.scope\n", "/user.slice/x.scope", "version 2 only");
	is_own("12:pids:/a\n1:name=systemd:/b\n0::/c\n", "/c", "a hybrid tree");
	is_own("10::/a\n1:cpu:/0::/x\n", NULL, "version 1 only, with a name that looks like it");
	is_own("0::/../../other\n", NULL, "outside of our namespace");
	is_own("0::\n", NULL, "no path");
	is_own("", NULL, "nothing");
}

#define ROOT_MOUNT \
	"30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
#define HYBRID                                                        \
	"33 31 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n" \
	"41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 none rw\n"
#define PARTIAL "50 20 0:26 /job/a /mnt/c\\040d rw - cgroup2 cgroup2 rw\n"

static void is_directory(const char *mounts, const char *own, const char *want, size_t top,
			 const char *what)
{
	size_t len = 0;
	_free_ char *got = cgroup_find_directory(mounts, own, &len);

	if (!want) {
		ok(!got, "%s", what);
		return;
	}
	is_str(got ? got : "(none)", want, "%s", what);
	is_int((long)len, (long)top, "%s: the mount point's length", what);
}

static void test_directory(void)
{
	is_directory(ROOT_MOUNT, "/", "/sys/fs/cgroup", 14, "the root");
	is_directory(ROOT_MOUNT, "/a/b", "/sys/fs/cgroup/a/b", 14, "a group");
	is_directory(HYBRID, "/a", "/sys/fs/cgroup/unified/a", 22, "a hybrid tree");
	is_directory(PARTIAL, "/job/a/x", "/mnt/c d/x", 8, "a part of the tree, with a blank");
	is_directory(PARTIAL, "/job/a", "/mnt/c d", 8, "its top");
	is_directory(PARTIAL, "/job/ab", NULL, 0, "a neighbour that begins alike");
	is_directory(PARTIAL ROOT_MOUNT, "/x", "/sys/fs/cgroup/x", 14, "the mount that shows it");
	is_directory("30 23 0:26 / /a - cgroup2", "/", NULL, 0, "a line that is cut");
	is_directory("30 - cgroup2 \n - cgroup2 - cgroup2 \n", "/", NULL, 0, "too few fields");
	is_directory("1 2 3 x y rw - cgroup2 c rw\n", "/", NULL, 0, "relative names");
	is_directory("1 2 3 / /sys - tmpfs x rw, - cgroup2\n", "/", NULL, 0, "another type");
	is_directory("", "/", NULL, 0, "nothing");
}

static void is_job(const char *own, const char *id, const char *want, const char *what)
{
	_free_ char *got = strndup(own, cgroup_job_len(own, id));

	is_str(got, want, "%s", what);
}

static void test_job(void)
{
	is_job("/system.slice/slurmstepd.scope/job_12/step_0/user/task_0", "12",
	       "/system.slice/slurmstepd.scope/job_12/step_0", "a step of SLURM");
	is_job("/pbs_jobs.service/jobid/345.server/x", "345.server",
	       "/pbs_jobs.service/jobid/345.server", "PBS");
	is_job("/lsf/c/job.77.123.9/a", "77", "/lsf/c/job.77.123.9", "LSF");
	is_job("/x/job_112/y", "12", "/x/job_112/y", "another job's number: all of it");
	is_job("/x/y", "", "/x/y", "no number");
	is_job("/", "12", "/", "the root");
}

int main(void)
{
	test_controllers();
	test_keys();
	test_stalled();
	test_cpu_max();
	test_own_path();
	test_directory();
	test_job();
	return done_testing();
}
