/* SPDX-License-Identifier: Apache-2.0 */
/* csbx-init from its message to the end of the main process. */
#include <grp.h>

#include "tests/unit/init_box.h"

#define SH(script) ((const char *const[]){"sh", "-c", script, NULL})

/* Runs to the end; the wait status, and what was printed when ret_out is given. */
static int run(const struct box_want *w, char **ret_out)
{
	struct init_event ev;
	struct box b;
	char *out;

	box_start(&b, w);
	out = box_read_text(b.out);
	ev = box_event(&b, INIT_EV_EXITED, 0);
	if (ret_out)
		*ret_out = out;
	else
		free(out);
	box_end(&b);
	return ev.type == INIT_EV_EXITED ? ev.status : -1;
}

static void test_exit_codes(void)
{
	static const int codes[] = {0, 1, 7, 125, 255};

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		char script[32];
		struct box_want w = {.argv = SH(script)};
		struct box b;
		struct init_event ev;

		snprintf(script, sizeof(script), "exit %d", codes[i]);
		box_start(&b, &w);
		is_int(box_status(&b).stage, 0, "exit %d: started", codes[i]);
		ev = box_event(&b, INIT_EV_EXITED, 0);
		is_int(ev.status, codes[i] << 8, "exit %d: told by event", codes[i]);
		ok(ev.maxrss_bytes > 65536, "exit %d: memory is told in bytes", codes[i]);
		is_int(box_end(&b), codes[i], "exit %d: init's own code", codes[i]);
	}
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return 0;
	(void)argv;
	box_setup();
	test_exit_codes();
	char *o=NULL;
	is_int(run(&(struct box_want){.argv=SH("id; cat /proc/self/status; ls -l /proc/self/fd; env; pwd; kill -9 $$")}, &o), 9, "signal");
	printf("# %s\n", o);
	return done_testing();
}
