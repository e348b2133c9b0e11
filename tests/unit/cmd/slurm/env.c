/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/slurm/step_env.h"

#include "cmd/slurm/step_state.h"
#include "runtime/base/err.h"
#include "tests/unit/tap.h"

static void fill(struct strv *v, const char *const *items)
{
	for (; *items; items++)
		strv_add(v, *items);
}

static void merges(void)
{
	static const char *const task[] = {"HOME=/h",
					   "LANG=xx",
					   "LC_ALL=xx",
					   "KEPT=task",
					   "SLURM_PROCID=3",
					   "SLURM_LOCALID=1",
					   "PATH=/task",
					   "CUDA_VISIBLE_DEVICES=2",
					   "SPANK_CSBX_STEP=/s",
					   "nonsense",
					   NULL};
	static const char *const container[] = {"HOME=/root",
						"PATH=/image",
						"KEPT=image",
						"SLURM_PROCID=0",
						"CUDA_VISIBLE_DEVICES=all",
						"PYTORCH_VERSION=2",
						"LANG=C",
						"OWN=a=b",
						NULL};
	static const char *const want[][2] = {
		{"HOME", "/root"},
		{"PATH", "/image"},
		{"KEPT", "task"},
		{"SLURM_PROCID", "3"},
		{"CUDA_VISIBLE_DEVICES", "2"},
		{"LANG", "C"},
		{"LC_ALL", NULL},
		{"SPANK_CSBX_STEP", NULL},
		{"OWN", "a=b"},
		{"RANK", "3"},
		{"LOCAL_RANK", "1"},
	};
	_strv_ struct strv c = STRV_INIT, keep = STRV_INIT, env = STRV_INIT;

	fill(&c, container);
	strv_add(&keep, "KEPT");
	strv_add(&keep, "MISSING");
	ok(!step_env_merge((char *const *)task, &c, &keep, &env, NULL), "merges");
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const char *got = strv_get_env(&env, want[i][0]);

		is_str(got ? got : "none", want[i][1] ? want[i][1] : "none", "%s", want[i][0]);
	}
}

static void keeps_the_locale_where_asked(void)
{
	static const char *const task[] = {"LANG=xx", NULL};
	_strv_ struct strv c = STRV_INIT, keep = STRV_INIT, env = STRV_INIT;

	strv_add(&c, "LANG=C");
	strv_add(&keep, "LANG");
	ok(!step_env_merge((char *const *)task, &c, &keep, &env, NULL), "merges");
	is_str(strv_get_env(&env, "LANG"), "xx", "the task's");
	ok(!strv_get_env(&env, "RANK"), "no RANK for images that are not PyTorch's");
}

static void parses(void)
{
	static const char good[] =
		"pid 77\nruntime /run/x y\nworkdir /w\nkeep A\nkeep B\nlog yes\n";
	static const char *const bad[] = {"",
					  "pid 77\n",
					  "runtime /r\n",
					  "pid 1\nruntime /r\n",
					  "pid -7\nruntime /r\n",
					  "pid 99999999999\nruntime /r\n",
					  "pid 77\nruntime r\n",
					  "pid 77\nruntime /r",
					  "pid 77\nruntime /r\ncolour red\n",
					  "pid 77\n\nruntime /r\n",
					  "pid 77\nruntime /r\nruntime /s\n",
					  "pid 77\nruntime /r\nworkdir w\n"};
	struct step_state s;
	struct err e = ERR_INIT;

	ok(!step_state_parse(good, sizeof(good) - 1, &s, &e), "parses: %s", e.msg);
	is_int(s.pid, 77, "pid");
	is_str(s.runtime, "/run/x y", "runtime");
	is_str(s.workdir, "/w", "workdir");
	ok(s.keep.n == 2 && s.shows_log, "names, log");
	step_state_free(&s);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		is_int(step_state_parse(bad[i], strlen(bad[i]), &s, &e), -EBADMSG,
		       "refuses state %zu", i);
	is_int(step_state_parse("pid 7\0\nruntime /r\n", 18, &s, &e), -EBADMSG, "refuses a NUL");
}

int main(void)
{
	merges();
	keeps_the_locale_where_asked();
	parses();
	return done_testing();
}
