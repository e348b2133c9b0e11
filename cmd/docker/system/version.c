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

static void add_client(struct docker_value *root)
{
	struct docker_value *v = docker_value_add(root, "Client", DOCKER_VALUE_STRUCT);

	if (v)
		v->type = "system.clientVersion";
	docker_value_str(v, "Version", DOCKER_VERSION);
	docker_value_in_go(docker_value_str(v, "ApiVersion", DOCKER_API_VERSION), "APIVersion");
	docker_value_str(v, "DefaultAPIVersion", DOCKER_API_VERSION);
	docker_value_str(v, "GitCommit", "csbx");
	docker_value_str(v, "GoVersion", "none");
	docker_value_str(v, "Os", "linux");
	docker_value_str(v, "Arch", here_go_arch());
	docker_value_str(v, "BuildTime", "");
	docker_value_str(v, "Context", "default");
}

static void add_engine(struct docker_value *components, const char *kernel)
{
	struct docker_value *v = docker_value_add(components, NULL, DOCKER_VALUE_STRUCT), *details;

	docker_value_str(v, "Name", "Engine");
	docker_value_str(v, "Version", DOCKER_VERSION);
	details = docker_value_add(v, "Details", DOCKER_VALUE_MAP);
	docker_value_str(details, "ApiVersion", DOCKER_API_VERSION);
	docker_value_str(details, "Arch", here_go_arch());
	docker_value_str(details, "BuildTime", "");
	docker_value_str(details, "Experimental", "false");
	docker_value_str(details, "GitCommit", "csbx");
	docker_value_str(details, "GoVersion", "none");
	docker_value_str(details, "KernelVersion", kernel);
	docker_value_str(details, "MinAPIVersion", DOCKER_API_VERSION_MIN);
	docker_value_str(details, "Os", "linux");
}

void version_add_server(struct docker_value *v)
{
	struct docker_value *components;
	struct utsname u;

	uname(&u);
	if (v)
		v->type = "*types.Version";
	docker_value_str(docker_value_add(v, "Platform", DOCKER_VALUE_STRUCT), "Name",
			 "csbx " CSBX_VERSION);
	components = docker_value_add(v, "Components", DOCKER_VALUE_LIST);
	add_engine(components, u.release);
	docker_value_str(v, "Version", DOCKER_VERSION);
	docker_value_in_go(docker_value_str(v, "ApiVersion", DOCKER_API_VERSION), "APIVersion");
	docker_value_str(v, "MinAPIVersion", DOCKER_API_VERSION_MIN);
	docker_value_str(v, "GitCommit", "csbx");
	docker_value_str(v, "GoVersion", "none");
	docker_value_str(v, "Os", "linux");
	docker_value_str(v, "Arch", here_go_arch());
	docker_value_str(v, "KernelVersion", u.release);
	docker_value_str(v, "BuildTime", "");
	docker_value_bool(v, "Experimental", false);
}

/* As docker without a daemon: the client's part, then the reason. */
static int version_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct version_args *a = args;
	const char *format = a->format && *a->format ? a->format : NULL;
	_strbuf_ struct strbuf out = STRBUF_INIT, reason = STRBUF_INIT;
	_docker_value_ struct docker_value *root = docker_value_new(DOCKER_VALUE_STRUCT);
	struct err e = ERR_INIT;
	int code = here_check(d, &reason), r;

	(void)argc, (void)argv;
	if (root)
		root->type = "system.versionInfo";
	add_client(root);
	if (code)
		docker_value_add(root, "Server", DOCKER_VALUE_NIL);
	else
		version_add_server(docker_value_add(root, "Server", DOCKER_VALUE_STRUCT));
	r = docker_value_check(root, &e);
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
