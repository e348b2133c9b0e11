/* SPDX-License-Identifier: Apache-2.0 */
/* The config's parser, and the scripts made of it: those are run by a real shell. */
#include "image/import/enroot_meta.h"

#include <fcntl.h>
#include <sys/wait.h>

#include "image/oci/config.h"
#include "image/model/source.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "tests/unit/tap.h"

#define HEX "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static int build(const char *config, struct enroot_meta *m, struct err *e)
{
	struct image_source s = {0};
	int r;

	strbuf_addstr(&s.config, config);
	r = enroot_meta_build(&s, m, e);
	strbuf_free(&s.config);
	return r;
}

/* The output of `sh SCRIPT ARGS...`, status behind it; the script comes through a pipe as fd 9. */
static void run_script(const struct strbuf *script, const char *const *args, struct strbuf *out)
{
	int in[2], answer[2], status;
	const char *argv[16] = {"sh", "/dev/fd/9"};
	pid_t pid;

	for (int i = 0; args[i]; i++)
		argv[2 + i] = args[i];
	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(answer, O_CLOEXEC) < 0)
		abort();
	pid = fork();
	if (!pid) {
		dup2(in[0], 9);
		dup2(answer[1], 1);
		dup2(answer[1], 2);
		execv("/bin/sh", (char **)argv);
		_exit(99);
	}
	close(in[0]);
	close(answer[1]);
	io_write_all(in[1], script->data, script->len, NULL);
	close(in[1]);
	io_read_all(answer[0], 1 << 16, out, NULL);
	close(answer[0]);
	waitpid(pid, &status, 0);
	strbuf_addf(out, "(%d)", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static void prints(const char *config, const char *const *args, const char *want, const char *what)
{
	struct enroot_meta m = {0};
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct err e = ERR_INIT;

	if (ok(!build(config, &m, &e), "%s: builds", what)) {
		run_script(&m.rc, args, &out);
		is_str(strbuf_str(&out), want, "%s: runs", what);
	}
	enroot_meta_free(&m);
}

static void test_rc(void)
{
	static const char *const none[] = {NULL}, *const two[] = {"x y", "$z", NULL};
	static const char *const script[] = {"-c", "echo one", NULL}, *const words[] = {
									      "echo", "one", "two",
									      NULL};

	prints("{\"config\":{\"Cmd\":[\"echo\",\"a b\"],\"WorkingDir\":\"/tmp\"}}", none,
	       "a b\n(0)", "Cmd");
	prints("{\"config\":{\"Entrypoint\":[\"printf\",\"[%s]\"],\"Cmd\":[\"c\"]}}", none,
	       "[c](0)", "Entrypoint and Cmd");
	prints("{\"config\":{\"Entrypoint\":[\"printf\",\"[%s]\"],\"Cmd\":[\"c\"]}}", two,
	       "[x y][$z](0)", "arguments replace Cmd");
	prints("{}", words, "one two\n(0)", "no config: its arguments are the command");
	prints("{\"config\":{\"Entrypoint\":[\"/bin/sh\"]}}", script, "one\n(0)",
	       "a shell as Entrypoint");
	prints("{\"config\":{\"Cmd\":[\"printf\",\"%s|\",\"'\",\"'; echo BAD #\",\"$(echo "
	       "BAD)\",\"`id`\",\"\\\\\","
	       "\"a\\nb\",\"\",\"\\\"\",\"*\",\"~\"]}}",
	       none, "'|'; echo BAD #|$(echo BAD)|`id`|\\|a\nb||\"|*|~|(0)", "hostile words");
	prints("{\"config\":{\"Labels\":{\"a\\necho BAD\":\"v\\recho BAD\\necho "
	       "BAD\",\"k\":\"x\\\\\"},"
	       "\"Cmd\":[\"echo\",\"good\"]}}",
	       none, "good\n(0)", "labels stay comments");
	prints("{\"config\":{\"WorkingDir\":\"tmp\",\"Cmd\":[\"pwd\"]}}", none, "/tmp\n(0)",
	       "a relative one is below the root");
}

/* rc makes the directory where it is missing, whatever its name. */
static void test_workdir(void)
{
	static const char *const none[] = {NULL};
	static const char hostile[] = "$(echo BAD >&2)'; echo BAD; '";
	char top[TAP_PATH_SIZE] = "enroot-meta";
	_strbuf_ struct strbuf config = STRBUF_INIT, want = STRBUF_INIT, dir = STRBUF_INIT;

	if (!tap_mkdtemp(top))
		abort();
	strbuf_addf(&dir, "%s/%s", top, hostile);
	strbuf_addf(&config, "{\"config\":{\"WorkingDir\":\"%s\",\"Cmd\":[\"pwd\"]}}", dir.data);
	strbuf_addf(&want, "%s\n(0)", dir.data);
	prints(config.data, none, want.data, "hostile working directory");
	rmdir(dir.data);
	is_int(rmdir(top), 0, "nothing else was made");
}

static void test_files(void)
{
	static const char config[] = "{\"config\":{\"Env\":[\"A=1\",\"B=two "
				     "words\",\"=x\",\"NO\",\"9=x\",\"N=a\\nLD_PRELOAD=/x\","
				     "\"a-b=1\",\"E=\"],"
				     "\"Volumes\":{\"/data\":{},\"/a/b\":{},\"/\":{},\"/../"
				     "etc\":{},\"rel\":{},\"/x y\":{},"
				     "\"/${HOME}\":{},\"/n\\n/etc /etc none bind\":{},\"/#\":{}}}}";
	struct enroot_meta m = {0};
	struct err e = ERR_INIT;

	ok(!build(config, &m, &e), "builds");
	is_str(strbuf_str(&m.environment), "A=1\nB=two words\nE=\n",
	       "environment: what a line can hold");
	is_str(strbuf_str(&m.fstab),
	       "${ENROOT_ROOTFS}/data /data none x-create=dir,bind,rw,nosuid,nodev\n"
	       "${ENROOT_ROOTFS}/a/b /a/b none x-create=dir,bind,rw,nosuid,nodev\n",
	       "fstab: clean paths only");
	is_int(m.rc_local.len, 0, "rc.local is empty");
	enroot_meta_free(&m);
	ok(!build("", &m, &e) && strstr(strbuf_str(&m.rc), "exec '/bin/sh'\n"),
	   "no config: a shell");
	enroot_meta_free(&m);
	is_int(build("{\"config\":[]}", &m, &e), -EBADMSG, "a config of the wrong type: %s", e.msg);
}

static void test_config(void)
{
	static const char text[] =
		"{\"architecture\":\"amd64\",\"os\":\"linux\",\"created\":\"2024-01-01T00:00:00Z\","
		"\"config\":{\"User\":\"1000:100\",\"Env\":[\"A=b\"],\"Entrypoint\":null,\"Cmd\":["
		"\"x\"],"
		"\"Labels\":{\"k\":\"v\",\"K\":null},\"ExposedPorts\":{\"80/"
		"tcp\":{}},\"StopSignal\":\"SIGINT\"},"
		"\"rootfs\":{\"type\":\"layers\",\"diff_ids\":[\"sha256:" HEX
		"\"]},\"history\":[]}";
	static const char *const bad[] = {
		"[]",
		"{\"architecture\":1}",
		"{\"rootfs\":{\"type\":\"disk\"}}",
		"{\"Config\":{}}",
		"{\"rootfs\":{\"diff_ids\":[\"sha256:x\"]}}",
		"{\"rootfs\":{\"diff_ids\":[1]}}",
		"{\"rootfs\":{\"diff_ids\":{}}}",
		"{\"config\":{\"Cmd\":\"x\"}}",
		"{\"config\":{\"Env\":[1]}}",
		"{\"config\":{\"cmd\":[]}}",
		"{\"config\":{\"Labels\":{\"a\":1}}}",
		"{\"config\":{\"Volumes\":[]}}",
	};
	_image_config_ struct image_config c = {0};
	struct err e = ERR_INIT;

	if (!ok(!image_config_parse(text, strlen(text), &c, &e), "a config: %s", e.msg))
		return;
	is_str(c.arch, "amd64", "architecture");
	is_str(c.user, "1000:100", "user");
	is_str(c.stop_signal, "SIGINT", "stop signal");
	ok(!c.workdir && !c.variant && !c.entrypoint.n, "absent and null members");
	ok(c.label_names.n == 2 && str_eq(c.label_values.items[1], ""), "labels");
	is_str(c.ports.items[0], "80/tcp", "port");
	ok(c.n_diff_ids == 1 && str_eq(c.diff_ids[0].hex, HEX), "diff_id");
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct image_config unused;

		ok(image_config_parse(bad[i], strlen(bad[i]), &unused, &e) < 0, "refuses %s: %s",
		   bad[i], e.msg);
	}
}

int main(void)
{
	test_rc();
	test_workdir();
	test_files();
	test_config();
	return done_testing();
}
