/* SPDX-License-Identifier: Apache-2.0 */
/* csbx-init while the main process runs: signals, orphans, its own end, and odd kernels. */
#include "tests/unit/init_box.h"

#define SH(script) ((const char *const[]){"sh", "-c", script, NULL})

/* Waits for a line of the payload: no sleeping for synchronisation. */
static bool wait_line(const struct box *b, const char *want)
{
	char buf[256] = "";
	size_t n = 0;

	while (n + 1 < sizeof(buf) && box_readable(b->out) && read(b->out, buf + n, 1) == 1) {
		if (buf[n++] != '\n')
			continue;
		buf[n - 1] = 0;
		if (str_eq(buf, want))
			return true;
		n = 0;
	}
	return false;
}

static void test_signals(void)
{
	struct box b;

	box_start(&b, &(struct box_want){.argv = SH("trap 'echo term; exit 3' TERM; echo up;"
						    "while :; do sleep 0.01; done")});
	ok(wait_line(&b, "up"), "the payload runs");
	box_request(&b, INIT_REQ_SIGNAL, 0, 0);
	box_request(&b, INIT_REQ_SIGNAL, 4711, 0);
	box_request(&b, 4711, SIGTERM, 0);
	box_request(&b, INIT_REQ_SIGNAL, SIGTERM, 0);
	ok(wait_line(&b, "term"), "a signal arrives, nonsense before it does no harm");
	is_int(box_event(&b, INIT_EV_EXITED, 0).status, 3 << 8, "its handler decides");
	box_end(&b);

	box_start(&b, &(struct box_want){.argv = SH("echo up; exec sleep 1000")});
	ok(wait_line(&b, "up"), "the payload runs");
	box_request(&b, INIT_REQ_SIGNAL, SIGSTOP, 0);
	is_int(box_event(&b, INIT_EV_STOPPED, 0).arg, SIGSTOP, "a stop is told");
	box_request(&b, INIT_REQ_SIGNAL_ALL, SIGCONT, 0);
	box_request(&b, INIT_REQ_SIGNAL, SIGUSR1 | INIT_SIGNAL_GROUP, 0);
	is_int(box_event(&b, INIT_EV_EXITED, 0).status, SIGUSR1, "a continued group is signalled");
	is_int(box_end(&b), 128 + SIGUSR1, "init's own code");
}

static void test_supervisor_gone(void)
{
	struct box b;

	box_start(&b,
		  &(struct box_want){.argv = SH("trap '' TERM INT HUP; echo up;"
						"(trap '' HUP TERM; sleep 1000) & sleep 1000")});
	ok(wait_line(&b, "up"), "the payload runs");
	is_int(box_end(&b), 128 + SIGKILL, "init ends when the supervisor does");
}

/* Everything that runs holds the pipe: its end proves that all are gone. */
static void test_rest_is_killed(void)
{
	struct box b;
	char *out;

	box_start(&b, &(struct box_want){.argv = SH("trap '' TERM HUP INT QUIT PIPE;"
						    "for i in 1 2 3; do setsid sleep 1000 & done;"
						    "(setsid sh -c 'trap \"\" TERM; sleep 1000' &);"
						    "echo done; exit 4")});
	out = box_read_text(b.out);
	is_str(out, "done\n", "daemons end with the main process");
	is_int(box_event(&b, INIT_EV_EXITED, 0).status, 4 << 8, "and its code is told");
	box_end(&b);
	free(out);
}

static void test_orphans(void)
{
	_free_ char *out = NULL;
	struct box b;

	/* 300 orphans that die at once, then until only init and the shell are there. */
	box_start(&b, &(struct box_want){
			      .argv = SH("i=0; while [ $i -lt 300 ]; do (true &); i=$((i+1)); done;"
					 "while set -- /proc/[0-9]*; [ $# -gt 2 ]; do :; done;"
					 "echo clean")});
	out = box_read_text(b.out);
	is_str(out, "clean\n", "orphans are reaped");
	is_int(box_event(&b, INIT_EV_EXITED, 0).status, 0, "and only the main process is told");
	box_end(&b);
}

