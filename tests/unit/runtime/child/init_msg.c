/* SPDX-License-Identifier: Apache-2.0 */
/* The message for csbx-init: what is built passes init's own check; what is broken does not. */
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/helpers/init/abi/msg_check.h"
#include "runtime/child/init_msg.h"
#include "runtime/spec/spec.h"
#include "runtime/userns/userns.h"
#include "tests/unit/tap.h"

#define CAP_BIT(cap) (UINT64_C(1) << (cap))

static const struct id_map one_id = {1, 1, {{0, 1000, 1}}, {{0, 1000, 1}}};
static const struct id_map ranges = {
	2, 2, {{0, 1000, 1}, {1, 100000, 65535}}, {{0, 1000, 1}, {1, 100000, 65535}}};

static void make_spec(struct container_spec *s)
{
	spec_init(s);
	s->rootfs.path = strdup("/image.sqsh");
	s->proc.cwd = strdup("/work");
	strv_add(&s->proc.argv, "python3");
	strv_add(&s->proc.argv, "");
	strv_add(&s->proc.argv, "x y");
	strv_add(&s->proc.env, "PATH=/bin");
	strv_add(&s->proc.env, "A=1");
}

static const struct init_msg *build(struct container_spec *s, const struct id_map *map, bool exec,
				    struct strbuf *out)
{
	const struct init_msg_params params = {.exec = exec, .umask = 027, .oom_score_adj = 500};
	struct err e = ERR_INIT;

	strbuf_reset(out);
	if (spec_freeze(s, &e) < 0 || init_msg_build(s, map, &params, out, &e) < 0) {
		printf("# %s\n", e.msg);
		return NULL;
	}
	return (const struct init_msg *)(const void *)out->data;
}

static void test_start(void)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct container_spec s;
	const struct init_msg *m;

	make_spec(&s);
	m = build(&s, &one_id, false, &out);
	if (!ok(m != NULL, "a start is built"))
		return;
	is_int(init_msg_check(out.data, out.len), 0, "and passes init's check");
	is_int(m->total_len, out.len, "its length");
	is_mem(init_msg_at(m, m->argv), m->argv.len, "python3\0\0x y", 13,
	       "arguments, an empty one too");
	is_int(m->argc, 3, "number of arguments");
	is_mem(init_msg_at(m, m->env), m->env.len, "PATH=/bin\0A=1", 14, "environment");
	is_str(init_msg_at(m, m->cwd), "/work", "working directory");
	is_mem(init_msg_at(m, m->uid_map), m->uid_map.len, "0 0 1\n", 6, "identity map of B");
	is_int(m->caps, SPEC_CAPS_DEFAULT, "default capabilities");
	is_int(m->umask, 027, "umask");
	is_int(m->oom_score_adj, 500, "OOM score");
	is_int(m->flags,
	       INIT_NEW_CGROUP_NS | INIT_NO_USERNS | INIT_CREATE_CWD | INIT_ONE_ID |
		       INIT_NO_NEW_PRIVS | INIT_SECCOMP | INIT_KEYRING_TRY | INIT_KEEP_GROUPS,
	       "every protection on, no namespace of B's own");
	ok(m->bpf.len > 100 * 8, "a filter");
	is_int(m->groups.len, 0, "one id: no groups to set");
	is_int(m->rlimits.len / sizeof(struct init_rlimit), 3, "three limits by default");
	spec_free(&s);
}

static void test_ranges(void)
{
	static const uint32_t groups[] = {5, 100};
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct container_spec s;
	const struct init_msg *m;

	make_spec(&s);
	s.proc.groups = memcpy(malloc(sizeof(groups)), groups, sizeof(groups));
	s.proc.n_groups = 2;
	m = build(&s, &ranges, false, &out);
	if (!ok(m != NULL, "a start with ranges"))
		return;
	is_int(init_msg_check(out.data, out.len), 0, "ranges: passes init's check");
	is_mem(init_msg_at(m, m->gid_map), m->gid_map.len, "0 0 1\n1 1 65535\n", 16,
	       "ranges: the same extents as A's, one line each");
	is_mem(init_msg_at(m, m->groups), m->groups.len, groups, sizeof(groups), "ranges: groups");
	ok(!(m->flags & (INIT_ONE_ID | INIT_KEEP_GROUPS)), "ranges: init writes the maps");
	spec_free(&s);
}

static const char *tail_of(const struct init_msg *start, uint32_t flags, unsigned rows,
			   struct strbuf *out, struct init_tail *ret)
{
	struct container_spec s;
	bool is_sound;

	make_spec(&s);
	s.proc.tty_rows = rows;
	s.proc.tty_columns = 77;
	strbuf_reset(out);
	is_sound = init_msg_build_exec(start, &s.proc, flags, out, NULL) >= 0 &&
		   init_msg_check(out->data, out->len) >= 0;
	spec_free(&s);
	if (!is_sound)
		return "it is not sound";
	return init_msg_tty_size((const void *)out->data, ret) ? "it has a size" : "none";
}

