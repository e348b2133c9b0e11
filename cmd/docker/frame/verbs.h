/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_VERBS_H
#define CSBX_CMD_DOCKER_VERBS_H

/* The verbs of the docker dialect, each in a file of its name. */

struct docker_verb;

extern const struct docker_verb docker_verb_ps;
extern const struct docker_verb docker_verb_container_inspect, docker_verb_info,
	docker_verb_inspect, docker_verb_network_connect, docker_verb_network_create,
	docker_verb_network_disconnect, docker_verb_network_inspect, docker_verb_network_ls,
	docker_verb_network_prune, docker_verb_network_rm, docker_verb_port, docker_verb_version,
	docker_verb_volume_inspect, docker_verb_volume_ls, docker_verb_context_ls,
	docker_verb_context_show, docker_verb_context_use, docker_verb_stats, docker_verb_system_df,
	docker_verb_events, docker_verb_top; /* csbx-tool */
extern const struct docker_verb docker_verb_attach, docker_verb_container_prune, docker_verb_create,
	docker_verb_exec, docker_verb_kill, docker_verb_logs, docker_verb_pause, docker_verb_rename,
	docker_verb_restart, docker_verb_rm, docker_verb_run, docker_verb_start, docker_verb_stop,
	docker_verb_unpause, docker_verb_volume_create, docker_verb_volume_prune,
	docker_verb_volume_rm, docker_verb_wait;

#endif
