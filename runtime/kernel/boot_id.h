/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_BOOT_ID_H
#define CSBX_RUNTIME_BOOT_ID_H

/* /proc/sys/kernel/random/boot_id (random(4)): 36 characters, new at every boot. */

struct err;

#define BOOT_ID_SIZE 37

int boot_id_read(char ret[BOOT_ID_SIZE], struct err *e);

#endif
