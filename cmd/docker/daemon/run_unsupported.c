/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/daemon/run_args.h"
#include "cmd/docker/frame/fault.h"

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

int docker_run_check_others(const struct docker_run_args *a, struct docker_fault *f)
{
	for (int i = 0; i < DOCKER_OTHER_MAX; i++) {
		if (a->other[i] && others[i].kind == REFUSED)
			return docker_refuse_early(f, "--%s is not available in csbx: %s",
						   others[i].name, others[i].why);
	}
	return 0;
}

void docker_run_warn_others(const struct docker_run_args *a, struct strv *out)
{
	for (int i = 0; i < DOCKER_OTHER_MAX; i++) {
		if (a->other[i] && others[i].kind == WARNED)
			strv_take(out, str_printf("--%s is without effect in csbx: %s",
						  others[i].name, others[i].why));
	}
}
