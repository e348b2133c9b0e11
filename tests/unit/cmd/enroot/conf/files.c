/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cmd/enroot/conf/script.h"
#include "cmd/enroot/conf/expand.h"
#include "cmd/enroot/start/stock.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "tests/unit/tap.h"

/* A list of an environment is not const. */
#define W(text) ((char[]){text})

static const char *expanded(const char *text)
{
	char *const env[] = {W("A=1"), W("B=$A"), W("AB=2"), NULL};
	static char out[256];
	_strbuf_ struct strbuf b = STRBUF_INIT;

	expand_variables(text, strlen(text), env, &b);
	snprintf(out, sizeof(out), "%s", strbuf_str(&b));
	return out;
}

static void test_expand(void)
{
	is_str(expanded("plain"), "plain", "nothing to do");
	is_str(expanded("$A ${A}x $AB"), "1 1x 2", "both forms");
	is_str(expanded("$B"), "$A", "once only");
	is_str(expanded("<$NONE${NONE}>"), "<>", "not set");
	is_str(expanded("$ $$A ${A:-x} ${} ${A $(id) $1"), "$ $1 ${A:-x} ${} ${A $(id) $1",
	       "all else stays");
}

/* "ehm" for environ, hooks, mounts: functions that a text has. */
static const char *functions(const char *text)
{
	static char out[8];
	struct conf_script s = CONF_SCRIPT_INIT;
	struct err e = ERR_INIT;

	is_int(conf_script_scan(text, strlen(text), &s, &e), 0, "scanned");
	snprintf(out, sizeof(out), "%s%s%s%s", s.has[CONF_ENVIRON] ? "e" : "",
		 s.has[CONF_MOUNTS] ? "m" : "", s.has[CONF_HOOKS] ? "h" : "",
		 s.has[CONF_RC] ? "r" : "");
	conf_script_free(&s);
	return out;
}

static void test_script(void)
{
	struct conf_script s = CONF_SCRIPT_INIT;
	struct err e = ERR_INIT;
	static const char text[] = "#! /usr/bin/enroot batch\n#ENROOT_REMAP_ROOT=y\n"
				   "#ENROOT_ROOTFS=a b.sqsh\r\n # ENROOT_NO=1\n#ENROOT_x=1\n"
				   "##ENROOT_NO=1\n#ENROOT_NO\n";

	is_str(functions(""), "", "nothing");
	is_str(functions("environ() { env; }\nmounts ( ) {\n"), "em", "the POSIX form");
	is_str(functions("function hooks {\n function rc() {\n"), "hr", "bash's");
	is_str(functions("environment() { :; }\nmyrc() { :; }\necho rc()\n# rc() {\n"), "",
	       "others");
	is_str(functions("source more.sh\n"), "emhr", "what another file has is not known");
	is_int(conf_script_scan(text, sizeof(text) - 1, &s, &e), 0, "settings");
	is_int((long)s.settings.n, 2, "two");
	is_str(s.settings.items[0], "ENROOT_REMAP_ROOT=y", "first");
	is_str(s.settings.items[1], "ENROOT_ROOTFS=a b.sqsh", "second");
	conf_script_free(&s);
	is_int(conf_script_scan("a\0b", 3, &s, &e), -EINVAL, "a NUL");
	conf_script_free(&s);
}

static const char *passwd(const struct stock_user *u, const char *image)
{
	static char out[512];
	_strbuf_ struct strbuf b = STRBUF_INIT;

	stock_passwd(u, image, image ? strlen(image) : 0, &b);
	snprintf(out, sizeof(out), "%s", strbuf_str(&b));
	return out;
}

#define ROOT "root:x:0:0:root:/root:/bin/sh\n"
#define NOBODY "nobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n"
#define JOE "joe:x:1000:100::/home/joe:/bin/sh\n"

static void test_passwd(void)
{
	const struct stock_user joe = {"joe", "/home/joe", 1000, 100},
				root = {"root", "/root", 0, 0};

	is_str(passwd(&joe, NULL), JOE ROOT NOBODY, "no file");
	is_str(passwd(&joe, "root:x:0:0::/:/bin/ash\ntoor:x:0:0::/:\n"),
	       JOE NOBODY "root:x:0:0::/:/bin/ash\ntoor:x:0:0::/:\n", "the image's own root");
	is_str(passwd(&joe, ROOT "joe:x:5:5::/:\nold:x:1000:5::/:\ntwo:x:7:7::/:"),
	       JOE NOBODY ROOT "two:x:7:7::/:\n", "the caller's name and id are the caller's");
	is_str(passwd(&joe, "junk\n:\nx:y\nz:x:nan:1\n"), JOE ROOT NOBODY, "lines that are none");
	is_str(passwd(&root, ROOT), NOBODY ROOT, "root is the image's");
}

static const char *job(char *const *host, const char *image_env, const char *name)
{
	static char out[128];
	_strv_ struct strv env = STRV_INIT;
	struct err e = ERR_INIT;
	const char *value;

	if (image_env)
		strv_add(&env, image_env);
	is_int(stock_slurm_environ(host, &env, &e), 0, "%s", name);
	value = strv_get_env(&env, name);
	snprintf(out, sizeof(out), "%s", value ? value : "(unset)");
	return out;
}

#define STEP W("SLURM_JOB_ID=4537"), W("SLURM_STEP_ID=0")

static void test_slurm(void)
{
	char *const none[] = {W("SLURM_JOB_ID=1"), W("PMI_RANK=1"), NULL};
	char *const step[] = {STEP,
			      W("PMI_RANK=1"),
			      W("PMIX_RANK=1"),
			      W("PMIX_SECURITY_MODE=native"),
			      W("SLURM_PROCID=5"),
			      W("SLURM_STEP_NODELIST=gpu[007-009],x"),
			      W("SLURM_STEP_NUM_TASKS=8"),
			      W("SLURM_STEP_NUM_NODES=2"),
			      NULL};
	char *const other[] = {STEP, W("SLURM_MPI_TYPE=pmi2"), W("PMIX_RANK=1"),
			       W("SLURM_STEP_NODELIST=a,b"), NULL};
	char *const odd[] = {STEP, W("SLURM_STEP_NODELIST=n["), NULL};

	is_str(job(none, NULL, "PMI_RANK"), "(unset)", "not in a step");
	is_str(job(step, NULL, "PMI_RANK"), "1", "PMI");
	is_str(job(step, NULL, "PMIX_MCA_psec"), "native", "PMIx");
	is_str(job(other, NULL, "PMIX_RANK"), "(unset)", "a step without PMIx");
	is_str(job(step, NULL, "RANK"), "(unset)", "an image without PyTorch");
	is_str(job(step, "PYTORCH_VERSION=2", "RANK"), "5", "with it");
	is_str(job(step, "PYTORCH_VERSION=2", "MASTER_ADDR"), "gpu007", "the first node");
	is_str(job(step, "PYTORCH_VERSION=2", "MASTER_PORT"), "61001", "a port of the job's");
	is_str(job(step, "PYTORCH_VERSION=2", "OMP_NUM_THREADS"), "1", "several tasks a node");
	is_str(job(other, "PYTORCH_VERSION=2", "MASTER_ADDR"), "a", "a list without brackets");
	is_str(job(odd, "PYTORCH_VERSION=2", "MASTER_ADDR"), "(unset)", "no list");
}

int main(void)
{
	test_expand();
	test_script();
	test_passwd();
	test_slurm();
	ok(stock_has_hook("10-home.sh") && !stock_has_hook("10-home2.sh"), "names of hooks");
	return done_testing();
}
