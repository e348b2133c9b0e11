/* SPDX-License-Identifier: Apache-2.0 */
/* Flags of run and create that csbx does not act on. */

#include <stddef.h>

#include "cmd/docker/frame/argv.h"
#include "cmd/docker/container/run_flags.h"
#include "runtime/base/err.h"

#define AT(member) offsetof(struct docker_run_args, member)

/* A boolean that is not set is as good as not given. */
static int set_flag(void *at, const char *value, struct err *e)
{
	int r = docker_parse_bool(value ? value : "true");

	if (r < 0)
		return err_set(e, EINVAL, "strconv.ParseBool: parsing \"%s\": invalid syntax",
			       value);
	*(const char **)at = r ? "" : NULL;
	return 0;
}

static const struct opt opts[] = {
#define X(id, name, type, kind, why) {OPT_STR, 0, name, type, AT(other[DOCKER_OTHER_##id])},
	DOCKER_OTHERS(X)
#undef X
#define X(id, name, kind, why) {OPT_MAYBE, 0, name, NULL, AT(other[DOCKER_OTHER_##id]), set_flag},
		DOCKER_OTHER_FLAGS(X)
#undef X
	/* The same by their letters. */
	{OPT_STR, 'c', "cpu-shares", "int", AT(other[DOCKER_OTHER_cpu_shares]),
	 .help = "CPU shares (relative weight): accepted; --cpus limits the time"},
	{OPT_MAYBE, 'P', "publish-all", NULL, AT(other[DOCKER_OTHER_publish_all]), set_flag,
	 .help = "Publish all exposed ports, under their own numbers"},
	{0},
};

const struct opt_table docker_other_table = {"Others", opts};
