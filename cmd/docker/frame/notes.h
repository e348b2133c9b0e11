/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_NOTES_H
#define CSBX_CMD_DOCKER_NOTES_H

/*
 * The notes that a container's record keeps for inspect, ps and port besides its specification:
 * words of `docker run` as they were given, "key=value" in container_record.notes. Only restart=
 * changes how the container runs. A key may repeat.
 *
 *	publish=[IP:][HOST]:PORT[/PROTO]	--publish, one a note
 *	expose=PORT/PROTO			--expose
 *	publish-all=1				--publish-all; its ports are publish notes too
 *	bind=SRC:DST[:MODES]			--volume
 *	mount=KEY=VALUE,...			--mount
 *	volumes-from=CONTAINER[:MODES]		--volumes-from
 *	entrypoint=WORD				--entrypoint; "" cleared the image's
 *	attach=STREAM				--attach, of those that a client asked for
 *	network=NAME	restart=POLICY	user=USER[:GROUP]	workdir=DIR	hostname=NAME
 *	cap-add=NAME	cap-drop=NAME	security-opt=WORD	tmpfs=DIR[:OPTIONS]
 *	add-host=NAME:IP	dns=IP	group-add=NAME	ulimit=NAME=SOFT[:HARD]
 *	memory-swap=BYTES	init=1	privileged=1	log-driver=NAME
 *	env=NAME=VALUE		--env of a variable that is set without being asked for
 */

#include <stddef.h>

struct strv;

void notes_add(struct strv *notes, const char *key, const char *value); /* NULL adds nothing */
void notes_add_all(struct strv *notes, const char *key, const struct strv *values);

/* The nth value of a key, NULL behind the last. */
const char *notes_get(const struct strv *notes, const char *key, size_t nth);
/* The notes of a key, as notes. */
void notes_copy(struct strv *ret, const char *key, const struct strv *notes);
/* All values of a key. */
void notes_get_all(const struct strv *notes, const char *key, struct strv *ret);

#endif
