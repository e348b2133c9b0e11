/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/system/here.h"

#include <sys/utsname.h>

#include "cmd/docker/frame/docker.h"
#include "runtime/base/str.h"
#include "runtime/doctor/host.h"

const char *here_go_arch(void)
{
	static struct utsname u;

	uname(&u);
	if (str_eq(u.machine, "x86_64"))
		return "amd64";
	return str_eq(u.machine, "aarch64") ? "arm64" : u.machine;
}

int here_check(const struct docker *d, struct strbuf *reason)
{
	static const enum host_feature needed[] = {HOST_KERNEL, HOST_USERNS, HOST_HELPERS};
	struct host_fact fact;

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		host_probe(&d->cmd.paths, needed[i], &fact);
		if (fact.ok)
			continue;
		strbuf_addf(
			reason,
			"Cannot connect to the Docker daemon: there is none, and csbx cannot start "
			"containers here: %s: %s",
			host_feature_name(needed[i]), fact.reason);
		if (*fact.remedy)
			strbuf_addf(reason, "; remedy: %s", fact.remedy);
		return DOCKER_EXIT_FAILED;
	}
	return 0;
}
