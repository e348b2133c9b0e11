/* SPDX-License-Identifier: Apache-2.0 */
/* Events to the supervisor; one that finds the socket full waits in its slot. */

#include "runtime/helpers/init/init.h"

bool send_now(struct init_event *ev)
{
	ev->magic = INIT_MAGIC;
	return sys_send(INIT_FD_CONTROL, ev, sizeof(*ev), SYS_MSG_DONTWAIT | SYS_MSG_NOSIGNAL) !=
	       -EAGAIN;
}

/* Later news of a process replaces what is still unsent of it. */
void loop_send(struct init *in, struct init_event *ev, struct spawned *s)
{
	bool sent = send_now(ev);

	if (s) {
		s->pending = !sent;
		s->event = *ev;
		if (sent && ev->type == INIT_EV_SPAWN_EXITED)
			s->id = 0;
	} else if (!sent && ev->type == INIT_EV_STOPPED) {
		in->stop_pending = true;
		in->stop_event = *ev;
	}
}
