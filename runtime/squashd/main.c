/* SPDX-License-Identifier: Apache-2.0 */

/*
 * csbx-squashd: the one program that reads squashfs images. Started by csbx alone, with
 * descriptors instead of paths; every mode confines itself before it trusts a byte of an image.
 */
#include <stdio.h>
#include <string.h>

#include "runtime/squashd/serve.h"

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--serve"))
		return serve();
	fprintf(stderr, "csbx-squashd: is started by csbx, not by hand\n");
	return 125;
}
