/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_BARE_H
#define CSBX_RUNTIME_BARE_H

/*
 * The bare start: no supervisor and no init, the calling process becomes the container's command by
 * execve(2) and keeps its process id, parent, session, process group, terminal, streams, control
 * group, limits (ulimit), ignored signals and CPU mask. So a process that waits for csbx waits for
 * the command: WUNTRACED sees it stop, its death by a signal is seen as one. enroot does this
 * without --pid, and pyxis relies on it.
 *
 * There is no process then to hold a limit, to write a result, to kill what the command leaves
 * behind, or to copy a terminal: see bare_refusal(). The image server stands in where something has
 * to outlive the command's execve: it holds the record for list and exec, counts the container, and
 * keeps the lock of a kept layer (-w) until nothing has the layer mounted, then syncs it.
 *
 * In order, in one process:
 *
 * 1. as the caller: id map (one id), image server, record, layer, plan, message;
 * 2. setns(A), a new mount namespace, the plan. /proc, /sys (read-only) and /dev are the caller's;
 *    no Landlock, since what joins later could not be put into the same domain;
 * 3. the server is sent a pidfd, the root, the record and the layer's lock (SQUASHD_STAND_IN). Its
 *    keeper, which has no capability and never sees the image, drops the record when the command is
 *    dead. The container counts, and the layer stays locked, until inotify says that the root is
 *    unmounted: until the last process left behind has gone. Then the keeper syncs the layer;
 * 4. execveat of csbx-init from the sealed memfd. It unshares B, which locks every mount, and takes
 *    W's steps. A `#!/proc/self/exe` finds the sealed copy.
 *
 * Kept all the same: the root is made of the same plan; no_new_privs; an empty bounding set, or for
 * a root user inside the one of the specification; the seccomp filter; no descriptor but 0, 1 and 2
 * (and keep_fds); a user namespace of its own below the image server's, so that neither the host's
 * processes nor those of other containers can be traced, and no read-only mount be made writable.
 */

struct container_spec;
struct err;
struct paths;

/*
 * Values that a front end sets before spec_freeze(): ns.pid PID_HOST, ns.userns USERNS_ONE, its
 * choice for net, ipc, uts and cgroup; host_sys and host_dev where they are to be seen.
 */

/*
 * Why a frozen spec cannot be started so, as words that name the culprit ("--memory"); NULL: it
 * can. Pure.
 */
const char *bare_refusal(const struct container_spec *spec);

struct bare_how {
	/*
	 * The words that csbx-init puts before the text of a failure that happens when csbx itself
	 * is gone, on stderr: "csbx: start py: ", "[ERROR] ".
	 */
	const char *error_prefix;
	int failure_code; /* exit status of such a failure but "not found" (127) and "not
			   * executable" (126); 0: 125 */
};

/*
 * Becomes the command. Returns on failure only (-errno): the process may be in other namespaces by
 * then, there is nothing to do but to tell the error and to exit. The container's record goes when
 * the process does. -SQUASHD_NO_FUSE and the like come before anything has happened:
 * container_run() may be tried.
 */
int bare_start(const struct container_spec *spec, const struct paths *paths,
	       const struct bare_how *how, struct err *e);

/*
 * The mounts that enroot's 10-system.fstab and 20-config.fstab make: the caller's /proc (with
 * PID_HOST), /sys and /dev by flags of the spec; tmpfs on /tmp, /run (as /var/run) and /var/lock,
 * each as large as a layer in memory may be at most, so the limits of the spec are to be set
 * before; read-only binds of /etc/resolv.conf, hosts, hostname and machine-id where the host has
 * them. To be called before any other mount is added.
 */
int bare_system_mounts(struct container_spec *spec, struct err *e);

#endif
