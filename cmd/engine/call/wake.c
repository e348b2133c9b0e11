/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/engine/call/wake.h"

#include "cmd/engine/call/doze.h"

void call_wake(struct call *k, struct doze *d)
{
	switch (d->kind) {
	case DOZE_ATTACH:
	case DOZE_ATTACH_BEFORE:
		call_attach_wake(k, d);
		break;
	case DOZE_EXEC:
		call_exec_wake(k, d);
		break;
	case DOZE_LOGS:
		call_logs_wake(k, d);
		break;
	case DOZE_WAIT:
		call_wait_wake(k, d);
		break;
	}
}
