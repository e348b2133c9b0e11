/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/verb/spec_json.h"

#include <sys/resource.h>

#include "runtime/base/err.h"
#include "runtime/base/json/out.h"
#include "runtime/spec/spec.h"
#include "runtime/spec/out.h"
#include "tests/unit/tap.h"

static char *written(const struct container_spec *s)
{
	struct json_out j = JSON_OUT_INIT;

	spec_write_json(s, &j);
	if (json_finish(&j, NULL) < 0)
		return NULL;
	return strbuf_take(&j.buf);
}

/* Reads the text and writes it again: the result, or "error: why". */
static char *reread(const char *text)
{
	struct container_spec s;
	struct err e = ERR_INIT;
	char *out;

	spec_init(&s);
	if (spec_read_json(text, strlen(text), &s, &e) < 0)
		out = str_printf("error: %s", e.msg);
	else
		out = written(&s);
	spec_free(&s);
	return out;
}

static void fill(struct container_spec *s)
{
	struct mount_spec *m;
	struct rlimit_spec *r;

	s->name = str_printf("py");
	s->rootfs = (struct rootfs_spec){.kind = ROOTFS_DIRECTORY,
					 .path = str_printf("/img"),
					 .upper = UPPER_KEPT,
					 .force_layer = true,
					 .reads_layer = true,
					 .upper_bytes = 4096};
	strv_add(&s->proc.argv, "sh");
	strv_add(&s->proc.argv, "-c \"x\"\n");
	strv_add(&s->proc.env, "A=b=c");
	s->proc.cwd = str_printf("/w");
	s->proc.uid = 1000;
	s->proc.gid = 100;
	s->proc.groups = calloc(2, sizeof(uint32_t));
	s->proc.groups[0] = 5;
	s->proc.groups[1] = 6;
	s->proc.n_groups = 2;
	s->proc.user_name = str_printf("joe");
	s->proc.home = str_printf("/home/joe");
	s->proc.tty = TTY_YES;
	s->ns = (struct ns_spec){.net = NET_HOST,
				 .ipc = IPC_HOST,
				 .userns = USERNS_SUBUID,
				 .pid = PID_HOST,
				 .uts = UTS_HOST,
				 .cgroup = CGROUPNS_HOST,
				 .host_sys = true,
				 .host_dev = true,
				 .hostname = str_printf("h")};
	m = spec_add_mount(s);
	*m = (struct mount_spec){.source = str_printf("/s"),
				 .target = str_printf("/t"),
				 .readonly = true,
				 .non_recursive = true,
				 .exec_off = true,
				 .optional = true};
	m = spec_add_mount(s);
	*m = (struct mount_spec){.kind = MOUNT_TMPFS,
				 .target = str_printf("/m"),
				 .tmpfs_bytes = 1 << 20,
				 .tmpfs_mode = 0700};
	s->limits.pids = UINT64_MAX;
	s->limits.shm_bytes = 1 << 20;
	r = spec_add_rlimit(s);
	*r = (struct rlimit_spec){RLIMIT_NOFILE, {64, RLIM_INFINITY}, false};
	s->sec.caps = 5;
	s->sec.caps_are_set = s->sec.new_privs = s->sec.seccomp_off = s->sec.masks_off = true;
	s->sec.root_shared = true;
	spec_add_file(s, "etc/x", str_printf("text\n"), 5, NULL);
	strv_add(&s->labels, "a=b");
	s->allow_root = true;
}

static void test_round_trip(void)
{
	struct container_spec s;
	char *first, *second;

	spec_init(&s);
	fill(&s);
	first = written(&s);
	second = first ? reread(first) : NULL;
	ok(first && strstr(first, "\"rlimits\":{\"nofile\":[64,\"unlimited\"]}"),
	   "limits are written: %s", first);
	is_str(second, first, "every member is read back");
	free(first);
	free(second);
	spec_free(&s);
}

#define SPEC(members) "{\"version\":1," members "}"

static void test_refused(void)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"[]", "a spec is a JSON object"},
		{"{}", "version: missing"},
		{"{\"version\":2}", "version: must be 1"},
		{"{\"version\":\"1\"}", "version: must be 1"},
		{SPEC("\"frob\":1"), "frob: unknown member"},
		{SPEC("\"Name\":\"x\""), "Name: unknown member"},
		{SPEC("\"name\":1"), "name: must be a string"},
		{SPEC("\"rootfs\":[]"), "rootfs: must be an object"},
		{SPEC("\"rootfs\":{\"upper\":\"Kept\"}"),
		 "rootfs: upper: must be one of throwaway|kept|readonly"},
		{SPEC("\"process\":{\"argv\":\"sh\"}"),
		 "process: argv: must be an array of strings"},
		{SPEC("\"process\":{\"argv\":[1]}"), "process: argv: must be an array of strings"},
		{SPEC("\"process\":{\"uid\":-1}"),
		 "process: uid: must be a whole number of at most 2147483646"},
		{SPEC("\"process\":{\"uid\":4294967296}"),
		 "process: uid: must be a whole number of at most 2147483646"},
		{SPEC("\"process\":{\"uid\":1.5}"),
		 "process: uid: must be a whole number of at most 2147483646"},
		{SPEC("\"process\":{\"tty\":\"yes\"}"), "process: tty: must be true or false"},
		{SPEC("\"namespaces\":{\"network\":\"bridge\"}"),
		 "namespaces: network: must be one of none|host"},
		{SPEC("\"mounts\":{}"), "mounts: must be an array"},
		{SPEC("\"mounts\":[{\"mode\":4096}]"),
		 "mounts: mode: must be a whole number of at most 4095"},
		{SPEC("\"limits\":{\"pids\":\"many\"}"),
		 "limits: pids: must be a number or \"unlimited\""},
		{SPEC("\"limits\":{\"rlimits\":{\"nofiles\":[1,2]}}"),
		 "limits: rlimits: nofiles: unknown limit"},
		{SPEC("\"limits\":{\"rlimits\":{\"nofile\":[1]}}"),
		 "limits: rlimits: nofile: must be [soft, hard]"},
		{SPEC("\"security\":{\"capabilities\":[\"CAP_X\"]}"),
		 "security: capabilities: must be an array of capabilities, as in \"CAP_CHOWN\""},
		{SPEC("\"files\":[{\"path\":\"/etc/x\",\"text\":\"\"}]"),
		 "files: path: must be relative to /, without '..'"},
		{SPEC("\"files\":[{\"path\":\"a/../x\",\"text\":\"\"}]"),
		 "files: path: must be relative to /, without '..'"},
		{SPEC("\"files\":[{\"path\":\"x\"}]"), "files: path and text must be there"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *got = reread(cases[i].text), *want = str_printf("error: %s", cases[i].why);

		is_str(got, want, "%s", cases[i].text);
		free(got);
		free(want);
	}
}

/* The strictness of runtime/base/json/json.h holds here too. */
static void test_strict(void)
{
	static const char *const bad[] = {
		"",
		"{\"version\":1",
		"{\"version\":1} x",
		"{\"version\":1,\"version\":1}",
		"\xef\xbb\xbf{\"version\":1}",
		"{\"version\":1,\"name\":\"a\\u0000b\"}",
		"{\"version\":1,\"name\":\"\xff\"}",
		"{\"version\":1.0}",
		"{\"version\":1e0}",
		"// x\n{\"version\":1}",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char *got = reread(bad[i]);

		ok(got && str_has_prefix(got, "error: "), "refused: %s", bad[i]);
		free(got);
	}
}

int main(void)
{
	test_round_trip();
	test_refused();
	test_strict();
	return done_testing();
}
