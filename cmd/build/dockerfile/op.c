/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/dockerfile/op.h"

#include <strings.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"

#define NAME_MAX_SHOWN 64

static const char *const names[DOCKERFILE_OPS] = {
	[DOCKERFILE_ADD] = "ADD",
	[DOCKERFILE_ARG] = "ARG",
	[DOCKERFILE_CMD] = "CMD",
	[DOCKERFILE_COPY] = "COPY",
	[DOCKERFILE_ENTRYPOINT] = "ENTRYPOINT",
	[DOCKERFILE_ENV] = "ENV",
	[DOCKERFILE_EXPOSE] = "EXPOSE",
	[DOCKERFILE_FROM] = "FROM",
	[DOCKERFILE_HEALTHCHECK] = "HEALTHCHECK",
	[DOCKERFILE_LABEL] = "LABEL",
	[DOCKERFILE_MAINTAINER] = "MAINTAINER",
	[DOCKERFILE_ONBUILD] = "ONBUILD",
	[DOCKERFILE_RUN] = "RUN",
	[DOCKERFILE_SHELL] = "SHELL",
	[DOCKERFILE_STOPSIGNAL] = "STOPSIGNAL",
	[DOCKERFILE_USER] = "USER",
	[DOCKERFILE_VOLUME] = "VOLUME",
	[DOCKERFILE_WORKDIR] = "WORKDIR",
};

const char *dockerfile_op_name(enum dockerfile_op op)
{
	return op < DOCKERFILE_OPS ? names[op] : "";
}

int op_find(const char *name, size_t len, enum dockerfile_op *ret, struct err *e)
{
	_free_ char *shown = NULL;

	for (unsigned op = 0; op < DOCKERFILE_OPS; op++) {
		if (strlen(names[op]) == len && !strncasecmp(names[op], name, len)) {
			*ret = (enum dockerfile_op)op;
			return 0;
		}
	}
	shown = strndup(name, len > NAME_MAX_SHOWN ? NAME_MAX_SHOWN : len);
	for (char *p = shown; p && *p; p++) {
		if (*p >= 'a' && *p <= 'z')
			*p = (char)(*p - 'a' + 'A');
	}
	return err_set(e, EINVAL, "unknown instruction: %s", shown ? shown : "");
}
