/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "runtime/settings/config.h"

/*
 * All keys; each option of run and start and each of import that has one
 * (tests/unit/cmd/frame/config_keys.c compares). Options that say what one single run is for
 * (--name, --detach, --rm, --stdin, --plan, --spec, --result-fd, --fetch) have none: as a site's
 * default they would make no sense.
 */
static const struct config_key keys[] = {
	{"CSBX_DATA_PATH", NULL, CONFIG_TEXT},
	{"CSBX_CACHE_PATH", NULL, CONFIG_TEXT},
	{"CSBX_SHARED_CACHE_PATH", NULL, CONFIG_TEXT},
	{"CSBX_IMAGE_PATH", NULL, CONFIG_TEXT},
	{"CSBX_RUNTIME_PATH", NULL, CONFIG_TEXT},
	{"CSBX_LAYER_PATH", NULL, CONFIG_TEXT},
	{"CSBX_SCRATCH_PATH", NULL, CONFIG_TEXT},
	{"CSBX_LINGER", NULL, CONFIG_TEXT},
	{"CSBX_CGROUP_PARENT", NULL, CONFIG_TEXT},
	{"CSBX_DOCKER_NETWORK", NULL, CONFIG_TEXT},
	{"CSBX_ENROOT_PROFILE", NULL, CONFIG_TEXT},
	{"CSBX_LANES", NULL, CONFIG_TEXT},
	{"CSBX_PUSH_COMP", NULL, CONFIG_TEXT},
	{"CSBX_SCOPE_TIMEOUT", NULL, CONFIG_TEXT},
	{"CSBX_SPARES", NULL, CONFIG_TEXT},
	{"CSBX_WARM", NULL, CONFIG_TEXT},
	{"CSBX_ALLOW_ROOT", "allow-root", CONFIG_FLAG},
	{"CSBX_ARCH", "arch", CONFIG_TEXT, .of_image = true},
	{"CSBX_AUTHFILE", "authfile", CONFIG_TEXT, .of_image = true},
	{"CSBX_CAP_ADD", "cap-add", CONFIG_LIST},
	{"CSBX_CAP_DROP", "cap-drop", CONFIG_LIST},
	{"CSBX_COMP", "comp", CONFIG_TEXT, .of_image = true},
	{"CSBX_CPUS", "cpus", CONFIG_TEXT},
	{"CSBX_DEVICE", "device", CONFIG_LIST},
	{"CSBX_ENTRYPOINT", "entrypoint", CONFIG_TEXT},
	{"CSBX_ENV", "env", CONFIG_LIST},
	{"CSBX_ENV_FILE", "env-file", CONFIG_LIST},
	{"CSBX_FAKE_ROOT", "fake-root", CONFIG_FLAG},
	{"CSBX_GROUP_ADD", "group-add", CONFIG_LIST},
	{"CSBX_HOSTNAME", "hostname", CONFIG_TEXT},
	{"CSBX_INIT", "init", CONFIG_TEXT},
	{"CSBX_INSECURE_REGISTRY", "insecure-registry", CONFIG_LIST, .of_image = true},
	{"CSBX_INTERACTIVE", "interactive", CONFIG_TEXT},
	{"CSBX_IPC", "ipc", CONFIG_TEXT},
	{"CSBX_KILL_AFTER", "kill-after", CONFIG_TEXT},
	{"CSBX_LABEL", "label", CONFIG_LIST},
	{"CSBX_LIMITS", "limits", CONFIG_TEXT},
	{"CSBX_MAX_IMAGE_SIZE", "max-image-size", CONFIG_TEXT, .of_image = true},
	{"CSBX_MAX_OUTPUT", "max-output", CONFIG_TEXT},
	{"CSBX_MAX_OUTPUT_KILL", "max-output-kill", CONFIG_TEXT},
	{"CSBX_MEMORY", "memory", CONFIG_TEXT},
	{"CSBX_MOUNT", "mount", CONFIG_LIST},
	{"CSBX_NETWORK", "network", CONFIG_TEXT},
	{"CSBX_NO_JOB_ENV", "no-job-env", CONFIG_FLAG},
	{"CSBX_OFFLINE", "offline", CONFIG_FLAG, .of_image = true},
	{"CSBX_PIDS_LIMIT", "pids-limit", CONFIG_TEXT},
	{"CSBX_PLATFORM", "platform", CONFIG_TEXT, .of_image = true},
	{"CSBX_READ_ONLY", "read-only", CONFIG_FLAG},
	{"CSBX_REGISTRY_AUTH", NULL, CONFIG_LIST, .is_secret = true},
	{"CSBX_REGISTRY_CONNECTIONS", "registry-connections", CONFIG_TEXT, .of_image = true},
	{"CSBX_REGISTRY_MIRROR", "registry-mirror", CONFIG_LIST, .of_image = true},
	{"CSBX_REGISTRY_TIMEOUT", "registry-timeout", CONFIG_TEXT, .of_image = true},
	{"CSBX_REGISTRY_TOKEN_SERVER", "registry-token-server", CONFIG_LIST, .of_image = true},
	{"CSBX_REGISTRY_TRIES", "registry-tries", CONFIG_TEXT, .of_image = true},
	{"CSBX_SECURITY_OPT", "security-opt", CONFIG_LIST},
	{"CSBX_SHM_SIZE", "shm-size", CONFIG_TEXT},
	{"CSBX_STOP_SIGNAL", "stop-signal", CONFIG_TEXT},
	{"CSBX_STOP_TIMEOUT", "stop-timeout", CONFIG_TEXT},
	{"CSBX_THREADS", "threads", CONFIG_TEXT, .of_image = true},
	{"CSBX_TIMEOUT", "timeout", CONFIG_TEXT},
	{"CSBX_TMPFS", "tmpfs", CONFIG_LIST},
	{"CSBX_TTY", "tty", CONFIG_TEXT},
	{"CSBX_ULIMIT", "ulimit", CONFIG_LIST},
	{"CSBX_UPPER_SIZE", "upper-size", CONFIG_TEXT},
	{"CSBX_USER", "user", CONFIG_TEXT},
	{"CSBX_USERNS", "userns", CONFIG_TEXT},
	{"CSBX_VOLUME", "volume", CONFIG_LIST},
	{"CSBX_WORKDIR", "workdir", CONFIG_TEXT},
};

const struct config_key *config_keys(size_t *ret_n)
{
	*ret_n = sizeof(keys) / sizeof(keys[0]);
	return keys;
}

const struct config_key *config_key_find(const char *name)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (!strcmp(keys[i].name, name))
			return &keys[i];
	}
	return NULL;
}

const struct config_key *config_key_of_option(const char *option)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (keys[i].option && !strcmp(keys[i].option, option))
			return &keys[i];
	}
	return NULL;
}
