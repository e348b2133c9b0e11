/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Without a supervisor: the process that was csbx is csbx-init now and will be the program next
 * (runtime/start/bare.h, runtime/exec/join.h). It takes the payload's steps itself. INIT_BARE: it
 * is in A, in the mount namespace that csbx has built, and unshares B, whose copy of the mounts
 * locks them. INIT_JOIN: it is outside still, and enters the namespaces whose descriptors it is
 * given. It runs from a sealed memfd for a reason: a "#!/proc/self/exe" in the image, or a look at
 * /proc/PID/exe from inside, finds these bytes and not csbx.
 *
 * There is no reader of a status pipe, so a failure is put into words (complaint.c).
 */
#include "runtime/helpers/init/init.h"
#include "runtime/helpers/init/abi/mem.h"
#include "runtime/helpers/init/abi/msg_check.h"
#include "runtime/helpers/init/abi/stage_text.h"

void alone_run(const struct init_msg *m)
{
	int ns[INIT_MAX_JOIN_FDS] NOT_ZEROED;
	unsigned first = INIT_FD_FIRST_KEPT + m->n_keep_fds;
	struct payload p = {
		.m = m,
		.flags = m->flags,
		.fds = {0, 1, 2},
		.status_fd = -1,
		.sync_fd = -1,
		.ns_fds = ns,
		.n_ns = m->n_join_fds,
	};
	int r;

	/*
	 * A process that wants to join, and may not look at us yet, sees by the name that it is we
	 * (runtime/exec/join.c).
	 */
	sys_prctl(PR_SET_NAME, (unsigned long)INIT_ALONE_NAME, 0);
	r = close_from(first + m->n_join_fds);
	if (r < 0)
		alone_fail(&p, INIT_STAGE_FDS, r);
	for (unsigned i = 0; i < m->n_join_fds; i++)
		ns[i] = (int)(first + i);
	for (uint32_t i = 0; i < m->n_keep_fds; i++)
		p.fds[3 + i] = INIT_FD_FIRST_KEPT + (int)i;
	payload_run(&p);
}