static void test_size(void)
{
	_strbuf_ struct strbuf start = STRBUF_INIT, out = STRBUF_INIT;
	const uint32_t tty = INIT_TTY | INIT_NEW_TTY;
	struct init_tail tail = {0};
	struct container_spec s;
	const struct init_msg *m;

	make_spec(&s);
	m = build(&s, &one_id, false, &start);
	is_str(tail_of(m, tty, 33, &out, &tail), "it has a size", "the size of an exec's terminal");
	ok(tail.tty_rows == 33 && tail.tty_columns == 77, "as it was told");
	is_str(tail_of(m, tty, 0, &out, &tail), "none", "a size that was not told");
	is_str(tail_of(m, 0, 33, &out, &tail), "none", "an exec without a terminal");
	ok(!out.data[out.len - 1], "without a size the last byte is the end of a string");
	is_str(tail_of(m, INIT_WARM, 0, &out, &tail), "it is not sound",
	       "a copy that has no descriptor to start the same program from");
	spec_free(&s);
}

static void test_options(void)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct container_spec s;
	const struct init_msg *m;

	make_spec(&s);
	s.sec.caps_add = CAP_BIT(CAP_NET_ADMIN) | CAP_BIT(CAP_SYS_ADMIN);
	s.sec.new_privs = true;
	s.proc.tty = TTY_YES;
	m = build(&s, &one_id, false, &out);
	ok(m && !init_msg_check(out.data, out.len), "capabilities over namespaces: sound");
	ok(m && (m->flags & INIT_NEW_NET) && (m->flags & INIT_NEW_UTS) && (m->flags & INIT_NEW_IPC),
	   "the namespaces they are for belong to B");
	ok(m && !(m->flags & INIT_NO_NEW_PRIVS) && (m->flags & INIT_TTY),
	   "new privileges, terminal");
	ok(m && m->hostname.len, "the hostname goes along with a uts namespace");
	spec_free(&s);

	make_spec(&s);
	s.sec.caps_add = CAP_BIT(CAP_NET_ADMIN);
	s.ns.net = NET_HOST;
	s.sec.seccomp_off = true;
	m = build(&s, &one_id, false, &out);
	ok(m && !(m->flags & INIT_NEW_NET), "the host's network stays the host's");
	ok(m && !(m->flags & (INIT_SECCOMP | INIT_KEYRING_TRY)) && !m->bpf.len,
	   "no filter: the keyring is a must");
	spec_free(&s);

	make_spec(&s);
	m = build(&s, &one_id, true, &out);
	ok(m && !init_msg_check(out.data, out.len), "an exec is sound");
	ok(m && (m->flags & INIT_EXEC) && !m->uid_map.len, "and brings no maps");
	spec_free(&s);
}

static void test_limits(void)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct rlimit keep, low = {64, 64};
	struct err e = ERR_INIT;
	struct container_spec s;
	struct rlimit_spec *asked;
	const struct init_rlimit *l;
	const struct init_msg *m;

	getrlimit(RLIMIT_NOFILE, &keep);
	low.rlim_max = 4096;
	if (geteuid() && keep.rlim_max < 4096) {
		tap_skip("the hard limit is low already");
		return;
	}
	setrlimit(RLIMIT_NOFILE, &low);
	make_spec(&s);
	m = build(&s, &one_id, false, &out);
	l = m ? init_msg_at(m, m->rlimits) : NULL;
	for (size_t i = 0; l && i < m->rlimits.len / sizeof(*l); i++) {
		if (l[i].resource == RLIMIT_NOFILE)
			is_int(l[i].hard, 3072,
			       "a default is three quarters of the caller's hard limit");
	}
	spec_free(&s);
	make_spec(&s);
	asked = spec_add_rlimit(&s);
	*asked = (struct rlimit_spec){RLIMIT_NOFILE, {5000, 5000}, false};
	is_int(spec_freeze(&s, &e), 0, "a limit is asked for");
	is_int(init_msg_build(&s, &one_id, &(struct init_msg_params){0}, &out, &e), -EPERM,
	       "above the caller's own: refused");
	is_str(e.msg, "--ulimit nofile: the caller's own hard limit is 4096", "naming the option");
	spec_free(&s);
}

