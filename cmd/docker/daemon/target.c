/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/daemon/target.h"

#include "cmd/docker/frame/fault.h"
#include "cmd/docker/show/events.h"
#include "runtime/base/str.h"

int docker_target_missing(const char *operand, struct docker_fault *f)
{
	return docker_fault(f, DOCKER_NOT_FOUND, ENOENT, "No such container: %s", operand);
}

int docker_target_not_running(const struct docker_target *t, struct docker_fault *f)
{
	return docker_fault(f, DOCKER_CONFLICT, ESRCH, "container %s is not running",
			    docker_target_id(t));
}

/*
 * An instance whose container container_find() did not know: one of an image that csbx start runs;
 * or of a container that was removed, or made, between the two looks.
 */
static int find_instance(const struct paths *p, const char *operand, struct docker_target *ret,
			 struct err *e)
{
	int r = *operand ? instance_find(p, operand, &ret->instance, NULL) : -ENOENT;

	if (r < 0 || !ret->instance.name) {
		ret->has_instance = r >= 0;
		return r < 0 ? -ENOENT : 0;
	}
	instance_record_free(&ret->instance);
	r = container_find(p, operand, &ret->found, e);
	ret->stays = r >= 0 && ret->found.record.spec;
	return r;
}

int docker_target_open(const struct paths *p, const char *operand, struct docker_target *ret,
		       struct docker_fault *f)
{
	int r;

	operand += *operand == '/';
	*ret = (struct docker_target){0};
	r = container_find(p, operand, &ret->found, &f->err);
	if (r == -ENOTUNIQ)
		return docker_fault(f, DOCKER_BAD_REQUEST, ENOTUNIQ,
				    "multiple IDs found with provided prefix: %s", operand);
	if (r < 0 && r != -ENOENT)
		return r;
	ret->stays = r >= 0 && ret->found.record.spec;
	if (r == -ENOENT) {
		r = find_instance(p, operand, ret, &f->err);
		return r == -ENOENT ? docker_target_missing(operand, f) : r;
	}
	if (!ret->stays)
		ret->has_instance =
			*operand && instance_find(p, operand, &ret->instance, NULL) >= 0;
	return 0;
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

int docker_target_instance(const struct paths *p, struct docker_target *t, struct docker_fault *f)
{
	if (t->stays && instance_read(p, t->found.record.container_id, &t->instance, NULL) >= 0)
		t->has_instance = true;
	return t->has_instance ? 0 : docker_target_not_running(t, f);
}

void docker_event_target(const struct paths *p, const struct docker_target *t, const char *action,
			 const char *key, const char *value)
{
	if (t->stays)
		docker_event_of(p, t->found.name, &t->found.record, action, key, value);
}

void docker_event_renamed(const struct paths *p, const char *name,
			  const struct container_record *record, const char *action,
			  const char *key, const char *value)
{
	struct container_found now;
	int r = container_find_again(p, name, record->container_id, &now, NULL);

	docker_event_of(p, r < 0 ? name : now.name, record, action, key, value);
	if (r >= 0)
		container_record_free(&now.record);
}

void docker_event_target_more(const struct paths *p, const struct docker_target *t,
			      const char *action, const struct strv *more)
{
	if (t->stays)
		docker_event_more(p, t->found.name, &t->found.record, action, more);
}
