/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_EXEC_PROTO_H
#define CSBX_RUNTIME_EXEC_PROTO_H

/*
 * The protocol by which `exec` reaches a running container: a SOCK_SEQPACKET connection to the
 * container's supervisor, $CSBX_RUNTIME_PATH/instances/ID.sock, one connection a process. The
 * directory is 0700. The supervisor compares the peer's user id and its user namespace: it refuses
 * a program in a container, which may see the directory through a mount (runtime/kernel/peer.h). A
 * message is trusted no more than csbx-init trusts any (init_abi.h), and csbx-init gives an exec no
 * more than the container itself has.
 *
 * A start pays nothing for it: the supervisor binds the socket when EXEC_WAKE_SIGNAL arrives for
 * the first time, which the client sends, by pidfd, when it finds no socket.
 *
 *	supervisor -> client	struct init_event; EXEC_EV_HELLO with the start's message (memfd),
 *				or EXEC_EV_BUSY: connect again later; or EXEC_EV_DONE: refused
 *	client -> supervisor	struct init_request; INIT_REQ_SPAWN with INIT_SPAWN_FDS descriptors,
 *				arg: enum exec_flag; later INIT_REQ_SIGNAL_PID, arg as there
 *				or, before it has the greeting, INIT_REQ_AHEAD with the status
 *				socket, arg as SPAWN: then the process's words and streams go to it
 *				over that socket (init_abi.h). It is answered as SPAWN is
 *				or EXEC_REQ_STOP, arg: a signal for the main process and
 *				EXEC_STOP_* bits, id: milliseconds after which all are killed, 0:
 *				never. The answer is the end of file
 *				or EXEC_REQ_PAUSE, arg: 1 stop everything, 0 let it go on; answered
 *				by EXEC_EV_DONE
 *				or EXEC_REQ_LIMIT, arg: enum exec_limit_kind, id: its value, 0:
 *				no limit; answered by EXEC_EV_DONE
 *				or EXEC_REQ_ATTACH with the client's streams, those of the bits 1,
 *				2 and 4 in arg, to be used until it closes its connection; the
 *				answer is EXEC_EV_ATTACHED (arg: there is a terminal)
 *				or EXEC_REQ_RESIZE, arg: rows, id: columns
 *	supervisor -> client	INIT_EV_SPAWNED, INIT_EV_SPAWN_STOPPED, INIT_EV_SPAWN_EXITED as they
 *				come from csbx-init; EXEC_EV_BUSY: ask again a little later;
 *				EXEC_EV_DONE in answer to a spawn: refused; EXEC_EV_ENDING, arg:
 *				the enum run_status that ends the container and all in it,
 *				status: 1 when the kernel says so
 *
 * A client that goes away takes its process, with its process group, along, unless it was asked
 * for with EXEC_DETACHED. End of file at the client before INIT_EV_SPAWN_EXITED: the container
 * ended.
 */

#include "runtime/helpers/init/abi/init_abi.h"
#include "runtime/record/instance.h"

/* A number: C libraries take different ones of the real-time signals for themselves. */
#define EXEC_WAKE_SIGNAL 40
#define EXEC_SOCKET_SUFFIX INSTANCE_SOCKET_SUFFIX

enum exec_flag { EXEC_DETACHED = 1u << 0 };

enum exec_request_type {
	EXEC_REQ_STOP = 200,
	EXEC_REQ_ATTACH,
	EXEC_REQ_RESIZE,
	EXEC_REQ_PAUSE,
	EXEC_REQ_LIMIT,
};

enum exec_limit_kind { EXEC_LIMIT_MEMORY_KIB, EXEC_LIMIT_CPUS_MILLI, EXEC_LIMIT_PIDS };

/* In arg of EXEC_REQ_STOP besides the signal: the fate of the container afterwards. */
#define EXEC_STOP_SIGNAL 0xffu    /* 0: the one of its specification, else SIGTERM */
#define EXEC_STOP_REMOVE 0x100u   /* it is removed: nothing of it need be kept */
#define EXEC_STOP_STAYS 0x200u    /* it is started again: it stays though it has --rm */
#define EXEC_STOP_OWN_TIME 0x400u /* the time of its specification, if there is one, not id */

/* In arg of EXEC_EV_HELLO. */
#define EXEC_HELLO_PAUSED 1u
#define EXEC_HELLO_AHEAD 2u /* it knows INIT_REQ_AHEAD */

enum exec_event_type {
	EXEC_EV_HELLO = 200,
	EXEC_EV_BUSY,
	EXEC_EV_ATTACHED,
	EXEC_EV_DONE, /* status: 0 or -errno */
	EXEC_EV_ENDING,
};

#endif
