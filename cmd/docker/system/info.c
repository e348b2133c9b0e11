/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/show/format.h"
#include "cmd/docker/system/here.h"
#include "cmd/docker/system/info_value.h"
#include "cmd/docker/show/value.h"
#include "cmd/docker/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"

struct info_args {
	const char *format;
};

static const struct opt info_opts[] = {
	{OPT_STR, 'f', "format", "string", offsetof(struct info_args, format),
	 .help = "Format output using a custom template"},
	{0},
};
static const struct opt_table info_table = {"Options", info_opts};

#define CLIENT                                   \
	"Client:\n"                              \
	" Version:    {{.ClientInfo.Version}}\n" \
	" Context:    default\n"                 \
	" Debug Mode: false\n\n"                 \
	"Server:"
#define SERVER                                                           \
	"\n"                                                             \
	" Containers: {{.Containers}}\n"                                 \
	"  Running: {{.ContainersRunning}}\n"                            \
	"  Paused: {{.ContainersPaused}}\n"                              \
	"  Stopped: {{.ContainersStopped}}\n"                            \
	" Images: {{.Images}}\n"                                         \
	" Server Version: {{.ServerVersion}}\n"                          \
	" Storage Driver: {{.Driver}}\n"                                 \
	"{{range .DriverStatus}}  {{index . 0}}: {{index . 1}}\n{{end}}" \
	" Logging Driver: {{.LoggingDriver}}\n"                          \
	" Cgroup Driver: {{.CgroupDriver}}\n"                            \
	" Cgroup Version: {{.CgroupVersion}}\n"                          \
	" Plugins:\n"                                                    \
	"  Volume:{{range .Plugins.Volume}} {{.}}{{end}}\n"              \
	"  Network:{{range .Plugins.Network}} {{.}}{{end}}\n"            \
	"  Log:{{range .Plugins.Log}} {{.}}{{end}}\n"                    \
	" Swarm: {{.Swarm.LocalNodeState}}\n"                            \
	" Runtimes:{{range $n, $r := .Runtimes}} {{$n}}{{end}}\n"        \
	" Default Runtime: {{.DefaultRuntime}}\n"                        \
	" Init Binary: {{.InitBinary}}\n"                                \
	" Security Options:\n{{range .SecurityOptions}}  {{.}}\n{{end}}" \
	" Kernel Version: {{.KernelVersion}}\n"                          \
	" Operating System: {{.OperatingSystem}}\n"                      \
	" OSType: {{.OSType}}\n"                                         \
	" Architecture: {{.Architecture}}\n"                             \
	" CPUs: {{.NCPU}}\n"                                             \
	" Total Memory: {{.MemTotalText}}\n"                             \
	" Name: {{.Name}}\n"                                             \
	" ID: {{.ID}}\n"                                                 \
	" Docker Root Dir: {{.DockerRootDir}}\n"                         \
	" Debug Mode: false\n"                                           \
	" Experimental: false\n"                                         \
	" Insecure Registries:\n  127.0.0.0/8\n"                         \
	" Live Restore Enabled: true\n"

/* Warnings of the daemon go to stderr, behind what was asked for, as docker prints them. */
static void say_warnings(const struct docker_value *root)
{
	const struct docker_value *list = docker_value_find(root, "Warnings");

	for (const struct docker_value *w = list ? list->first : NULL; w; w = w->next)
		docker_say(0, "%s", w->text);
}

static int info_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct info_args *a = args;
	bool formatted = a->format && *a->format;
	_strbuf_ struct strbuf out = STRBUF_INIT, reason = STRBUF_INIT;
	_docker_value_ struct docker_value *root = NULL;
	struct err e = ERR_INIT;
	int code = here_check(d, &reason), r;

	(void)argc, (void)argv;
	r = info_value(&d->cmd.paths, !code, &root, &e);
	if (r >= 0)
		r = format_object("",
				  formatted ? a->format
				  : code    ? CLIENT
					    : CLIENT SERVER,
				  root, &out, &e);
	if (cmd_print(&out) != CMD_EXIT_OK)
		return DOCKER_EXIT_FAILED;
	if (r)
		return docker_say(r > 0 ? r : DOCKER_EXIT_FAILED, "%s", e.msg);
	if (code)
		return docker_say(code, formatted ? "%s" : "ERROR: %s\nerrors pretty printing info",
				  strbuf_str(&reason));
	if (!formatted)
		say_warnings(root);
	return 0;
}

const struct docker_verb docker_verb_info = {
	.name = "info",
	.usage = "[OPTIONS]",
	.uses = (const struct opt_use[]){{&info_table, 0}, {0}},
	.max_operands = 0,
	.args_bytes = sizeof(struct info_args),
	.run = info_run,
};
