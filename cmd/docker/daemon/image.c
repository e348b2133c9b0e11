/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/daemon/image.h"

#include <stdlib.h>

#include "cmd/docker/frame/fault.h"
#include "cmd/options/image_find.h"
#include "image/table/table.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

void docker_image_free(struct docker_image *i)
{
	free(i->path);
	free(i->id);
	free(i->ref);
	*i = (struct docker_image){0};
}

bool docker_image_is_path(const char *operand)
{
	return *operand == '/' || str_has_prefix(operand, "./") || str_has_prefix(operand, "../") ||
	       str_has_suffix(operand, ".sqsh");
}

int docker_image_full_name(const char *operand, char **ret, struct docker_fault *f)
{
	_image_name_ struct image_name name = {0};
	_free_ char *canonical = NULL;

	if (image_name_parse(operand, &name, &f->err) < 0)
		return docker_refuse_early(f, "%s", f->err.msg);
	canonical = image_name_canonical(&name);
	*ret = canonical ? strdup(image_name_familiar(canonical)) : NULL;
	return *ret ? 0 : err_oom(&f->err);
}

static int no_such(const char *operand, struct docker_fault *f)
{
	_free_ char *name = NULL;
	int r = docker_image_full_name(operand, &name, f);

	if (r < 0)
		return r;
	return err_from(ERR_NO_IMAGE, &f->err,
			docker_fault(f, DOCKER_NOT_FOUND, ENOENT, "No such image: %s", name));
}

static int from_table(const struct paths *p, const char *operand, struct docker_image *ret,
		      struct docker_fault *f)
{
	_image_entry_ struct image_entry entry = {0};
	int r = image_find(p, operand, &entry, &ret->path, &f->err);

	if (r >= 0) {
		ret->id = strdup(entry.id);
		return ret->id ? 0 : err_oom(&f->err);
	}
	if (r == -ENOTUNIQ)
		return docker_fault_is(f, DOCKER_BAD_REQUEST, r);
	/* A text that is no name is looked at once more, for docker's words. */
	return r == -ENOENT || r == -EINVAL ? no_such(operand, f) : r;
}

int docker_image_find(const struct paths *p, const char *operand, struct docker_image *ret,
		      struct docker_fault *f)
{
	int r = 0;

	*ret = (struct docker_image){.ref = strdup(operand)};
	if (ret->ref && docker_image_is_path(operand))
		ret->path = strdup(operand);
	else if (ret->ref)
		r = from_table(p, operand, ret, f);
	if (r >= 0 && (!ret->ref || !ret->path))
		r = err_oom(&f->err);
	return r;
}
