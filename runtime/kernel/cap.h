/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_CAP_H
#define CSBX_RUNTIME_CAP_H

/* Names of capabilities(7), and sets of them as a mask of bits 1 << CAP_*. Pure. */

#include <stdint.h>

struct strv;

#define CAP_COUNT 41 /* CAP_CHOWN .. CAP_CHECKPOINT_RESTORE */
#define CAP_BIT(cap) (UINT64_C(1) << (cap))
#define CAP_ALL ((UINT64_C(1) << CAP_COUNT) - 1)

/* "net_admin", "CAP_NET_ADMIN", "ALL": the mask; 0 for a name that does not exist. */
uint64_t cap_parse(const char *name);

/* Adds the names in mask to out, lowest number first. */
void cap_names(uint64_t mask, struct strv *out);

#endif
