/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/dockerfile/flags.h"

#include <stdbool.h>
#include <strings.h>

#include "cmd/build/dockerfile/dockerfile.h"
#include "runtime/base/err.h"

struct flag {
	enum dockerfile_op op;
	const char *name;
	enum { ONE, MANY, TRUTH } kind;
};

static const struct flag flags[] = {
	{DOCKERFILE_ADD, "chmod", ONE},
	{DOCKERFILE_ADD, "chown", ONE},
	{DOCKERFILE_ADD, "checksum", ONE},
	{DOCKERFILE_ADD, "exclude", MANY},
	{DOCKERFILE_ADD, "keep-git-dir", TRUTH},
	{DOCKERFILE_ADD, "link", TRUTH},
	{DOCKERFILE_ADD, "unpack", TRUTH},
	{DOCKERFILE_COPY, "chmod", ONE},
	{DOCKERFILE_COPY, "chown", ONE},
	{DOCKERFILE_COPY, "exclude", MANY},
	{DOCKERFILE_COPY, "from", ONE},
	{DOCKERFILE_COPY, "link", TRUTH},
	{DOCKERFILE_COPY, "parents", TRUTH},
	{DOCKERFILE_FROM, "platform", ONE},
	{DOCKERFILE_HEALTHCHECK, "interval", ONE},
	{DOCKERFILE_HEALTHCHECK, "retries", ONE},
	{DOCKERFILE_HEALTHCHECK, "start-interval", ONE},
	{DOCKERFILE_HEALTHCHECK, "start-period", ONE},
	{DOCKERFILE_HEALTHCHECK, "timeout", ONE},
	{DOCKERFILE_RUN, "device", MANY},
	{DOCKERFILE_RUN, "mount", MANY},
	{DOCKERFILE_RUN, "network", ONE},
	{DOCKERFILE_RUN, "security", ONE},
};

static const struct flag *find(enum dockerfile_op op, const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (flags[i].op == op && strlen(flags[i].name) == len &&
		    !strncmp(flags[i].name, name, len))
			return &flags[i];
	}
	return NULL;
}

static bool is_truth(const char *value)
{
	return !strcasecmp(value, "true") || !strcasecmp(value, "false");
}

int flags_check(const struct instruction *i, struct err *e)
{
	bool seen[sizeof(flags) / sizeof(flags[0])] = {false};

	for (size_t n = 0; n < i->flags.n; n++) {
		const char *name = i->flags.items[n] + 2;
		size_t len = strcspn(name, "=");
		const struct flag *f = find(i->op, name, len);
		int shown = (int)(len > 100 ? 100 : len);

		if (!f)
			return err_set(e, EINVAL, "unknown flag: --%.*s", shown, name);
		if (seen[f - flags] && f->kind != MANY)
			return err_set(e, EINVAL, "duplicate flag specified: --%.*s", shown, name);
		seen[f - flags] = true;
		if (f->kind == TRUTH) {
			if (name[len] && !is_truth(name + len + 1))
				return err_set(e, EINVAL,
					       "expecting boolean value for flag --%s, not: %.100s",
					       f->name, name + len + 1);
		} else if (!name[len]) {
			return err_set(e, EINVAL, "missing a value on flag: --%s", f->name);
		}
	}
	return 0;
}

const char *instruction_flag(const struct instruction *i, const char *name)
{
	size_t len = strlen(name);

	for (size_t n = 0; n < i->flags.n; n++) {
		const char *flag = i->flags.items[n] + 2;

		if (!strncmp(flag, name, len) && (!flag[len] || flag[len] == '='))
			return flag[len] ? flag + len + 1 : "";
	}
	return NULL;
}
