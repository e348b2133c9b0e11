/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_IMAGE_VALUE_H
#define CSBX_CMD_DOCKER_IMAGE_VALUE_H

/*
 * The room cmd/docker/image. docker's verbs about images.
 *
 * In: parsed arguments. Out: images pulled, listed, tagged, saved, loaded, removed.
 *
 *	pull.c images.c ...	a verb in a file of its name
 *	image_value.h, rows.h, filter.h, history.c: what is shown
 *	delete.h, image_item.c	which image is meant, and its removal
 *	change.h, tar_image.h	images made from a tar
 *	output_file.h, pull_text.h: files and texts
 *
 * Must: parse and print; what a daemon would do is in cmd/docker/daemon.
 * Mustn't: start a container.
 */

/* Images as docker shows them (api/types/image of moby 28). */

#include <stdbool.h>
#include <stdint.h>

struct err;
struct image_item;
struct image_list;
struct paths;
struct strbuf;
struct strv;
struct docker_value;

/* The object of `image inspect`. */
int image_value_inspect(const struct image_item *item, struct docker_value **ret, struct err *e);

/* The rows of `image history`, newest first: fields ID, CreatedSince, CreatedAt, ... */
struct image_history_how {
	bool human, no_trunc;
	uint64_t now_ns;
};
int image_value_history(const struct image_item *item, const struct image_history_how *how,
			struct docker_value **ret, struct err *e);

/*
 * The image an operand of docker's stands for, out of a list that was read before: a name, an id
 * or the beginning of one. NULL: none. ret_name (NULL allowed): the canonical name it was found
 * by, in the list's memory, or NULL.
 */
struct image_item *image_item_find(struct image_list *l, const char *operand,
				   const char **ret_name);

/* "No such image: app:latest", as docker's daemon says it of an operand. */
void image_no_such(const char *operand, struct strbuf *out);

/* The labels of an image, "name=value" each. */
int image_labels(const struct image_item *item, struct strv *ret, struct err *e);

#endif
