/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_IMAGE_PIPE_H
#define CSBX_CMD_DOCKER_IMAGE_PIPE_H

/*
 * `csbx-image __images VERB REQUEST`: the command that csbx-engine starts for the endpoints of
 * images that read or write archives, or ask a registry. REQUEST is JSON, bodies come on standard
 * input. On standard output comes one line, {"status", "message"} where nothing can be done, else
 * {}; behind it what the client gets: lines of JSON, of save an archive. VERB:
 *
 *	pull {"image", "tag", "platform"}, load {"platform"}, save {"names"},
 *	import {"repo", "tag", "message", "platform", "changes"},
 *	commit {"container", "repo", "tag", "comment", "author", "pause", "changes", "config"},
 *	auth {}, distribution {"name"}
 *
 * What is secret is not in the words: CSBX_ENGINE_SECRET has the header X-Registry-Auth, or of auth
 * its body. It is taken out of the environment first of all.
 */

int image_pipe_main(int argc, char **argv);

#endif
