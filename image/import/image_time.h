/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_IMAGE_TIME_H
#define CSBX_IMAGE_IMAGE_TIME_H

#include <stdint.h>

/* Seconds since 1970 of an RFC 3339 time, 0 for none that can be read. */
uint64_t image_time_parse(const char *text);

#endif
