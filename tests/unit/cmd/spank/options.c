/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/spank/options.h"

#include "cmd/spank/hold_argv.h"
#include "cmd/spank/plugstack.h"
#include "runtime/base/err.h"
#include "tests/unit/tap.h"

struct flag_case {
	enum spank_opt which;
	const char *arg;
	const char *error; /* NULL: it is taken */
};

static const char *joined(const struct strv *v)
{
	static char text[4096];

	text[0] = 0;
	for (size_t i = 0; i < v->n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? "|" : "",
			 v->items[i]);
	return text;
}

static void refuses(void)
{
	static const struct flag_case cases[] = {
		{SPANK_IMAGE, NULL, "--container-image: argument required"},
		{SPANK_IMAGE, "", "--container-image: argument required"},
		{SPANK_IMAGE, "oci:dir\n", "--container-image: argument has control characters"},
		{SPANK_IMAGE, "http://x/y", "--container-image: unknown scheme: http://x/y"},
		{SPANK_MOUNTS, "", "--container-mounts: argument required"},
		{SPANK_MOUNTS, ":", "--container-mounts: invalid format: :"},
		{SPANK_MOUNTS, "/a:", "--container-mounts: invalid format: /a:"},
		{SPANK_MOUNTS, "/a:/b,", "--container-mounts: invalid format: "},
		{SPANK_MOUNTS, "proc:/proc",
		 "--container-mounts: mount source must be a relative path, an absolute path, "
		 "\"tmpfs\" or \"umount\": proc (a path has / or ./ before it)"},
		{SPANK_MOUNTS, "tmpfs:x",
		 "--container-mounts: mount target must be a relative path or an absolute path: x "
		 "(with / or ./ before it)"},
		{SPANK_MOUNTS, "/a:/b:ro nosuid", "--container-mounts: invalid flags: ro nosuid"},
		{SPANK_MOUNTS, "/a:/b:ro:rw", "--container-mounts: invalid flags: ro:rw"},
		{SPANK_WORKDIR, "work", "--container-workdir: not an absolute path: work"},
		{SPANK_NAME, ":create", "--container-name: empty name"},
		{SPANK_NAME, "a/b", "--container-name: a name is made of letters, digits and _.+-"},
		{SPANK_NAME, "a:b",
		 "--container-name: flag must be \"auto\", \"create\", \"exec\" or \"no_exec\""},
		{SPANK_SAVE, "dir/", "--container-save: target is a directory"},
		{SPANK_ENV, "A,,B", "--container-env: invalid format: "},
		{SPANK_ENV, "A=1", "--container-env: invalid format: A=1"},
		{SPANK_ENV, "1A", "--container-env: invalid format: 1A"},
		{SPANK_UNSHARE, "pid",
		 "--container-unshare: unknown namespace \"pid\", must be \"net\", \"ipc\" or "
		 "\"uts\""},
		{SPANK_UNSHARE, "net,",
		 "--container-unshare: unknown namespace \"\", must be "
		 "\"net\", \"ipc\" or \"uts\""},
		{(enum spank_opt)99, "x", "unknown option"},
		{(enum spank_opt) - 1, "x", "unknown option"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct spank_options o = SPANK_OPTIONS_INIT;
		struct err e = ERR_INIT;

		is_int(spank_options_set(&o, cases[i].which, cases[i].arg, &e), -EINVAL,
		       "refuses \"%s\"", cases[i].arg ? cases[i].arg : "(null)");
		is_str(e.msg, cases[i].error, "and says why");
		spank_options_free(&o);
	}
}

static void takes_images(void)
{
	static const char *const cases[][2] = {
		{"ubuntu", "docker://ubuntu"},
		{"nvcr.io#nvidia/pytorch:24.01-py3", "docker://nvcr.io#nvidia/pytorch:24.01-py3"},
		{"docker://a/b", "docker://a/b"},
		{"dockerd://a", "dockerd://a"},
		{"./x.sqsh", "./x.sqsh"},
		{"/i/x.sqsh", "/i/x.sqsh"},
		{"image.sqsh", "docker://image.sqsh"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct spank_options o = SPANK_OPTIONS_INIT;

		ok(!spank_options_set(&o, SPANK_IMAGE, cases[i][0], NULL), "takes %s", cases[i][0]);
		is_str(o.image, cases[i][1], "as %s", cases[i][1]);
		spank_options_free(&o);
	}
}

static void takes_mounts(void)
{
	struct spank_options o = SPANK_OPTIONS_INIT;

	ok(!spank_options_set(
		   &o, SPANK_MOUNTS,
		   "/a,/b:/c,/d:/e:ro+nosuid,tmpfs:/t:size=1g,umount:/u,/a b:/f,/b:/c,./r:/s:",
		   NULL),
	   "takes mounts");
	is_str(joined(&o.mounts),
	       "/a /a x-create=auto,rbind|/b /c x-create=auto,rbind|"
	       "/d /e x-create=auto,rbind,ro,nosuid|tmpfs /t x-create=dir,size=1g|"
	       "umount /u x-detach|/a\\040b /f x-create=auto,rbind|./r /s x-create=auto,rbind",
	       "each as a line of fstab, once");
	is_str(joined(&o.sources), "/a|/b|/d|/a b|./r", "and knows the host's paths");
	ok(!spank_options_set(&o, SPANK_MOUNTS, "/a", NULL), "the same again");
	is_int(o.mounts.n, 7, "adds nothing");
	spank_options_free(&o);
}

static void takes_names(void)
{
	static const char *const words[] = {"n", "n:create", "n:exec", "n:no_exec", "n:auto", "n:"};
	static const int how[] = {SPANK_NAME_AUTO,    SPANK_NAME_CREATE, SPANK_NAME_EXEC,
				  SPANK_NAME_NO_EXEC, SPANK_NAME_AUTO,   SPANK_NAME_AUTO};

	for (size_t i = 0; i < sizeof(how) / sizeof(how[0]); i++) {
		struct spank_options o = SPANK_OPTIONS_INIT;

		ok(!spank_options_set(&o, SPANK_NAME, words[i], NULL), "takes %s", words[i]);
		is_str(o.name, "n", "the name");
		is_int(o.name_how, how[i], "the flag");
		spank_options_free(&o);
	}
}

static void refuses_contradictions(void)
{
	static const struct {
		enum spank_opt a, b;
		const char *error;
	} pairs[] = {
		{SPANK_MOUNT_HOME, SPANK_NO_MOUNT_HOME,
		 "both --container-mount-home and --no-container-mount-home were specified"},
		{SPANK_NO_REMAP_ROOT, SPANK_REMAP_ROOT,
		 "both --container-remap-root and --no-container-remap-root were specified"},
		{SPANK_ENTRYPOINT, SPANK_NO_ENTRYPOINT,
		 "both --container-entrypoint and --no-container-entrypoint were specified"},
		{SPANK_READONLY, SPANK_WRITABLE,
		 "both --container-writable and --container-readonly were specified"},
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct spank_options o = SPANK_OPTIONS_INIT;
		struct err e = ERR_INIT;

		ok(!spank_options_set(&o, pairs[i].a, NULL, &e), "takes one");
		ok(!spank_options_set(&o, pairs[i].a, NULL, &e), "takes it again");
		ok(spank_options_set(&o, pairs[i].b, NULL, &e) < 0, "refuses the other");
		is_str(e.msg, pairs[i].error, "and says why");
		spank_options_free(&o);
	}
}

static void tells_the_same_from_another(void)
{
	static const struct flag_case cases[] = {
		{SPANK_IMAGE, "a", "--container-image: specified multiple times"},
		{SPANK_NAME, "a", "--container-name: specified multiple times"},
		{SPANK_WORKDIR, "/a", "--container-workdir: specified multiple times"},
		{SPANK_SAVE, "a", "--container-save: specified multiple times"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct spank_options o = SPANK_OPTIONS_INIT;
		struct err e = ERR_INIT;

		ok(!spank_options_set(&o, cases[i].which, cases[i].arg, &e), "once");
		ok(!spank_options_set(&o, cases[i].which, cases[i].arg, &e), "twice the same");
		ok(spank_options_set(&o, cases[i].which, "/other", &e) < 0, "another");
		is_str(e.msg,
		       cases[i].which == SPANK_NAME
			       ? "--container-name: a name is made of letters, "
				 "digits and _.+-"
			       : cases[i].error,
		       "and says so");
		spank_options_free(&o);
	}
}

static const char *from_table(void *ctx, const char *name)
{
	for (const char *const *p = ctx; *p; p += 2) {
		if (!strcmp(p[0], name))
			return p[1];
	}
	return NULL;
}

static void reads_the_environment(void)
{
	const char *const table[] = {"PYXIS_CONTAINER_IMAGE",
				     "ubuntu",
				     "PYXIS_CONTAINER_MOUNT_HOME",
				     "No",
				     "PYXIS_CONTAINER_READONLY",
				     "0",
				     "PYXIS_CONTAINER_REMAP_ROOT",
				     "yes",
				     "PYXIS_CONTAINER_ENV",
				     "A,B",
				     "PYXIS_CONTAINER_WORKDIR",
				     "",
				     NULL};
	const char *const bad[] = {"PYXIS_CONTAINER_IMAGE", "u", "PYXIS_CONTAINER_WRITABLE", "2",
				   NULL};
	const char *const site[] = {"PYXIS_CONTAINER_MOUNT_HOME", "1", "PYXIS_CONTAINER_WORKDIR",
				    "nonsense", NULL};
	struct spank_options o = SPANK_OPTIONS_INIT;
	struct err e = ERR_INIT;

	ok(!spank_options_set(&o, SPANK_NO_REMAP_ROOT, NULL, &e), "a flag of the command line");
	ok(!spank_options_finish(&o, from_table, (void *)table, &e), "and variables: %s", e.msg);
	is_str(o.image, "docker://ubuntu", "image");
	is_int(o.mount_home, SPANK_NO, "no");
	is_int(o.writable, SPANK_YES, "read-only: no");
	is_int(o.remap_root, SPANK_NO, "the command line wins");
	is_str(joined(&o.env), "A|B", "list");
	is_str(o.workdir ? o.workdir : "none", "none", "an empty variable is none");
	spank_options_free(&o);

	ok(spank_options_finish(&o, from_table, (void *)bad, &e) < 0, "refuses a bad value");
	is_str(e.msg, "PYXIS_CONTAINER_WRITABLE: neither yes nor no: 2", "and says why");
	spank_options_free(&o);

	ok(!spank_options_finish(&o, from_table, (void *)site, &e),
	   "what a site sets for everybody asks for nothing without an image");
	ok(!spank_options_active(&o) && !o.mount_home, "and is not looked at");
	spank_options_free(&o);
}

static void checks_the_whole(void)
{
	struct spank_options o = SPANK_OPTIONS_INIT;
	struct err e = ERR_INIT;

	spank_options_set(&o, SPANK_WORKDIR, "/w", &e);
	ok(spank_options_finish(&o, NULL, NULL, &e) < 0, "a flag without a container");
	is_str(e.msg, "--container-workdir: neither --container-image nor --container-name is set",
	       "is said");
	spank_options_free(&o);
	spank_options_set(&o, SPANK_NAME, "n:exec", &e);
	spank_options_set(&o, SPANK_IMAGE, "i", &e);
	ok(spank_options_finish(&o, NULL, NULL, &e) < 0, "an image to a name that must run");
	is_str(e.msg, "--container-image: of no use with --container-name=n:exec", "is said");
	spank_options_free(&o);
	ok(!spank_options_finish(&o, NULL, NULL, &e), "nothing at all is fine");
	ok(!spank_options_active(&o), "and asks for nothing");
}

static void reads_plugstack(void)
{
	char *good[] = {(char *)"container_scope=job", (char *)"execute_entrypoint=1",
			(char *)"runtime_path=/run/x", (char *)"use_squashfuse=1",
			(char *)"sbatch_support=0",    (char *)"importer=/i"};
	static const char *const bad[][2] = {
		{"x=1", "plugstack.conf: x=1: unknown configuration option"},
		{"", "plugstack.conf: : unknown configuration option"},
		{"runtime_path", "plugstack.conf: runtime_path: unknown configuration option"},
		{"runtime_path=run", "plugstack.conf: runtime_path=run: must be an absolute path "
				     "without . and .., is \"run\""},
		{"runtime_path=/run/../etc", "plugstack.conf: runtime_path=/run/../etc: must be an "
					     "absolute path without . and .., is \"/run/../etc\""},
		{"container_scope=x",
		 "plugstack.conf: container_scope=x: must be \"global\" or \"job\", is \"x\""},
		{"execute_entrypoint=yes",
		 "plugstack.conf: execute_entrypoint=yes: must be 0 or 1, is \"yes\""},
		{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=1",
		 "plugstack.conf: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=1: unknown "
		 "configuration option"},
	};
	struct spank_plugstack p;
	struct err e = ERR_INIT;

	ok(!spank_plugstack_parse(&p, 6, good, &e), "takes pyxis's keys: %s", e.msg);
	ok(p.job_scope && p.execute_entrypoint && !p.sbatch_support, "flags");
	is_str(p.runtime_path, "/run/x", "runtime_path");
	is_str(p.importer, "/i", "importer");
	is_str(joined(&p.ignored), "use_squashfuse", "knows what means nothing");
	spank_plugstack_free(&p);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char *argv[] = {(char *)bad[i][0]};

		ok(spank_plugstack_parse(&p, 1, argv, &e) < 0, "refuses %s", bad[i][0]);
		is_str(e.msg, bad[i][1], "and says why");
		spank_plugstack_free(&p);
	}
}

static void writes_the_command_line(void)
{
	struct spank_plugstack site = {.job_scope = true};
	struct spank_options o = SPANK_OPTIONS_INIT;
	const struct spank_step step = {"/run/1/7.0.0", 7, 0, 0, 4};
	_strv_ struct strv argv = STRV_INIT;

	spank_options_set(&o, SPANK_IMAGE, "./i.sqsh", NULL);
	spank_options_set(&o, SPANK_NAME, "n:create", NULL);
	spank_options_set(&o, SPANK_MOUNTS, "/a:/b:ro", NULL);
	spank_options_set(&o, SPANK_UNSHARE, "uts,net", NULL);
	spank_options_set(&o, SPANK_WRITABLE, NULL, NULL);
	ok(!spank_hold_argv(&site, &o, &step, &argv, NULL), "writes");
	is_str(joined(&argv),
	       "csbx|__hold|--job=7|--tasks=4|--image=./i.sqsh|--name=pyxis_7_n|--how=create|"
	       "--scope=job|--mount=/a /b x-create=auto,rbind,ro|--source=/a|--writable=yes|"
	       "--entrypoint=no|--net=yes|--uts=yes|/run/1/7.0.0",
	       "every flag");
	spank_options_free(&o);
}

static void filters_the_environment(void)
{
	static const char *const job[] = {
		"HOME=/h",        "LD_PRELOAD=/x",       "PATH=/evil", "SLURM_JOB_ID=1",
		"SLURM_PROCID=3", "ENROOT_DATA_PATH=/d", "nonsense",   "=x",
		"A=b=c",          "BASH_ENV=/x",         NULL};
	_strv_ struct strv env = STRV_INIT;

	ok(!spank_hold_env((char *const *)job, &env, NULL), "filters");
	is_str(joined(&env),
	       "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin|HOME=/h|"
	       "SLURM_JOB_ID=1|A=b=c",
	       "what is left");
}

static void names_steps(void)
{
	static const struct {
		uint32_t step;
		const char *name;
	} cases[] = {{3, "7.3.1"}, {0xfffffffbu, "7.batch.1"}, {0xfffffffau, "7.interactive.1"}};

	for (size_t i = 0; i < 3; i++) {
		const struct spank_step s = {NULL, 7, cases[i].step, 1, 1};
		char name[64];

		spank_step_name(&s, name);
		is_str(name, cases[i].name, "name of a step");
	}
}

int main(void)
{
	refuses();
	takes_images();
	takes_mounts();
	takes_names();
	refuses_contradictions();
	tells_the_same_from_another();
	reads_the_environment();
	checks_the_whole();
	reads_plugstack();
	writes_the_command_line();
	filters_the_environment();
	names_steps();
	return done_testing();
}
