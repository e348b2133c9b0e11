/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_ENGINE_WAKE_H
#define CSBX_CMD_ENGINE_WAKE_H

/* Calls that go on after they dozed (doze.h). */

struct call;
struct doze;

/* k and its connection were made of d. */
void call_wake(struct call *k, struct doze *d);

/* attach.c, execs.c, logs.c, wait.c */
void call_attach_wake(struct call *k, struct doze *d);
void call_exec_wake(struct call *k, struct doze *d);
void call_logs_wake(struct call *k, struct doze *d);
void call_wait_wake(struct call *k, struct doze *d);

#endif
