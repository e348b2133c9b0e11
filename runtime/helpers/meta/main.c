/* SPDX-License-Identifier: Apache-2.0 */

/*
 * csbx-meta: reads what a start needs to know of an image, confined like the server. A program of
 * its own, so that the server need not load a JSON parser and can be linked without libraries.
 */
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/num.h"
#include "runtime/helpers/meta/meta.h"

int main(int argc, char **argv)
{
	uint64_t fd;

	/* The caller may have it ignored; children must be waited for. */
	signal(SIGCHLD, SIG_DFL);
	if (argc == 2 && !strcmp(argv[1], "--version")) {
		printf("csbx-meta %s\n", CSBX_VERSION);
		return 0;
	}
	if (argc == 2 && num_parse_u64(argv[1], INT_MAX, &fd) >= 0)
		return meta_main((int)fd);
	fprintf(stderr, "csbx-meta: is started by csbx, not by hand\n");
	return 125;
}
