/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_IMAGE_ARCHIVE_PIPE_H
#define CSBX_CMD_IMAGE_ARCHIVE_PIPE_H

/*
 * `csbx-image __archive stat|get|put|export|changes CONTAINER PATH`: the command that csbx-engine
 * starts for its endpoints of a container's files. On standard output comes one line of JSON: of
 * stat and get {"name", "size", "mode", "mtime_s", "mtime_ns", "linkTarget"}, and behind it, of
 * get, a tar; of put {} at the end, after the tar on standard input. export is get of all of it,
 * with PATH "/."; changes has {} and a list of {"Path", "Kind"}. A failure before that is
 * {"status", "message"}, in docker's words.
 */

int archive_pipe_main(int argc, char **argv);

#endif
