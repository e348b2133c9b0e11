/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/options/env_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include "cmd/options/resolve_env.h"
#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "tests/unit/tap.h"

/* The list joined by '|'. */
static const char *joined(const struct strv *v)
{
	static char out[1024];
	int n = 0;

	out[0] = 0;
	for (size_t i = 0; i < v->n; i++)
		n += snprintf(out + n, sizeof(out) - (size_t)n, "%s%s", i ? "|" : "", v->items[i]);
	return out;
}

static const char *file(const char *text, size_t len)
{
	static char out[1024];
	_strv_ struct strv v = STRV_INIT;
	struct err e = ERR_INIT;

	if (env_file_parse(text, len, &v, &e) < 0)
		snprintf(out, sizeof(out), "error: %s", e.msg);
	else
		snprintf(out, sizeof(out), "%s", joined(&v));
	return out;
}

#define FILE_TEXT(s) file(s, sizeof(s) - 1)

static void test_file(void)
{
	is_str(FILE_TEXT(""), "", "empty");
	is_str(FILE_TEXT("A=1\nB=2\n"), "A=1|B=2", "two lines");
	is_str(FILE_TEXT("A=1"), "A=1", "no newline at the end");
	is_str(FILE_TEXT("\xef\xbb\xbf"
			 "A=1\r\nB=x y \r\n\r\n"),
	       "A=1|B=x y ", "BOM and CR LF");
	is_str(FILE_TEXT("# c\n\n  A=1\n \t# d\nB\n"), "A=1|B", "comments, blanks, a bare name");
	is_str(FILE_TEXT("A='q' \"x\" $Y\\\n"), "A='q' \"x\" $Y\\", "the value as it stands");
	is_str(FILE_TEXT("A==b=c\n"), "A==b=c", "'=' in the value");
	is_str(FILE_TEXT("A=1\n=x\n"), "error: line 2: the variable's name is missing (NAME=VALUE)",
	       "no name");
	is_str(FILE_TEXT("A B=1\n"),
	       "error: line 1: blank or control character in the variable's name",
	       "a blank in the name");
	is_str(FILE_TEXT("A=1\nB=\0\n"), "error: line 2: a NUL byte", "NUL");
}

static void test_read(void)
{
	char dir[TAP_PATH_SIZE] = "csbx-env", path[64];
	_strv_ struct strv v = STRV_INIT;
	struct err e = ERR_INIT;
	FILE *f;

	if (!tap_mkdtemp(dir))
		return tap_skip("no directory to write to");
	snprintf(path, sizeof(path), "%s/f", dir);
	is_int(env_file_read(path, NULL, &v, &e), -ENOENT, "missing");
	is_int(mkfifo(path, 0600), 0, "a FIFO");
	is_int(env_file_read(path, NULL, &v, &e), -EINVAL,
	       "is refused without waiting for a writer");
	unlink(path);
	f = fopen(path, "w");
	ok(f && ftruncate(fileno(f), (1 << 20) + 1) == 0, "a file of more than 1 MiB");
	fclose(f);
	is_int(env_file_read(path, NULL, &v, &e), -EFBIG, "is refused");
	is_int(env_file_read(dir, NULL, &v, &e), -EINVAL, "a directory is refused");
	unlink(path);
	rmdir(dir);
}

static void test_list(void)
{
	static const char *const host[] = {"H=host", "X=x", NULL};
	_strv_ struct strv env = STRV_INIT, list = STRV_INIT;

	strv_add(&env, "A=image");
	strv_add(&env, "B=image");
	strv_add(&env, "C=image");
	strv_add(&list, "A=mine");
	strv_add(&list, "H");
	strv_add(&list, "B");
	strv_add(&list, "NONE");
	strv_add(&list, "A=last");
	env_add_list(&env, &list, (char *const *)host);
	is_str(joined(&env), "A=last|C=image|H=host", "replaced, passed on, taken away");
	env_add_list(&env, &(struct strv){0}, (char *const *)host);
	is_int(env.n, 3, "an empty list changes nothing");
}

static void test_environment_file(void)
{
	static const char text[] =
		"# x\nA=1\nexport B=\"two words\"\nC='q'\nD=\"\nE=$A\n=x\nnoise\nA=2\nF=a \r\n";
	_strv_ struct strv env = STRV_INIT;

	env_add_environment_file(&env, text, sizeof(text) - 1);
	is_str(joined(&env), "A=2|B=two words|C=q|D=\"|E=$A|F=a", "as pam_env, nothing expanded");
}

static void test_job(void)
{
	static const char *const no_job[] = {"SLURM_NTASKS=2", "RANK=1", NULL};
	static const char *const job[] = {
		"SLURM_JOB_ID=7", "SLURM_NTASKS=2",    "HOME=/h", "RANK=1",
		"RANKS=2",        "PMIX_X=y",          "PATH=/p", "SECRET=s",
		"PMI_FD=3",       "SLURMD_NODENAME=n", NULL};
	static const char *const pbs[] = {"PBS_JOBID=1", "OMP_NUM_THREADS=4", NULL};
	_strv_ struct strv a = STRV_INIT, b = STRV_INIT, c = STRV_INIT;

	env_add_job(&a, (char *const *)no_job);
	is_str(joined(&a), "", "nothing outside a job");
	env_add_job(&b, (char *const *)job);
	is_str(joined(&b),
	       "SLURM_JOB_ID=7|SLURM_NTASKS=2|RANK=1|PMIX_X=y|PMI_FD=3|SLURMD_NODENAME=n",
	       "the job's variables and nothing else");
	env_add_job(&c, (char *const *)pbs);
	is_str(joined(&c), "OMP_NUM_THREADS=4", "under PBS");
}

/* An image or a script may set any number: quadratic, this took minutes. */
static void test_many(void)
{
	enum { N = 300000 };
	_strv_ struct strv env = STRV_INIT, list = STRV_INIT;
	uint64_t begin = clock_monotonic_ms();

	for (int i = 0; i < N; i++) {
		strv_take(&env, str_printf("V%d=image", i));
		strv_take(&list, str_printf("V%d=mine", N / 2 + i));
	}
	env_add_list(&env, &list, NULL);
	is_int(env.n, N + N / 2, "each once");
	is_str(env.items[N / 2 - 1], "V149999=image", "what nobody replaces");
	is_str(env.items[N / 2], "V150000=mine", "what somebody does, in its place");
	is_str(env.items[N], "V300000=mine", "what is new, behind it");
	ok(clock_monotonic_ms() - begin < 20000, "in time");
}

int main(void)
{
	test_file();
	test_read();
	test_list();
	test_many();
	test_environment_file();
	test_job();
	return done_testing();
}
