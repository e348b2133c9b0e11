/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_RUN_UNSUPPORTED_H
#define CSBX_CMD_DOCKER_RUN_UNSUPPORTED_H

/*
 * Flags of run and create that csbx does not act on: X(id, name, type, what, why).
 *	PASSED	nothing a program could see depends on it
 *	WARNED	accepted, with a warning on standard error
 *REFUSED exit code 125: a caller who asks for it relies on it
 */

#define DOCKER_OTHERS(X)                                                                           \
	X(annotation, "annotation", "map", PASSED, "")                                             \
	X(blkio_weight, "blkio-weight", "uint16", WARNED, "disk bandwidth is not shared out")      \
	X(blkio_device, "blkio-weight-device", "list", WARNED, "disk bandwidth is not shared out") \
	X(cgroup_parent, "cgroup-parent", "string", REFUSED,                                       \
	  "the control group is the caller's; see CSBX_CGROUP_PARENT")                             \
	X(cpu_count, "cpu-count", "int", REFUSED, "it is for Windows")                             \
	X(cpu_percent, "cpu-percent", "int", REFUSED, "it is for Windows")                         \
	X(cpu_rt_period, "cpu-rt-period", "int", REFUSED, "it needs root")                         \
	X(cpu_rt_runtime, "cpu-rt-runtime", "int", REFUSED, "it needs root")                       \
	X(cpuset_cpus, "cpuset-cpus", "string", REFUSED,                                           \
	  "CPUs are not chosen by number; --cpus limits how many")                                 \
	X(cpuset_mems, "cpuset-mems", "string", REFUSED, "memory nodes cannot be chosen")          \
	X(cpu_shares, "cpu-shares", "int", WARNED, "CPU time is not weighted; --cpus limits it")   \
	X(detach_keys, "detach-keys", "string", PASSED, "")                                        \
	X(device_rule, "device-cgroup-rule", "list", REFUSED, "device rules need root")            \
	X(device_read_bps, "device-read-bps", "list", REFUSED, "disk bandwidth cannot be limited") \
	X(device_read_iops, "device-read-iops", "list", REFUSED,                                   \
	  "disk bandwidth cannot be limited")                                                      \
	X(device_write_bps, "device-write-bps", "list", REFUSED,                                   \
	  "disk bandwidth cannot be limited")                                                      \
	X(device_write_iops, "device-write-iops", "list", REFUSED,                                 \
	  "disk bandwidth cannot be limited")                                                      \
	X(domainname, "domainname", "string", WARNED, "there is no NIS domain name")               \
	X(gpus, "gpus", "gpu-request", REFUSED, "GPUs are not handed in")                          \
	X(health_cmd, "health-cmd", "string", PASSED, "")                                          \
	X(health_interval, "health-interval", "duration", PASSED, "")                              \
	X(health_retries, "health-retries", "int", PASSED, "")                                     \
	X(health_start, "health-start-period", "duration", PASSED, "")                             \
	X(health_start_interval, "health-start-interval", "duration", PASSED, "")                  \
	X(health_timeout, "health-timeout", "duration", PASSED, "")                                \
	X(io_maxbandwidth, "io-maxbandwidth", "bytes", REFUSED, "it is for Windows")               \
	X(io_maxiops, "io-maxiops", "uint", REFUSED, "it is for Windows")                          \
	X(ip, "ip", "string", REFUSED, "containers have no addresses of their own")                \
	X(ip6, "ip6", "string", REFUSED, "containers have no addresses of their own")              \
	X(isolation, "isolation", "string", PASSED, "")                                            \
	X(kernel_memory, "kernel-memory", "bytes", PASSED, "")                                     \
	X(link_local_ip, "link-local-ip", "list", REFUSED,                                         \
	  "containers have no addresses of their own")                                             \
	X(log_opt, "log-opt", "list", WARNED, "the last 16 MiB of output are kept")                \
	X(mac_address, "mac-address", "string", REFUSED,                                           \
	  "containers have no addresses of their own")                                             \
	X(memory_swappiness, "memory-swappiness", "int", PASSED, "")                               \
	X(oom_score_adj, "oom-score-adj", "int", WARNED, "the score is the caller's")              \
	X(storage_opt, "storage-opt", "list", REFUSED,                                             \
	  "a container's layer has no size of its own to limit")                                   \
	X(volume_driver, "volume-driver", "string", REFUSED, "volumes are local directories")

/* Booleans: the same, without a type. */
#define DOCKER_OTHER_FLAGS(X)                                                              \
	X(content_trust, "disable-content-trust", PASSED, "")                              \
	X(oom_kill_disable, "oom-kill-disable", REFUSED, "it needs root")                  \
	X(privileged, "privileged", REFUSED,                                               \
	  "a container never has more rights than its user; --cap-add and --security-opt " \
	  "give it more within itself")                                                    \
	X(publish_all, "publish-all", PASSED, "")                                          \
	X(use_api_socket, "use-api-socket", REFUSED, "there is no daemon and no socket")

enum docker_other {
#define X(id, ...) DOCKER_OTHER_##id,
	DOCKER_OTHERS(X) DOCKER_OTHER_FLAGS(X)
#undef X
		DOCKER_OTHER_MAX
};

#endif
