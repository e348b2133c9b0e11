/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_SECCOMP_H
#define CSBX_RUNTIME_SECCOMP_H

/*
 * The default seccomp filter (docs/seccomp.md), compiled when csbx was built. csbx only copies it
 * into the message for csbx-init, which loads it as the last act before execve.
 */

#include <stdint.h>

struct strbuf;

/*
 * Appends the filter (struct sock_filter each) for a payload whose capabilities are `caps`: calls
 * that only make sense with one of them come along with it.
 */
void seccomp_filter_add(uint64_t caps, struct strbuf *out);

#endif
