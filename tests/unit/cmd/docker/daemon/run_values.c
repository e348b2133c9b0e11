/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that no command line has looked at: the room refuses what its flags would refuse. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "cmd/docker/daemon/run_args.h"
#include "runtime/base/err.h"
#include "tests/unit/tap.h"

static const struct {
	size_t list;
	const char *value;
	int want;
} cases[] = {
#define AT(m) offsetof(struct docker_run_args, m)
	{AT(add_hosts), "db:10.0.0.1", 0},
	{AT(add_hosts), "db=[::1]", 0},
	{AT(add_hosts), "db:host-gateway", 0},
	{AT(add_hosts), "db", -EINVAL},
	{AT(add_hosts), "", -EINVAL},
	{AT(add_hosts), ":10.0.0.1", -EINVAL},
	{AT(add_hosts), "db:", -EINVAL},
	{AT(add_hosts), "db:10.0.0.1\n127.0.0.1 x", -EINVAL},
	{AT(dns), "1.1.1.1", 0},
	{AT(dns), "1.1.1.1\noptions x", -EINVAL},
	{AT(ulimits), "nofile=10:20", 0},
	{AT(ulimits), "nofile=20:10", -EINVAL},
	{AT(ulimits), "nofile", -EINVAL},
	{AT(ulimits), "files=1", -EINVAL},
	{AT(sysctls), "net.core.somaxconn=1", 0},
	{AT(sysctls), "kernel.hostname=x", -EINVAL},
	{AT(labels), "a=b", 0},
	{AT(labels), "=b", -EINVAL},
};

int main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct docker_run_args a;
		struct err e = ERR_INIT;

		docker_run_args_init(&a);
		strv_add((struct strv *)(void *)((char *)&a + cases[i].list), cases[i].value);
		is_int(docker_check_values(&a, &e), cases[i].want, "%zu: '%.*s'", i,
		       (int)strcspn(cases[i].value, "\n"), cases[i].value);
		docker_run_args_done(&a);
	}
	return done_testing();
}