/* Reports every position at which changing one word of a sound message is not noticed. */
static void test_check(void)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct container_spec s;
	struct init_msg *m;
	struct {
		const char *what;
		size_t at;
		uint32_t value;
	} cases[] = {
		{"magic", offsetof(struct init_msg, magic), 1},
		{"total length", offsetof(struct init_msg, total_len), 64},
		{"unknown flag", offsetof(struct init_msg, flags), 1u << 30},
		{"exec with maps", offsetof(struct init_msg, flags), INIT_EXEC},
		{"no such user", offsetof(struct init_msg, uid), UINT32_MAX},
		{"no such group", offsetof(struct init_msg, gid), UINT32_MAX},
		{"arguments in the header", offsetof(struct init_msg, argv.off), 8},
		{"arguments past the end", offsetof(struct init_msg, argv.off), 0x7fffffff},
		{"arguments that wrap", offsetof(struct init_msg, argv.len), UINT32_MAX},
		{"no arguments", offsetof(struct init_msg, argc), 0},
		{"more arguments than strings", offsetof(struct init_msg, argc), 4},
		{"fewer arguments than strings", offsetof(struct init_msg, argc), 2},
		{"more environment than strings", offsetof(struct init_msg, envc), 3},
		{"cwd without its NUL", offsetof(struct init_msg, cwd.len), 5},
		{"no cwd", offsetof(struct init_msg, cwd.len), 0},
		{"map past the end", offsetof(struct init_msg, uid_map.off), 0x10000},
		{"no map", offsetof(struct init_msg, gid_map.len), 0},
		{"half a limit", offsetof(struct init_msg, rlimits.len), 20},
		{"unaligned limits", offsetof(struct init_msg, rlimits.off), 252},
		{"half an instruction", offsetof(struct init_msg, bpf.len), 12},
		{"unaligned filter", offsetof(struct init_msg, bpf.off), 329},
		{"filter too long", offsetof(struct init_msg, bpf.len), 8 * 5000},
		{"hostname without a namespace", offsetof(struct init_msg, hostname.len), 4},
		{"groups that are kept", offsetof(struct init_msg, groups.len), 4},
		{"too many descriptors", offsetof(struct init_msg, n_keep_fds), 9},
		{"umask", offsetof(struct init_msg, umask), 01000},
		{"OOM score", offsetof(struct init_msg, oom_score_adj), 1001},
		{"padding", offsetof(struct init_msg, pad), 1},
	};

	make_spec(&s);
	m = (struct init_msg *)build(&s, &one_id, false, &out);
	for (size_t i = 0; m && i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t keep, *field = (uint32_t *)(void *)(out.data + cases[i].at);

		keep = *field;
		*field = cases[i].value;
		is_int(init_msg_check(out.data, out.len), -EBADMSG, "%s is refused", cases[i].what);
		*field = keep;
	}
	m->version++;
	is_int(init_msg_check(out.data, out.len), -EPROTONOSUPPORT, "another version is refused");
	m->version--;
	is_int(init_msg_check(out.data, out.len), 0, "untouched it is sound");
	is_int(init_msg_check(out.data, out.len - 1), -EBADMSG, "cut by a byte");
	is_int(init_msg_check(out.data, sizeof(*m) - 1), -EBADMSG, "cut in the header");
	spec_free(&s);
}

static void test_memfd(void)
{
	_strbuf_ struct strbuf msg = STRBUF_INIT;
	struct err e = ERR_INIT;
	_close_ int fd = -1;

	strbuf_addstr(&msg, "text");
	fd = init_msg_memfd(&msg, &e);
	ok(fd >= 0, "memfd");
	is_int(fcntl(fd, F_GET_SEALS) & 15, 15, "sealed against everything");
	is_int(fcntl(fd, F_GETFD), FD_CLOEXEC, "close on exec");
	is_int(lseek(fd, 0, SEEK_END), 4, "whole");
}

static void is_error(struct init_status st, int code, const char *text)
{
	char prog[] = "prog", cwd[] = "/work", *argv[] = {prog, NULL};
	struct process_spec proc = {.argv = {.items = argv, .n = 1}, .cwd = cwd};
	struct err e = ERR_INIT;

	is_int(init_status_error(&st, &proc, &e), code, "exit code %d", code);
	is_str(e.msg, text, "text");
}

static void test_words(void)
{
	is_error((struct init_status){INIT_MAGIC, INIT_STAGE_EXEC, ENOENT, 0}, 127,
		 "prog: command not found in the image");
	is_error((struct init_status){INIT_MAGIC, INIT_STAGE_EXEC, EACCES, 0}, 126,
		 "prog: Permission denied");
	is_error((struct init_status){INIT_MAGIC, INIT_STAGE_CAPS, EPERM, 0}, 125,
		 "drop capabilities: Operation not permitted");
	is_error((struct init_status){INIT_MAGIC, INIT_STAGE_CWD, ENOTDIR, 0}, 125,
		 "enter the working directory /work: Not a directory");
	is_error((struct init_status){INIT_MAGIC, 999, EPERM, 0}, 125,
		 "unknown stage: Operation not permitted");
	for (uint32_t i = 1; i < INIT_STAGE_MAX; i++)
		ok(strcmp(init_stage_name(i), "unknown stage") != 0, "stage %u has a name", i);
}

int main(void)
{
	test_start();
	test_ranges();
	test_options();
	test_size();
	test_check();
	test_memfd();
	test_words();
	test_limits();
	return done_testing();
}
