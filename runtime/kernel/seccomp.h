/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_SECCOMP_H
#define CSBX_RUNTIME_SECCOMP_H

/*
 * The default seccomp filter (docs/seccomp.md), compiled when csbx was built. csbx only copies it
 * into the message for csbx-init, which loads it as the last act before execve.
 */

#include <stdbool.h>
#include <stdint.h>

struct strbuf;

/* Beside the capabilities, which are below: what programs after this one are given. */
#define SECCOMP_NET_RETURNS (UINT64_C(1) << 62) /* its network namespace */
#define SECCOMP_FILES_STAY (UINT64_C(1) << 61)  /* its files, as in a lane */

/*
 * Appends the filter (struct sock_filter each) for a payload whose capabilities are `caps`: calls
 * that only make sense with one of them come along with it. So do refusals for the two above.
 */
void seccomp_filter_add(uint64_t caps, struct strbuf *out);

/*
 * To come before the filter: mknod(2) of a device is not done and returns 0, and with ids so do
 * chown(2), setuid(2), setgroups(2), capset(2) and their kin. Package managers of an image need
 * this where there is one id only; devices cannot be made with more ids either.
 */
void seccomp_fake_add(bool ids, struct strbuf *out);
/* In place of the filter: all else is allowed. */
void seccomp_allow_add(struct strbuf *out);

#endif
