/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "cmd/docker/frame/argv.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/container/run_args.h"
#include "runtime/base/err.h"

#define AT(member) offsetof(struct docker_run_args, member)

enum other_kind { PASSED, WARNED, REFUSED };

static const struct {
	const char *name;
	enum other_kind kind;
	const char *why;
} others[DOCKER_OTHER_MAX] = {
#define X(id, name, type, kind, why) [DOCKER_OTHER_##id] = {name, kind, why},
	DOCKER_OTHERS(X)
#undef X
#define X(id, name, kind, why) [DOCKER_OTHER_##id] = {name, kind, why},
		DOCKER_OTHER_FLAGS(X)
#undef X
};

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
			{0},
};

const struct opt_table docker_other_table = {"Others", opts};

int docker_run_check_others(const struct docker *d, const struct docker_run_args *a)
{
	for (int i = 0; i < DOCKER_OTHER_MAX; i++) {
		if (a->other[i] && others[i].kind == REFUSED)
			return docker_fail(d, "--%s is not available in csbx: %s", others[i].name,
					   others[i].why);
	}
	for (int i = 0; i < DOCKER_OTHER_MAX; i++) {
		if (a->other[i] && others[i].kind == WARNED)
			(void)docker_say(0, "WARNING: --%s is without effect in csbx: %s",
					 others[i].name, others[i].why);
	}
	return 0;
}
