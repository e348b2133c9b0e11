/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/daemon/run_args.h"

void docker_run_args_init(struct docker_run_args *a)
{
	*a = (struct docker_run_args){
		.sig_proxy = true, .pids = INT64_MIN, .stop_timeout_s = INT64_MIN};
}

void docker_run_args_done(struct docker_run_args *a)
{
	struct strv *const lists[] = {&a->attach,
				      &a->env,
				      &a->env_files,
				      &a->labels,
				      &a->label_files,
				      &a->volumes,
				      &a->mounts,
				      &a->tmpfs,
				      &a->ulimits,
				      &a->cap_add,
				      &a->cap_drop,
				      &a->security,
				      &a->devices,
				      &a->add_hosts,
				      &a->dns,
				      &a->groups,
				      &a->dns_search,
				      &a->publish,
				      &a->expose,
				      &a->sysctls,
				      &a->dns_options,
				      &a->command,
				      &a->entrypoint_args,
				      &a->network_aliases,
				      &a->volumes_from,
				      &a->links,
				      &a->endpoints,
				      &a->health_test};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		strv_free(lists[i]);
}
