/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One program after the other in a container that is kept (INIT_LANE, runtime/start/lane.h). The
 * next one must find nothing of the last: no process, no id of a process that tells how many there
 * were, no System V object. The supervisor looks at files, sockets and queues.
 *
 * kill(-1) of pid 1 reaches every process of its namespace in one step that no fork can slip
 * through; all of them are its descendants, so none is left when it has no child.
 *
 * The kernel numbers System V objects in the order in which they are made, and does not take a
 * number back when one is removed. So init makes one of each kind itself and removes it: where the
 * number is not the one behind the last, something was made in between. (It wraps after 64, and
 * the lane then counts as touched.)
 */
#include "runtime/helpers/init/init.h"

#define OBJECT_BYTES 4096
#define OBJECT_MODE 0600
#define OBJECT_REMOVE 0 /* IPC_RMID of <sys/ipc.h> */

static void make_objects(int ids[LANE_SYSV])
{
	ids[0] = (int)SYS_CALL(__NR_shmget, 0, OBJECT_BYTES, OBJECT_MODE, 0, 0, 0);
	ids[1] = (int)SYS_CALL(__NR_semget, 0, 1, OBJECT_MODE, 0, 0, 0);
	ids[2] = (int)SYS_CALL(__NR_msgget, 0, OBJECT_MODE, 0, 0, 0, 0);
	if (ids[0] >= 0)
		(void)SYS_CALL(__NR_shmctl, ids[0], OBJECT_REMOVE, 0, 0, 0, 0);
	if (ids[1] >= 0)
		(void)SYS_CALL(__NR_semctl, ids[1], 0, OBJECT_REMOVE, 0, 0, 0);
	if (ids[2] >= 0)
		(void)SYS_CALL(__NR_msgctl, ids[2], OBJECT_REMOVE, 0, 0, 0, 0);
}

/* A kernel without System V objects has none to leave. */
static bool follows(int last, int next)
{
	return last == -ENOSYS ? next == -ENOSYS : last >= 0 && next == last + 1;
}

static bool has_made_objects(struct init *in)
{
	int ids[LANE_SYSV];
	bool any = false;

	make_objects(ids);
	for (int i = 0; i < LANE_SYSV; i++) {
		any = any || !follows(in->lane_ids[i], ids[i]);
		in->lane_ids[i] = ids[i];
	}
	return any;
}

void lane_begin(struct init *in)
{
	make_objects(in->lane_ids);
}

void lane_empty(struct init *in)
{
	struct init_event ev = {.type = INIT_EV_EMPTIED};
	struct rusage ru;
	int pid, status, r;

	do {
		(void)sys_kill(-1, SIGKILL);
		pid = sys_wait4(-1, &status, __WALL, &ru);
		if (pid > 0)
			child_changed(in, pid, status, &ru);
	} while (pid > 0 || pid == -EINTR);
	r = proc_write("sys/kernel/ns_last_pid", "1", 1);
	if (has_made_objects(in) || r < 0 || pid != -ECHILD || in->main_pid)
		ev.arg = INIT_LANE_TOUCHED;
	loop_send(in, &ev, NULL);
}
