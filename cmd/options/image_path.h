/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_IMAGE_PATH_H
#define CSBX_CMD_IMAGE_PATH_H

struct cmd;
struct err;

/*
 * Looks for "NAME.sqsh", or NAME with that suffix, in the directories of CSBX_IMAGE_PATH (a list
 * with ":" between, as PATH): images that a site offers to all. *ret: the first such file, caller
 * frees; NULL when there is none or the operand has a slash. An entry that is not absolute is an
 * error: it would mean another file in every directory.
 */
int image_path_find(const struct cmd *c, const char *operand, char **ret, struct err *e);

#endif
