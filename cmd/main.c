/* SPDX-License-Identifier: Apache-2.0 */

/*
 * csbx. The name it is called by chooses the command line's dialect, so that a symbolic link
 * makes it stand in for another program; csbx's own is the default.
 */

#include <string.h>

#include "cmd/cmd.h"
#include "cmd/verbs.h"
#include "runtime/base/str.h"

static int csbx_main(int argc, char **argv)
{
	static const struct verb *const verbs[] = {
		&verb_create, &verb_exec,    &verb_gc,     &verb_info, &verb_kill,
		&verb_list,   &verb_logs,    &verb_remove, &verb_run,  &verb_start,
		&verb_stop,   &verb_version, &verb_wait,   NULL,
	};

	return cmd_main(PROGRAM_CSBX, verbs, argc, argv);
}

static const struct {
	const char *name;
	int (*main)(int argc, char **argv);
} personalities[] = {
	{"csbx", csbx_main},
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int main(int argc, char **argv)
{
	const char *name = argc ? base_name(argv[0]) : "csbx";

	for (size_t i = 0; i < sizeof(personalities) / sizeof(personalities[0]); i++) {
		if (str_eq(personalities[i].name, name))
			return personalities[i].main(argc, argv);
	}
	return csbx_main(argc, argv);
}
