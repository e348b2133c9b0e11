/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_IMAGE_ROWS_H
#define CSBX_CMD_DOCKER_IMAGE_ROWS_H

/* Images as rows of a list (docker/cli, formatter/image.go). */

#include <stdbool.h>
#include <stdint.h>

struct err;
struct image_item;
struct strbuf;
struct strv;
struct docker_value;

struct image_rows_how {
	bool digests; /* a row for each name and digest */
	bool no_trunc;
	uint64_t now_s;
};

/* One row a name; names: those to be shown, none: "<none>". */
void image_rows_add(struct docker_value *rows, const struct image_item *item,
		    const struct strv *names, const struct image_rows_how *how);

int image_rows_print(const struct docker_value *rows, const char *format, bool quiet, bool digests,
		     struct strbuf *out, struct err *e);

#endif
