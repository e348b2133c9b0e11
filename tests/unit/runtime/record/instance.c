/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/record/instance.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/settings/paths.h"
#include "tests/unit/tap.h"

static struct paths paths;

static size_t count(const char *name)
{
	struct instance_list l;
	size_t n;

	if (instance_list(&paths, name, &l, NULL) < 0)
		return SIZE_MAX;
	n = l.n;
	instance_list_free(&l);
	return n;
}

static void test_record(void)
{
	struct instance_record rec = {.id = "0123456789ab",
				      .name = "py",
				      .image = "/i.sqsh",
				      .cgroup = "/c",
				      .supervisor = 12,
				      .init = 34,
				      .started_ns = 56};
	struct instance_record got;
	struct strbuf b = STRBUF_INIT;
	struct err e = ERR_INIT;
	size_t len;

	strv_add(&rec.command, "sh");
	strv_add(&rec.command, "");
	is_int(instance_record_encode(&rec, &b, &e), 0, "encode");
	len = b.len;
	is_int(instance_record_decode(&got, strbuf_take(&b), len, &e), 0, "decode: %s", e.msg);
	is_str(got.id, rec.id, "id");
	is_str(got.cgroup, "/c", "cgroup");
	is_str(got.layer, NULL, "no layer");
	ok(got.command.n == 2 && !*got.command.items[1], "command");
	ok(got.supervisor == 12 && got.init == 34 && got.started_ns == 56, "numbers");
	instance_record_free(&got);
	strv_free(&rec.command);
}

