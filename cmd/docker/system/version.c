/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <sys/utsname.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/show/format.h"
#include "cmd/docker/system/here.h"
#include "cmd/docker/system/version_value.h"
#include "cmd/docker/show/value.h"
#include "cmd/docker/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"

struct version_args {
	const char *format;
};

static const struct opt version_opts[] = {
	{OPT_STR, 'f', "format", "string", offsetof(struct version_args, format),
	 .help = "Format output using a custom template"},
	{0},
};
static const struct opt_table version_table = {"Options", version_opts};

#define CLIENT                                                  \
	"Client:\n"                                             \
	" Version:           {{.Client.Version}}\n"             \
	" API version:       {{.Client.APIVersion}}\n"          \
	" Git commit:        {{.Client.GitCommit}}\n"           \
	" OS/Arch:           {{.Client.Os}}/{{.Client.Arch}}\n" \
	" Context:           {{.Client.Context}}\n"
#define SERVER                                                                                     \
	"\nServer:\n"                                                                              \
	" Engine:\n"                                                                               \
	"  Version:          {{.Server.Version}}\n"                                                \
	"  API version:      {{.Server.APIVersion}} (minimum version {{.Server.MinAPIVersion}})\n" \
	"  OS/Arch:          {{.Server.Os}}/{{.Server.Arch}}\n"                                    \
	"  Experimental:     {{.Server.Experimental}}\n"                                           \
	" csbx:\n"                                                                                 \
	"  Version:          " CSBX_VERSION

static void add_client(struct value *root)
{
	struct value *v = value_add(root, "Client", VALUE_STRUCT);

	if (v)
		v->type = "system.clientVersion";
	value_str(v, "Version", DOCKER_VERSION);
	value_in_go(value_str(v, "ApiVersion", DOCKER_API_VERSION), "APIVersion");
	value_str(v, "DefaultAPIVersion", DOCKER_API_VERSION);
	value_str(v, "GitCommit", "csbx");
	value_str(v, "GoVersion", "none");
	value_str(v, "Os", "linux");
	value_str(v, "Arch", here_go_arch());
	value_str(v, "BuildTime", "");
	value_str(v, "Context", "default");
}

static void add_engine(struct value *components, const char *kernel)
{
	struct value *v = value_add(components, NULL, VALUE_STRUCT), *details;

	value_str(v, "Name", "Engine");
	value_str(v, "Version", DOCKER_VERSION);
	details = value_add(v, "Details", VALUE_MAP);
	value_str(details, "ApiVersion", DOCKER_API_VERSION);
	value_str(details, "Arch", here_go_arch());
	value_str(details, "BuildTime", "");
	value_str(details, "Experimental", "false");
	value_str(details, "GitCommit", "csbx");
	value_str(details, "GoVersion", "none");
	value_str(details, "KernelVersion", kernel);
	value_str(details, "MinAPIVersion", DOCKER_API_VERSION_MIN);
	value_str(details, "Os", "linux");
}

void version_add_server(struct value *v)
{
	struct value *components;
	struct utsname u;

	uname(&u);
	if (v)
		v->type = "*types.Version";
	value_str(value_add(v, "Platform", VALUE_STRUCT), "Name", "csbx " CSBX_VERSION);
	components = value_add(v, "Components", VALUE_LIST);
	add_engine(components, u.release);
	value_str(v, "Version", DOCKER_VERSION);
	value_in_go(value_str(v, "ApiVersion", DOCKER_API_VERSION), "APIVersion");
	value_str(v, "MinAPIVersion", DOCKER_API_VERSION_MIN);
	value_str(v, "GitCommit", "csbx");
	value_str(v, "GoVersion", "none");
	value_str(v, "Os", "linux");
	value_str(v, "Arch", here_go_arch());
	value_str(v, "KernelVersion", u.release);
	value_str(v, "BuildTime", "");
	value_bool(v, "Experimental", false);
}

/* As docker without a daemon: what there is of the client, then the reason. */
static int version_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct version_args *a = args;
	const char *format = a->format && *a->format ? a->format : NULL;
	_strbuf_ struct strbuf out = STRBUF_INIT, reason = STRBUF_INIT;
	_value_ struct value *root = value_new(VALUE_STRUCT);
	struct err e = ERR_INIT;
	int code = here_check(d, &reason), r;

	(void)argc, (void)argv;
	if (root)
		root->type = "system.versionInfo";
	add_client(root);
	if (code)
		value_add(root, "Server", VALUE_NIL);
	else
		version_add_server(value_add(root, "Server", VALUE_STRUCT));
	r = value_check(root, &e);
	if (r >= 0)
		r = format_object("version",
				  format ? format
				  : code ? CLIENT
					 : CLIENT SERVER,
				  root, &out, &e);
	if (cmd_print(&out) != CMD_EXIT_OK)
		return DOCKER_EXIT_FAILED;
	if (r)
		return docker_say(r > 0 ? r : DOCKER_EXIT_FAILED, "%s", e.msg);
	return code ? docker_say(code, "%s", strbuf_str(&reason)) : 0;
}

const struct docker_verb docker_verb_version = {
	.name = "version",
	.usage = "[OPTIONS]",
	.uses = (const struct opt_use[]){{&version_table, 0}, {0}},
	.max_operands = 0,
	.args_bytes = sizeof(struct version_args),
	.run = version_run,
};
