/* SPDX-License-Identifier: Apache-2.0 */

/* POST /containers/?/update: limits and policy, by usage/update.h. */

#include <stdlib.h>

#include "cmd/docker/daemon/run_args.h"
#include "cmd/docker/daemon/target.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/show/value.h"
#include "cmd/docker/usage/update.h"
#include "cmd/engine/call/call.h"
#include "cmd/frame/cmd.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/json.h"

/* The texts that the arguments point to. */
struct texts {
	char *cpus, *restart;
};

static int read_size(const struct json *body, const char *key, uint64_t *ret, struct err *e)
{
	int64_t v = 0;
	int r = call_get_int(body, key, &v, e);

	if (r >= 0 && v < 0)
		return err_set(e, EINVAL, "invalid value for %s: %lld", key, (long long)v);
	if (r >= 0)
		*ret = (uint64_t)v;
	return r;
}

static int read_restart(const struct json *body, struct docker_run_args *a, struct texts *t,
			struct err *e)
{
	const struct json *policy;
	const char *name = "";
	int64_t most = 0;
	int r = call_get_object(body, "RestartPolicy", &policy, e);

	if (r < 0 || (r = call_get_str(policy, "Name", &name, e)) < 0 ||
	    (r = call_get_int(policy, "MaximumRetryCount", &most, e)) < 0)
		return r;
	if (!*name)
		return 0;
	t->restart = most ? str_printf("%s:%lld", name, (long long)most) : strdup(name);
	a->restart = t->restart;
	return t->restart ? 0 : err_oom(e);
}

/* Reads the members that csbx does not act on, in the words of the command line's flags. */
static int read_others(const struct json *body, struct docker_run_args *a, struct err *e)
{
	static const struct {
		const char *key;
		enum docker_other other;
	} numbers[] = {{"CpuShares", DOCKER_OTHER_cpu_shares},
		       {"BlkioWeight", DOCKER_OTHER_blkio_weight}},
	  texts[] = {{"CpusetCpus", DOCKER_OTHER_cpuset_cpus},
		     {"CpusetMems", DOCKER_OTHER_cpuset_mems}};
	int r = 0;

	for (size_t i = 0; r >= 0 && i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		int64_t v = 0;

		r = call_get_int(body, numbers[i].key, &v, e);
		if (v)
			a->other[numbers[i].other] = "";
	}
	for (size_t i = 0; r >= 0 && i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *v = "";

		r = call_get_str(body, texts[i].key, &v, e);
		if (*v)
			a->other[texts[i].other] = v;
	}
	return r;
}

static int read_update(const struct json *body, struct docker_run_args *a, struct texts *t,
		       struct err *e)
{
	uint64_t nano = 0;
	int r;

	if ((r = read_size(body, "Memory", &a->memory_bytes, e)) < 0 ||
	    (r = read_size(body, "MemoryReservation", &a->memory_reservation_bytes, e)) < 0 ||
	    (r = call_get_int(body, "MemorySwap", &a->memory_swap_bytes, e)) < 0 ||
	    (r = read_size(body, "CpuPeriod", &a->cpu_period, e)) < 0 ||
	    (r = read_size(body, "CpuQuota", &a->cpu_quota, e)) < 0 ||
	    (r = read_size(body, "NanoCpus", &nano, e)) < 0 ||
	    (r = call_get_int(body, "PidsLimit", &a->pids, e)) < 0 ||
	    (r = read_restart(body, a, t, e)) < 0 || (r = read_others(body, a, e)) < 0)
		return r;
	if (nano)
		a->cpus = t->cpus =
			str_printf("%llu.%03llu", (unsigned long long)(nano / 1000000000u),
				   (unsigned long long)(nano / 1000000u % 1000u));
	return nano && !t->cpus ? err_oom(e) : 0;
}

void call_container_update(struct call *k)
{
	_strv_ struct strv warnings = STRV_INIT;
	struct docker_fault f = DOCKER_FAULT_INIT;
	_json_ struct json *body = NULL;
	struct docker_run_args a;
	struct texts texts = {0};
	struct docker_target t;
	int r;

	if (call_read_json(k, &body) < 0)
		return;
	docker_run_args_init(&a);
	r = docker_target_open(&k->cmd->paths, k->item, &t, &f);
	if (r >= 0)
		r = read_update(body, &a, &texts, &f.err);
	if (r >= 0)
		r = docker_update(&k->cmd->paths, &t, &a, &warnings, &f);
	if (r < 0) {
		call_reply_fault(k, &f);
	} else {
		struct docker_value *v = docker_value_new(DOCKER_VALUE_STRUCT);

		docker_value_strv(v, "Warnings", &warnings, DOCKER_VALUE_NOLIST);
		call_reply_value(k, 200, v);
	}
	docker_target_close(&t);
	docker_run_args_done(&a);
	free(texts.cpus);
	free(texts.restart);
}