static void test_attacks(void)
{
	_free_ char *out = NULL;
	struct box b;

	box_start(&b,
		  &(struct box_want){.argv = SH("for s in 9 19 15 1 2 11 17; do kill -$s 1; done;"
						"sh -c 'kill -9 -1'; echo alive")});
	out = box_read_text(b.out);
	ok(out && strstr(out, "alive") == NULL, "kill -9 -1 takes the payload with it");
	is_int(box_event(&b, INIT_EV_EXITED, 0).status, SIGKILL, "init outlives it and tells");
	box_end(&b);
}

static void test_masked_calls(void)
{
	static const struct {
		int nr;
		const char *name;
	} masked[] = {
		{SYS_close_range, "close_range"}, {SYS_clone3, "clone3"}, {SYS_keyctl, "keyctl"}};

	for (size_t i = 0; i < sizeof(masked) / sizeof(masked[0]); i++) {
		_free_ char *out = NULL;
		struct box b;

		box_start(&b, &(struct box_want){.argv = SH("ls /proc/self/fd | wc -l"),
						 .enosys = masked[i].nr});
		out = box_read_text(b.out);
		is_str(out, "4\n", "without %s: the same", masked[i].name);
		is_int(box_event(&b, INIT_EV_EXITED, 0).status, 0, "without %s: exit code",
		       masked[i].name);
		box_end(&b);
	}
	for (size_t i = 0; i < 2; i++) { /* what cannot be done without is a clear refusal */
		static const int must[] = {SYS_seccomp, SYS_signalfd4};
		static const unsigned stage[] = {INIT_STAGE_SECCOMP, INIT_STAGE_SIGNALS};
		struct init_status st;
		struct box b;

		box_start(&b, &(struct box_want){.argv = SH("true"), .enosys = must[i]});
		st = box_status(&b);
		is_int(st.stage, stage[i], "a missing must-have is refused");
		is_int(st.code, ENOSYS, "as missing");
		box_end(&b);
	}
}

static void groups(struct container_spec *s)
{
	static const uint32_t g[] = {7, 900};

	s->proc.groups = memcpy(malloc(sizeof(g)), g, sizeof(g));
	s->proc.n_groups = 2;
}

static void test_ranges(void)
{
	_free_ char *out = NULL;
	struct box b;

	if (geteuid()) {
		tap_skip("ranges: root has to arrange them here");
		return;
	}
	box_start(&b, &(struct box_want){.argv = SH("id -u; id -G; tr -s ' ' </proc/self/uid_map;"
						    "cat /proc/self/setgroups"),
					 .uid = 5,
					 .ranges = true,
					 .edit = groups});
	out = box_read_text(b.out);
	is_str(out, "5\n5 7 900\n 0 0 5\n 5 5 1\n 6 6 1000\nallow\n", "ranges: ids, groups, maps");
	is_int(box_event(&b, INIT_EV_EXITED, 0).status, 0, "ranges: exit code");
	box_end(&b);
}

static void test_keep_fd(void)
{
	_free_ char *out = NULL;
	char text[16] = "";
	struct box b;
	int p[2];

	ok(!pipe2(p, O_CLOEXEC), "a descriptor to keep");
	box_start(&b, &(struct box_want){.argv = SH("echo kept >&3; ls /proc/self/fd | wc -l"),
					 .keep_fd = p[1]});
	close(p[1]);
	out = box_read_text(b.out);
	is_str(out, "5\n", "it is one descriptor more");
	ok(read(p[0], text, sizeof(text)) == 5 && !memcmp(text, "kept\n", 5), "and works");
	close(p[0]);
	box_end(&b);
}

int main(void)
{
	box_setup();
	test_signals();
	test_supervisor_gone();
	test_rest_is_killed();
	test_orphans();
	test_attacks();
	test_masked_calls();
	test_ranges();
	test_keep_fd();
	return done_testing();
}
