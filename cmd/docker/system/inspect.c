/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/image/image_value.h"
#include "cmd/docker/show/inspect_out.h"
#include "cmd/docker/container/inspect_container.h"
#include "cmd/docker/system/inspect_others.h"
#include "cmd/docker/show/value.h"
#include "cmd/docker/frame/verbs.h"
#include "runtime/base/err.h"

struct inspect_args {
	const char *format, *type;
	bool size;
};

#define AT(member) offsetof(struct inspect_args, member)

static const struct opt inspect_opts[] = {
	{OPT_STR, 'f', "format", "string", AT(format),
	 .help = "Format output using a custom template"},
	{OPT_FLAG, 's', "size", NULL, AT(size),
	 .help = "Display total file sizes if the type is container"},
	{0},
};
static const struct opt_table inspect_table = {"Options", inspect_opts};
static const struct opt type_opts[] = {
	{OPT_STR, 0, "type", "string", AT(type), .help = "Only inspect objects of the given type"},
	{0},
};
static const struct opt_table type_table = {"Options", type_opts};

struct kind {
	const char *name;
	/* -ENOENT: none of that name, and why is what docker says of a kind that was asked for. */
	int (*inspect)(const struct paths *p, const char *operand, bool size,
		       struct docker_value **ret, struct err *e);
};

/* In the order in which docker tries them. */
static const struct kind kinds[] = {
	{"container", inspect_container},
	{"image", inspect_image},
	{"network", inspect_network_by_name},
	{"volume", inspect_volume},
	{0},
};

static int find(const struct docker *d, const struct inspect_args *a, const char *type,
		const char *operand, struct docker_value **ret, struct err *e)
{
	int r = -ENOENT;

	for (const struct kind *k = kinds; k->name && r == -ENOENT; k++) {
		if (!type || str_eq(type, k->name))
			r = k->inspect(&d->cmd.paths, operand, a->size, ret, e);
	}
	return r;
}

static int check_type(const char *type)
{
	static const char *const known[] = {"config", "container", "image",   "network", "node",
					    "plugin", "secret",    "service", "task",    "volume"};

	for (size_t i = 0; type && i < sizeof(known) / sizeof(known[0]); i++) {
		if (str_eq(type, known[i]))
			return 0;
	}
	if (!type)
		return 0;
	return docker_say(
		DOCKER_EXIT_FAILED,
		"unknown type: \"%s\": must be one of \"config\", \"container\", \"image\", "
		"\"network\", \"node\", \"plugin\", \"secret\", \"service\", \"task\", "
		"\"volume\"",
		type);
}

static int inspect_all(struct docker *d, const struct inspect_args *a, const char *type, int argc,
		       char **argv)
{
	struct inspect_out out = {.format = a->format};
	int code = inspect_out_check(&out);

	if (code)
		return code;
	for (int i = 0; i < argc; i++) {
		_docker_value_ struct docker_value *v = NULL;
		struct err e = ERR_INIT;
		int r = find(d, a, type, argv[i], &v, &e);

		if (r >= 0)
			inspect_out_add(&out, v);
		else if (r == -ENOENT && !type)
			inspect_out_error(&out, "Error: No such object: %s", argv[i]);
		else
			inspect_out_error(&out, "Error response from daemon: %s", e.msg);
	}
	return inspect_out_end(&out);
}

static int inspect_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct inspect_args *a = args;
	const char *type = a->type && *a->type ? a->type : NULL;
	int code = check_type(type);

	return code ? code : inspect_all(d, a, type, argc, argv);
}

static int container_inspect_run(struct docker *d, void *args, int argc, char **argv)
{
	return inspect_all(d, args, "container", argc, argv);
}

static int network_inspect_run(struct docker *d, void *args, int argc, char **argv)
{
	return inspect_all(d, args, "network", argc, argv);
}

static int volume_inspect_run(struct docker *d, void *args, int argc, char **argv)
{
	return inspect_all(d, args, "volume", argc, argv);
}

#define INSPECT(verb, words, operands, fn, ...)                                        \
	const struct docker_verb verb = {                                              \
		.name = words,                                                         \
		.usage = "[OPTIONS] " operands " [" operands "...]",                   \
		.uses = (const struct opt_use[]){{&inspect_table, 0}, __VA_ARGS__{0}}, \
		.min_operands = 1,                                                     \
		.max_operands = CMD_MANY,                                              \
		.args_bytes = sizeof(struct inspect_args),                             \
		.run = fn,                                                             \
	}

INSPECT(docker_verb_inspect, "inspect", "NAME|ID", inspect_run, {&type_table, 0}, );
INSPECT(docker_verb_container_inspect, "container inspect", "CONTAINER", container_inspect_run);
INSPECT(docker_verb_network_inspect, "network inspect", "NETWORK", network_inspect_run);
INSPECT(docker_verb_volume_inspect, "volume inspect", "VOLUME", volume_inspect_run);
