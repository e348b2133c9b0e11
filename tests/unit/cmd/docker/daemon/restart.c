/* SPDX-License-Identifier: Apache-2.0 */
/* Restart policies: their words, and when a container is due. */
#include <errno.h>

#include "cmd/docker/daemon/restart.h"
#include "cmd/docker/frame/fault.h"
#include "tests/unit/tap.h"

static void test_words(void)
{
	static const struct {
		const char *text;
		enum docker_restart_kind kind;
		unsigned most;
	} good[] = {
		{NULL, DOCKER_RESTART_NO, 0},
		{"", DOCKER_RESTART_NO, 0},
		{"no", DOCKER_RESTART_NO, 0},
		{"always", DOCKER_RESTART_ALWAYS, 0},
		{"unless-stopped", DOCKER_RESTART_UNLESS_STOPPED, 0},
		{"on-failure", DOCKER_RESTART_ON_FAILURE, 0},
		{"on-failure:7", DOCKER_RESTART_ON_FAILURE, 7},
	};
	static const char *const bad[] = {
		"sometimes", ":3",   "on-failure:x",   "on-failure:", "on-failure:-1",
		"always:3",  "no:1", "on-failure:1:2", "alway"};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct docker_fault f = DOCKER_FAULT_INIT;
		struct docker_restart got;

		is_int(docker_restart_parse(good[i].text, &got, &f), 0, "%s",
		       good[i].text ? good[i].text : "none");
		ok(got.kind == good[i].kind && got.most == good[i].most, "what it means");
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct docker_fault f = DOCKER_FAULT_INIT;
		struct docker_restart got;

		is_int(docker_restart_parse(bad[i], &got, &f), -EINVAL, "%s: %s", bad[i],
		       f.err.msg);
	}
}

static void test_due(void)
{
	const struct docker_restart always = {DOCKER_RESTART_ALWAYS, 0},
				    twice = {DOCKER_RESTART_ON_FAILURE, 2}, no = {0};
	uint64_t wait = 0;

	ok(!docker_restart_is_due_after(&no, 1, 0, 0, &wait), "no policy");
	ok(docker_restart_is_due_after(&always, 0, 0, 0, &wait) && wait == 100, "at first 100 ms");
	ok(docker_restart_is_due_after(&always, 0, 0, 1, &wait) && wait == 200, "then twice that");
	for (unsigned i = 0; i < 20; i++)
		(void)docker_restart_is_due_after(&always, 0, 0, i, &wait);
	is_int((long)wait, 60000, "at most a minute");
	(void)docker_restart_is_due_after(&always, 0, UINT64_C(10000000000), 22, &wait);
	is_int((long)wait, 100, "after ten seconds from the beginning");
	ok(!docker_restart_is_due_after(&twice, 0, 0, 0, &wait), "a success is no failure");
	ok(docker_restart_is_due_after(&twice, 3, 0, 1, &wait), "the second failure");
	ok(!docker_restart_is_due_after(&twice, 3, 0, 2, &wait), "the third");
}

int main(void)
{
	test_words();
	test_due();
	return done_testing();
}
