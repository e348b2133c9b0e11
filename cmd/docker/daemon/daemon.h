/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_DAEMON_H
#define CSBX_CMD_DOCKER_DAEMON_H

/*
 * The room cmd/docker/daemon. The work of docker's daemon, without a daemon.
 *
 * In: requests as data (run_args.h, exec.h), containers by name or id. Out: 0 or -errno with a
 * docker_fault (cmd/docker/frame/fault.h), whose text is dockerd's, and the thing that was asked
 * for. The command line (cmd/docker/container) and the Engine API's socket are its two callers, so
 * that both follow one set of rules.
 *
 * In the order of a container's life:
 *	run_args.h	what a container is to be; run_values.c, run_check.c and run_other.c say
 *			what of it cannot be
 *	image.h		the image that it names
 *	run_options.c, run_mounts.h, groups.h, etc.h: from the request to a
 *			specification
 *	run_notes.c	what inspect shows again
 *	create.h		the container, written down
 *	target.h	a container that is there
 *	start.h		its start
 *	exec.h		further processes in it; exec_session.h those of the Engine API,
 *			exec_record.h on disk
 *	end.h		stop, kill, restart, pause, rename, remove
 *	network.h	networks; network_member.h: which containers belong to them
 *
 * Must: return. Mustn't: print, exit, read argv, keep anything in memory between two requests.
 */

#endif
