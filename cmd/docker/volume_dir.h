/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_VOLUME_DIR_H
#define CSBX_CMD_DOCKER_VOLUME_DIR_H

struct err;
struct paths;

/*
 * The directory of a volume, $CSBX_DATA_PATH/volumes/NAME/_data, made when it is missing; caller
 * frees. A NULL name makes an anonymous one: *ret_name is its name, 64 hexadecimal digits.
 */
int docker_volume_dir(const struct paths *p, const char *name, char **ret_name, char **ret_path,
		      struct err *e);

#endif
