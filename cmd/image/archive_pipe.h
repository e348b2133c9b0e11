/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_IMAGE_ARCHIVE_PIPE_H
#define CSBX_CMD_IMAGE_ARCHIVE_PIPE_H

/*
 * `csbx-image __archive stat|get|put CONTAINER PATH`: what csbx-engine asks for its archive
 * endpoints. On standard output comes one line of JSON: of stat and get {"name", "size", "mode",
 * "mtime_s", "mtime_ns", "linkTarget"}, and behind it, of get, a tar; of put {} at the end, after
 * the tar on standard input. Of a failure before: {"status", "message"}, in docker's words.
 */

int archive_pipe_main(int argc, char **argv);

#endif
