/* SPDX-License-Identifier: Apache-2.0 */

/*
 * csbx-squashd as it lies in a bundle: static, since the machine it comes to may have none of its
 * libraries, and without the mode that reads an image's configuration, which the bundle has.
 */
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/num.h"
#include "runtime/squashd/serve.h"
#include "runtime/squashd/unpack.h"

static int fd_arg(const char *s)
{
	uint64_t v;

	return num_parse_u64(s, INT_MAX, &v) < 0 ? -1 : (int)v;
}

int main(int argc, char **argv)
{
	/* Whoever ignores it in us, children must be waited for. */
	signal(SIGCHLD, SIG_DFL);
	if (argc == 2 && !strcmp(argv[1], "--serve"))
		return serve();
	if (argc == 4 && !strcmp(argv[1], "--unpack"))
		return unpack_main(fd_arg(argv[2]), fd_arg(argv[3]));
	fprintf(stderr, "csbx-squashd: is started by csbx, not by hand\n");
	return 125;
}
