/* SPDX-License-Identifier: Apache-2.0 */
/* A wait beside starts that come and go never tells the state of a run that goes on as an end. */
#include "runtime/life/container_wait.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/record/container_store.h"
#include "runtime/record/run_dir.h"
#include "runtime/settings/paths.h"
#include "tests/unit/tap.h"

#define CODE 7
#define N_WAITS 20000
#define LIMIT_MS 10000u

static struct paths paths;
static char id[NAME_CONTAINER_ID_DIGITS + 1];
static int dir = -1; /* of the container */

static void run_once(void)
{
	struct run_state s = {.exit_code = CODE, .name = (char *)"c"};
	struct run_dir d;

	if (run_dir_take(dir, id, &d, NULL) < 0)
		return;
	s.started_ns = clock_realtime_ns();
	if (run_dir_started(&d, "c", NULL) < 0)
		_exit(2);
	s.ended_ns = clock_realtime_ns();
	if (run_state_write(d.fd, &s, NULL) < 0 || run_state_tell(d.lock_fd, &s, NULL) < 0)
		_exit(3);
	run_dir_close(&d);
}

/* One start after the other, as supervisors write them. */
static pid_t start_again_and_again(void)
{
	pid_t pid;

	run_once();
	pid = fork();
	if (!pid) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			run_once();
	}
	return pid;
}

/* Takes the processor from the wait between any two of its steps. */
static pid_t burn(void)
{
	pid_t pid = fork();

	if (!pid) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			(void)getppid();
	}
	return pid;
}

static void test_ends(void)
{
	pid_t pid = start_again_and_again(), burning[] = {burn(), burn(), burn(), burn()};
	uint64_t until_ms = clock_monotonic_ms() + LIMIT_MS;
	const struct container_record r = {.container_id = id};
	int n_wrong = 0, n_held = 0, n = 0, status = 0;
	struct err e = ERR_INIT;

	for (; n < N_WAITS && clock_monotonic_ms() < until_ms; n++) {
		struct container_wait w;

		if (container_wait_begin(&paths, "c", &r, &w, &e) < 0) {
			ok(false, "begin: %s", e.msg);
			break;
		}
		n_held += w.lock_fd >= 0;
		if (container_wait_end(&w, &e) < 0)
			ok(false, "end: %s", e.msg);
		if (w.state.status != CONTAINER_EXITED || w.state.exit_code != CODE) {
			n_wrong++;
			printf("# %s, code %d: %s\n", container_status_name(w.state.status),
			       w.state.exit_code, w.state.error);
		}
		container_wait_close(&w);
	}
	ok(n > 100 && n_held > 10, "%d waits, %d of them for a run that went on", n, n_held);
	is_int(n_wrong, 0, "each has the code of an end");
	is_int(waitpid(pid, &status, WNOHANG), 0, "the starts go on");
	kill(pid, SIGKILL);
	(void)waitpid(pid, &status, 0);
	for (size_t i = 0; i < sizeof(burning) / sizeof(burning[0]); i++) {
		kill(burning[i], SIGKILL);
		(void)waitpid(burning[i], &status, 0);
	}
}

static void make_container(void)
{
	struct container_create how = {.name = "c", .image = paths.data};
	struct err e = ERR_INIT;
	_close_ int containers = -1;

	is_int(container_store_create_id(&paths, &how, NULL, id, &e), 0, "create: %s", e.msg);
	containers = container_store_open_dir(&paths, &e);
	dir = openat(containers, "c", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ok(dir >= 0, "its directory");
}

int main(void)
{
	char top[TAP_PATH_SIZE] = "csbx-unit-wait";

	if (!tap_mkdtemp(top))
		return EXIT_FAILURE;
	paths = (struct paths){.data = strdup(top),
			       .cache = str_printf("%s/cache", top),
			       .runtime = str_printf("%s/run", top),
			       .layers = str_printf("%s/layers", top),
			       .scratch = str_printf("%s/tmp", top)};
	make_container();
	test_ends();
	fd_close(&dir);
	path_remove_tree_at(AT_FDCWD, top, NULL);
	paths_free(&paths);
	return done_testing();
}
