/* SPDX-License-Identifier: Apache-2.0 */

/* Flags of run and create: the parts of the container. */

#include <stddef.h>

#include "cmd/docker/frame/argv.h"
#include "cmd/docker/container/run_flags.h"
#include "runtime/base/err.h"

#define AT(member) offsetof(struct docker_run_args, member)

static int set_attach(void *strv, const char *value, struct err *e)
{
	static const char *const names[] = {"stdin", "stdout", "stderr"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcasecmp(value, names[i])) {
			strv_add(strv, names[i]);
			return strv_check(strv, e);
		}
	}
	return err_set(e, EINVAL, "valid streams are STDIN, STDOUT and STDERR");
}

static int set_label(void *strv, const char *value, struct err *e)
{
	if (docker_check_label(value, e) < 0)
		return -EINVAL;
	if (*value)
		strv_add(strv, value);
	return strv_check(strv, e);
}

static const struct opt run_only_opts[] = {
	{OPT_FLAG, 'd', "detach", NULL, AT(detach),
	 .help = "Run container in background and print container ID"},
	{OPT_FLAG, 0, "sig-proxy", NULL, AT(sig_proxy),
	 .help = "Proxy received signals to the process (default true)"},
	{0},
};

const struct opt_table docker_run_table = {"Run", run_only_opts};

static const struct opt create_opts[] = {
	{OPT_CALL, 'a', "attach", "list", AT(attach), set_attach,
	 .help = "Attach to STDIN, STDOUT or STDERR"},
	{OPT_STR, 0, "cidfile", "string", AT(cidfile),
	 .help = "Write the container ID to the file"},
	{OPT_STR, 0, "entrypoint", "string", AT(entrypoint),
	 .help = "Overwrite the default ENTRYPOINT of the image"},
	{OPT_CALL, 'e', "env", "list", AT(env), docker_set_env,
	 .help = "Set environment variables"},
	{OPT_LIST, 0, "env-file", "list", AT(env_files),
	 .help = "Read in a file of environment variables"},
	{OPT_LIST, 0, "group-add", "list", AT(groups), .help = "Add additional groups to join"},
	{OPT_STR, 'h', "hostname", "string", AT(hostname), .help = "Container host name"},
	{OPT_FLAG, 0, "init", NULL, AT(init),
	 .help = "Run an init inside the container that forwards signals and reaps processes"},
	{OPT_FLAG, 'i', "interactive", NULL, AT(interactive),
	 .help = "Keep STDIN open even if not attached"},
	{OPT_CALL, 'l', "label", "list", AT(labels), set_label,
	 .help = "Set meta data on a container"},
	{OPT_LIST, 0, "label-file", "list", AT(label_files),
	 .help = "Read in a line delimited file of labels"},
	{OPT_STR, 0, "log-driver", "string", AT(log_driver),
	 .help = "Logging driver for the container (json-file or local)"},
	{OPT_STR, 0, "name", "string", AT(name), .help = "Assign a name to the container"},
	{OPT_FLAG, 0, "no-healthcheck", NULL, AT(no_healthcheck),
	 .help = "Disable any container-specified HEALTHCHECK"},
	{OPT_STR, 0, "platform", "string", AT(platform),
	 .help = "Set platform; this machine's is the only one"},
	{OPT_STR, 0, "pull", "string", AT(pull),
	 .help = "Pull image before running (\"always\", \"missing\", \"never\")"},
	{OPT_FLAG, 'q', "quiet", NULL, AT(quiet), .help = "Suppress the pull output"},
	{OPT_STR, 0, "restart", "string", AT(restart),
	 .help = "Restart policy; only \"no\" has an effect"},
	{OPT_FLAG, 0, "rm", NULL, AT(rm),
	 .help = "Automatically remove the container and its anonymous volumes when it exits"},
	{OPT_STR, 0, "runtime", "string", AT(runtime), .help = "Runtime to use; \"runc\" only"},
	{OPT_STR, 0, "stop-signal", "string", AT(stop_signal),
	 .help = "Signal to stop the container"},
	{OPT_CALL, 0, "stop-timeout", "int", AT(stop_timeout_s), docker_set_int,
	 .help = "Timeout (in seconds) to stop a container"},
	{OPT_FLAG, 't', "tty", NULL, AT(tty), .help = "Allocate a pseudo-TTY"},
	{OPT_STR, 'u', "user", "string", AT(user),
	 .help = "Username or UID (format: <name|uid>[:<group|gid>])"},
	{OPT_STR, 'w', "workdir", "string", AT(workdir),
	 .help = "Working directory inside the container"},
	{0},
};

const struct opt_table docker_create_table = {"Options", create_opts};