/* An instance held by a child until the pipe closes. */
static pid_t spawn(const char *id, const char *name, int *ret_fd)
{
	int ready[2], stop[2];
	char byte;
	pid_t pid;

	if (pipe2(ready, O_CLOEXEC) < 0 || pipe2(stop, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (!pid) {
		struct instance i;
		struct instance_record rec = {
			.id = id, .name = name, .image = "/i", .supervisor = getpid()};

		close(stop[1]);
		if (!instance_begin(&paths, id, &i, NULL) && !instance_publish(&i, &rec, NULL))
			(void)!write(ready[1], "", 1);
		(void)!read(stop[0], &byte, 1);
		_exit(0); /* as if killed: nothing is unlinked */
	}
	close(ready[1]);
	close(stop[0]);
	(void)!read(ready[0], &byte, 1);
	close(ready[0]);
	*ret_fd = stop[1];
	return pid;
}

static void test_life(void)
{
	struct instance i = INSTANCE_INIT, second = INSTANCE_INIT;
	struct instance_record rec = {.id = "aaaaaaaaaaaa", .image = "/i", .supervisor = getpid()};
	struct err e = ERR_INIT;

	is_int(count(NULL), 0, "none");
	is_int(instance_begin(&paths, "../../../x", &i, &e), -EINVAL, "no id: %s", e.msg);
	is_int(instance_begin(&paths, rec.id, &i, &e), 0, "begin: %s", e.msg);
	is_int(instance_begin(&paths, rec.id, &second, &e), -EEXIST, "the id is taken: %s", e.msg);
	is_int(count(NULL), 0, "not published yet");
	is_int(instance_publish(&i, &rec, &e), 0, "publish: %s", e.msg);
	is_int(count(NULL), 1, "published");
	is_int(count("py"), 0, "of no container");
	instance_end(&i);
	is_int(count(NULL), 0, "ended");
	instance_end(&i);
}

static void test_find(void)
{
	_free_ char *want = NULL;
	struct instance_record rec;
	struct err e = ERR_INIT;
	int stop[3];
	pid_t pids[3] = {spawn("111111111111", "py", &stop[0]),
			 spawn("111122222222", "py", &stop[1]),
			 spawn("333333333333", "other", &stop[2])};

	is_int(count("py"), 2, "two of one name");
	is_int(instance_find(&paths, "other", &rec, &e), 0, "by name: %s", e.msg);
	is_str(rec.id, "333333333333", "its id");
	instance_record_free(&rec);
	is_int(instance_find(&paths, "11112", &rec, &e), 0, "by the beginning of the id: %s",
	       e.msg);
	instance_record_free(&rec);
	is_int(instance_find(&paths, "py", &rec, &e), -ENOTUNIQ, "several: %s", e.msg);
	ok(strstr(e.msg, "111111111111") && strstr(e.msg, "111122222222"), "their ids");
	is_int(instance_find(&paths, "1111", &rec, &e), -ENOTUNIQ, "ambiguous");
	is_int(instance_find(&paths, "333", &rec, &e), -ENOENT, "too short: %s", e.msg);
	want = str_printf("in use by pid %d", pids[2]);
	is_int(instance_refuse_running(&paths, "other", &e), -EBUSY, "busy");
	is_str(e.msg, want, "%s", e.msg);
	kill(pids[2], SIGKILL);
	waitpid(pids[2], NULL, 0);
	is_int(instance_refuse_running(&paths, "other", &e), 0, "death lets go");
	for (int k = 0; k < 3; k++)
		close(stop[k]);
	waitpid(pids[0], NULL, 0);
	waitpid(pids[1], NULL, 0);
	is_int(count(NULL), 0, "files without a lock do not count");
}

static size_t files(void)
{
	_close_ int fd = paths_open(paths.runtime, "instances", NULL);
	DIR *d = fdopendir(dup(fd));
	const struct dirent *ent;
	size_t n = 0;

	while (d && (ent = readdir(d)))
		n += !str_is_dots(ent->d_name);
	if (d)
		closedir(d);
	return n;
}

static void leave_dead(const char *id)
{
	int stop;
	pid_t pid = spawn(id, "dead", &stop);

	close(stop);
	waitpid(pid, NULL, 0);
}

static void test_sweep(void)
{
	static const char *const ids[] = {"aaaaaaaaaaa1", "aaaaaaaaaaa2", "aaaaaaaaaaa3"};
	struct instance i = INSTANCE_INIT;
	_close_ int fd = -1, claim = -1;
	int stop;
	pid_t pid;

	for (size_t k = 0; k < 3; k++)
		leave_dead(ids[k]);
	is_int(files(), 3, "killed starts leave their files");
	is_int(instance_begin(&paths, "bbbbbbbbbbb1", &i, NULL), 0, "a start");
	instance_sweep_sometimes(&i);
	is_int(files(), 4, "not every start sweeps");
	instance_end(&i);
	is_int(instance_begin(&paths, "bbbbbbbbbbb0", &i, NULL), 0, "one in sixteen");
	instance_sweep_sometimes(&i);
	is_int(files(), 1, "does, and stays itself");
	instance_end(&i);

	leave_dead(ids[0]);
	pid = spawn(ids[1], "live", &stop);
	is_int(count(NULL), 1, "a list");
	is_int(files(), 1, "leaves what is live");
	fd = paths_open(paths.runtime, "instances", NULL);
	is_int(instance_claim_dead(fd, ids[1]), -EAGAIN, "it cannot be claimed");
	close(stop);
	waitpid(pid, NULL, 0);
	claim = instance_claim_dead(fd, ids[1]);
	ok(claim >= 0, "a dead one can");
	is_int(instance_claim_dead(fd, ids[1]), -EAGAIN, "once");
	ok(!instance_is_live(fd, ids[1]), "and is not live for that");
	ok(!instance_remove_dead(fd, ids[1]), "nor removed by another");
	fd_close(&claim);
	ok(instance_remove_dead(fd, ids[1]), "removed");
	is_int(instance_claim_dead(fd, ids[1]), -ENOENT, "gone");
}

/* Its supervisor was killed; its processes end a little later, and take its groups with them. */
static void test_left(void)
{
	static const char id[] = "ccccccccccc1";
	const struct timespec a_little = {.tv_nsec = 500000000};
	struct instance i = INSTANCE_INIT;
	struct instance_record rec = {.id = id, .image = "/i.sqsh", .supervisor = getpid()};
	_close_ int fd = paths_open(paths.runtime, "instances", NULL);
	pid_t init = fork();

	if (!init) {
		prctl(PR_SET_NAME, "csbx-init");
		nanosleep(&a_little, NULL);
		_exit(0);
	}
	is_int(instance_begin(&paths, id, &i, NULL), 0, "a start");
	rec.init = init;
	is_int(instance_publish(&i, &rec, NULL), 0, "is known");
	instance_release(&i);
	/* Until the name that tells what it is has been set. */
	while (instance_init_is_gone(&rec, 0) && !waitpid(init, NULL, WNOHANG))
		;
	ok(!instance_remove_dead(fd, id), "not at once");
	instance_remove_left(&paths, "ccccccccccc1-of-a-longer-id");
	is_int(instance_claim_dead(fd, id), -ENOENT, "but when they have ended");
	waitpid(init, NULL, 0);
}

int main(void)
{
	char dir[TAP_PATH_SIZE] = "csbx-unit-instance";

	if (!tap_mkdtemp(dir))
		return EXIT_FAILURE;
	paths = (struct paths){.runtime = dir, .data = dir};
	test_record();
	test_life();
	test_find();
	test_sweep();
	test_left();
	path_remove_tree_at(AT_FDCWD, dir, NULL);
	return done_testing();
}
