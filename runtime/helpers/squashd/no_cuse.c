/* SPDX-License-Identifier: Apache-2.0 */

/*
 * libfuse's low-level part names one function of its character devices, which brings the rest of
 * the library along, dlopen(3) included. csbx-squashd serves no such device: no process calls it.
 */
#include <stdint.h>

void cuse_lowlevel_init(void *request, uint64_t node, const void *in);

void cuse_lowlevel_init(void *request, uint64_t node, const void *in)
{
	(void)request, (void)node, (void)in;
}
