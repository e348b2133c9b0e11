/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_CONTAINER_FIND_H
#define CSBX_RUNTIME_CONTAINER_FIND_H

/* Finds the container that an operand stands for. */

#include "runtime/record/container_record.h"
#include "runtime/spec/name.h"

struct err;
struct paths;

struct container_found {
	char name[NAME_BYTES_MAX + 1];
	struct container_record record;
};

/*
 * In this order: the exact name, the full id, the beginning of exactly one id. -ENOENT: none;
 * -ENOTUNIQ: several ids begin so. A record that cannot be read is an error for its name, and
 * passed over where ids are compared. container_record_free(&ret->record) on success.
 */
int container_find(const struct paths *p, const char *operand, struct container_found *ret,
		   struct err *e);
/* The container of that full id, which had that name a moment ago: no others are looked at. */
int container_find_again(const struct paths *p, const char *name, const char *id,
			 struct container_found *ret, struct err *e);

#endif
