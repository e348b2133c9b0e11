/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SQUASHD_SERVE_H
#define CSBX_SQUASHD_SERVE_H

/*
 * --serve: the life of an image server. Descriptors as in runtime/server/proto.h. Returns the
 * exit status; what goes wrong is told to the clients that wait, there is no one else to tell.
 */
int serve(void);

#endif
