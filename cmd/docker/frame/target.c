/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/frame/target.h"

#include "cmd/docker/frame/docker.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"

static int none(const char *operand, struct err *e)
{
	return err_set(e, ENOENT, "No such container: %s", operand);
}

int docker_target_open(const struct docker *d, const char *operand, struct docker_target *ret,
		       struct err *e)
{
	int r;

	operand += *operand == '/';
	*ret = (struct docker_target){0};
	r = container_find(&d->cmd.paths, operand, &ret->found, e);
	if (r == -ENOTUNIQ)
		return err_set(e, ENOTUNIQ, "multiple IDs found with provided prefix: %s", operand);
	if (r < 0 && r != -ENOENT)
		return r;
	ret->stays = r >= 0 && ret->found.record.spec;
	if (ret->stays)
		return 0;
	ret->has_instance =
		*operand && instance_find(&d->cmd.paths, operand, &ret->instance, NULL) >= 0;
	return r >= 0 || ret->has_instance ? 0 : none(operand, e);
}

void docker_target_close(struct docker_target *t)
{
	container_record_free(&t->found.record);
	if (t->has_instance)
		instance_record_free(&t->instance);
	t->has_instance = false;
}

const char *docker_target_id(const struct docker_target *t)
{
	if (t->found.record.container_id)
		return t->found.record.container_id;
	return t->has_instance ? t->instance.id : t->found.name;
}

int docker_target_instance(const struct docker *d, struct docker_target *t, struct err *e)
{
	if (t->stays &&
	    instance_read(&d->cmd.paths, t->found.record.container_id, &t->instance, NULL) >= 0)
		t->has_instance = true;
	if (!t->has_instance)
		return err_set(e, ESRCH, "container %s is not running", docker_target_id(t));
	return 0;
}

static int one(struct docker *d, const char *operand, docker_each_fn *fn, void *arg,
	       const char *missing)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct docker_target t;
	struct err e = ERR_INIT;
	int r = docker_target_open(d, operand, &t, &e);

	if (r >= 0) {
		r = fn(d, &t, operand, arg, &e);
		if (r == -ENOENT && strstr(e.msg, "no such container")) /* another was faster */
			none(operand, &e);
	} else if (missing) {
		err_wrap(&e, "%s: %s", missing, operand);
	}
	docker_target_close(&t);
	if (r < 0)
		return docker_daemon_error("%s", e.msg);
	strbuf_addf(&out, "%s\n", operand);
	return cmd_print(&out);
}

int docker_each(struct docker *d, int argc, char **argv, docker_each_fn *fn, void *arg,
		const char *missing)
{
	int code = 0;

	for (int i = 0; i < argc; i++)
		code = one(d, argv[i], fn, arg, missing) ? DOCKER_EXIT_FAILED : code;
	return code;
}
