/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SQUASHD_SERVE_H
#define CSBX_SQUASHD_SERVE_H

/*
 * --serve: the life of an image server. Descriptors as in runtime/server/proto.h.
 * Returns the exit status; it tells errors to the clients that wait.
 */
int serve(void);

#endif
