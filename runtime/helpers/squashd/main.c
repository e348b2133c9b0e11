/* SPDX-License-Identifier: Apache-2.0 */

/*
 * csbx-squashd: it and csbx-meta are the programs that read squashfs images. Started by csbx alone,
 * with descriptors instead of paths; every mode confines itself before it trusts a byte of an
 * image.
 *
 * Static where its libraries allow it: a first start waits for it, and it lies in bundles, whose
 * machine may have none of its libraries.
 */
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/num.h"
#include "runtime/helpers/squashd/serve.h"
#include "runtime/helpers/squashd/unpack.h"

static int fd_arg(const char *s)
{
	uint64_t v;

	return num_parse_u64(s, INT_MAX, &v) < 0 ? -1 : (int)v;
}

int main(int argc, char **argv)
{
	/* The caller may have it ignored; children must be waited for. */
	signal(SIGCHLD, SIG_DFL);
	if (argc == 2 && !strcmp(argv[1], "--serve"))
		return serve();
	if (argc == 4 && !strcmp(argv[1], "--unpack"))
		return unpack_main(fd_arg(argv[2]), fd_arg(argv[3]), false);
	if (argc == 4 && !strcmp(argv[1], "--unpack-above"))
		return unpack_main(fd_arg(argv[2]), fd_arg(argv[3]), true);
	if (argc == 2 && !strcmp(argv[1], "--version")) {
		printf("csbx-squashd %s\n", CSBX_VERSION);
		return 0;
	}
	fprintf(stderr, "csbx-squashd: is started by csbx, not by hand\n");
	return 125;
}
