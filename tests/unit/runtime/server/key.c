/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/server/key.h"

#include "runtime/base/str.h"
#include "tests/unit/tap.h"

static const char *domain(const char *cgroups, const struct batch_job *job)
{
	static char ret[SQUASHD_DOMAIN_MAX];
	static const struct batch_job none;

	squashd_domain(cgroups, strlen(cgroups), job ? job : &none, ret);
	return ret;
}

static void test_plain(void)
{
	is_str(domain("0::/user.slice/user-1000.slice/session-2.scope\n", NULL),
	       "/user.slice/user-1000.slice/session-2.scope", "v2: the leaf");
	is_str(domain("0::/\n", NULL), "/", "the root cgroup");
	is_str(domain("", NULL), "/", "no cgroups");
	is_str(domain("12:cpu:/a\n5:memory:/m\n1:name=systemd:/s\n0::/v2\n", NULL), "/v2",
	       "hybrid: v2 where it says something");
	is_str(domain("12:cpu:/a\n1:name=systemd:/s\n5:memory:/m\n0::/\n", NULL), "/m",
	       "hybrid: else the controller that kills");
	is_str(domain("1:name=systemd:/s\n3:freezer:/f", NULL), "/f", "no newline at the end");
	is_str(domain("nonsense\n:\n::\n5:memory\n0::/x\n", NULL), "/x", "malformed lines");
}

static void test_batch(void)
{
	struct batch_job slurm = {.slurm_job = "12", .slurm_step = "3", .slurm_node = "n1"},
			 pbs = {.pbs_job = "7.srv"};

	is_str(domain("0::/system.slice/slurmstepd.scope/job_12/step_0/user/task_1\n", NULL),
	       "/system.slice/slurmstepd.scope/job_12/step_0", "cut at the step");
	is_str(domain("0::/system.slice/slurmstepd.scope/job_12/step_0\n", NULL),
	       "/system.slice/slurmstepd.scope/job_12/step_0", "at the step itself");
	is_str(domain("0::/job_12/step_batch/user/task_0\n", &slurm), "/job_12/step_batch",
	       "the path wins over the environment");
	is_str(domain("9:cpuset:/slurm/uid_1/job_1/step_2/task_0\n5:memory:/x\n0::/y\n", NULL),
	       "/slurm/uid_1/job_1/step_2", "v1: a step in any hierarchy wins");
	is_str(domain("0::/system.slice/slurmd.service\n", &slurm),
	       "/system.slice/slurmd.service slurm=12.3@n1", "no step in the path: the job's ids");
	is_str(domain("0::/a\n", &pbs), "/a pbs=7.srv", "PBS");
	ok(strcmp(domain("0::/a/step_\n", NULL), "/a/step_") == 0, "an empty step name");
}

static void test_long(void)
{
	char text[3000] = "0::/", first[SQUASHD_DOMAIN_MAX];

	memset(text + 4, 'a', 2000);
	memcpy(first, domain(text, NULL), sizeof(first));
	ok(strlen(first) < SQUASHD_DOMAIN_MAX, "cut to fit");
	text[2003] = 'b';
	ok(strcmp(first, domain(text, NULL)) != 0, "a difference at the end still tells");
}

static void test_name(void)
{
	struct squashd_key a, b;
	char first[SQUASHD_NAME_MAX], second[SQUASHD_NAME_MAX];

	memset(&a, 0, sizeof(a));
	a.uid = 5;
	b = a;
	squashd_key_name(&a, first);
	squashd_key_name(&b, second);
	is_str(second, first, "equal keys, equal names");
	ok(strlen(first) == 21 && str_has_suffix(first, ".sock"), "form of the name");
	b.gid = 1;
	squashd_key_name(&b, second);
	ok(strcmp(first, second) != 0, "another main group");
	b = a;
	b.image.mtime_ns++;
	squashd_key_name(&b, second);
	ok(strcmp(first, second) != 0, "another time of the image");
	b = a;
	b.domain[SQUASHD_DOMAIN_MAX - 1] = 1;
	squashd_key_name(&b, second);
	ok(strcmp(first, second) != 0, "the last byte counts");
}

int main(void)
{
	test_plain();
	test_batch();
	test_long();
	test_name();
	return done_testing();
}
