/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_DAEMON_HEALTH_WATCH_H
#define CSBX_CMD_DOCKER_DAEMON_HEALTH_WATCH_H

struct container_record;
struct docker_run_args;
struct err;
struct paths;
struct strv;

/*
 * The process that checks the health of a container. It is made when the container has been
 * started and gone when it ends (a pidfd of its first process tells). It runs the check in the
 * container, as docker exec would, writes what came of it (show/health.h), and the event
 * health_status when that has changed. A container without a check has no such process. One whose
 * checker was killed keeps the last status until its next start.
 */
void docker_health_begin(const struct paths *p, const char *name,
			 const struct container_record *record);

/*
 * The notes of a container's check: the words asked for, else the image's ("test=WORD",
 * "interval=NS", ...: image_meta.health). -EINVAL: a number that is none.
 */
int docker_health_notes(const struct docker_run_args *a, const struct strv *of_image,
			struct strv *notes, struct err *e);

#endif
