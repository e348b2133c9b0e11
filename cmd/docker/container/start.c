/* SPDX-License-Identifier: Apache-2.0 */

/* docker start, attach. */

#include <stddef.h>
#include <unistd.h>

#include "cmd/docker/container/attached.h"
#include "cmd/docker/container/start_attached.h"
#include "cmd/docker/container/each.h"
#include "cmd/docker/daemon/exec.h"
#include "cmd/docker/daemon/start.h"
#include "cmd/docker/daemon/target.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/frame/verbs.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/life/container_wait.h"
#include "runtime/exec/client.h"
#include "runtime/helpers/init/abi/init_abi.h"

struct start_args {
	bool attach, interactive, no_stdin, sig_proxy;
	const char *detach_keys;
	const char *checkpoint; /* refused */
};

#define AT(member) offsetof(struct start_args, member)

static const struct opt start_opts[] = {
	{OPT_FLAG, 'a', "attach", NULL, AT(attach),
	 .help = "Attach STDOUT/STDERR and forward signals"},
	{OPT_STR, 0, "checkpoint", "string", AT(checkpoint)},
	{OPT_STR, 0, "detach-keys", "string", AT(detach_keys),
	 .help = "Override the key sequence for detaching a container"},
	{OPT_FLAG, 'i', "interactive", NULL, AT(interactive), .help = "Attach container's STDIN"},
	{0},
};

static const struct opt attach_opts[] = {
	{OPT_STR, 0, "detach-keys", "string", AT(detach_keys),
	 .help = "Override the key sequence for detaching a container"},
	{OPT_FLAG, 0, "no-stdin", NULL, AT(no_stdin), .help = "Do not attach STDIN"},
	{OPT_FLAG, 0, "sig-proxy", NULL, AT(sig_proxy),
	 .help = "Proxy all received signals to the process (default true)"},
	{0},
};

static const struct opt_table start_table = {"Options", start_opts};
static const struct opt_table attach_table = {"Options", attach_opts};

static void init(void *args)
{
	((struct start_args *)args)->sig_proxy = true;
}

/* One that runs already is fine. */
static int start_one(struct docker *d, struct docker_target *t, const char *operand, void *arg,
		     struct docker_fault *f)
{
	(void)operand;
	(void)arg;
	return docker_start(&d->cmd.paths, t, NULL, f);
}

static int start_attached(struct docker *d, const struct start_args *a, const char *operand)
{
	const struct docker_start_attached how = {ATTACH_STDOUT | ATTACH_STDERR |
							  (a->interactive ? ATTACH_STDIN : 0),
						  true, a->detach_keys};
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct docker_attached_end begun = {0};
	struct docker_target t;
	int r = docker_target_open(&d->cmd.paths, operand, &t, &f);

	if (r >= 0 && !t.stays)
		r = docker_refuse(&f, "%s is a recipe of csbx: csbx start starts it", t.found.name);
	if (r >= 0)
		r = docker_start_attached(d, &t.found, &how, &begun, &f);
	docker_target_close(&t);
	if (r < 0)
		return docker_daemon_error("%s", f.err.msg);
	if (begun.is_left_by_keys)
		return 0;
	return begun.left ? begun.left : begun.state.exit_code;
}

static int start_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct start_args *a = args;
	_strbuf_ struct strbuf failed = STRBUF_INIT;

	if (a->checkpoint)
		return docker_say(DOCKER_EXIT_FAILED, "docker: --checkpoint: csbx has none");
	if ((a->attach || a->interactive) && argc > 1)
		return docker_say(DOCKER_EXIT_FAILED,
				  "you cannot start and attach multiple containers at once");
	if (a->attach || a->interactive)
		return start_attached(d, a, argv[0]);
	for (int i = 0; i < argc; i++) {
		if (docker_each(d, 1, argv + i, start_one, NULL, NULL))
			strbuf_addf(&failed, "%s%s", failed.len ? ", " : "", argv[i]);
	}
	return failed.len ? docker_say(DOCKER_EXIT_FAILED, "Error: failed to start containers: %s",
				       strbuf_str(&failed))
			  : 0;
}

/* --- attach ------------------------------------------------------------------------------- */

/* Input from a terminal goes through this process: then its 0 is lent the container no more. */
static int lend_streams(struct attached *x, unsigned which, const char *keys,
			struct exec_link *link, struct err *e)
{
	_close_ int input = -1;
	int r = 0;

	if (x->tty && (which & ATTACH_STDIN))
		r = attached_take_input(x, keys, &input, e);
	if (r >= 0 && input >= 0 && dup2(input, STDIN_FILENO) < 0)
		r = err_sys(e, "standard input");
	if (r >= 0)
		r = exec_attach(link, which, e);
	if (input >= 0)
		(void)dup2(x->typed_fd, STDIN_FILENO);
	return r;
}

static int follow(struct docker *d, struct docker_target *t, const struct start_args *a,
		  struct exec_link *link, struct err *e)
{
	unsigned which = ATTACH_STDOUT | ATTACH_STDERR;
	bool tty = link->start->flags & INIT_TTY;
	struct container_wait w = CONTAINER_WAIT_INIT;
	struct attached attached = ATTACHED_INIT;
	int r = container_wait_begin(&d->cmd.paths, t->found.name, &t->found.record, &w, e), code;

	if (!a->no_stdin && t->found.record.open_stdin)
		which |= ATTACH_STDIN;
	if (r >= 0)
		r = attached_begin(&attached, which, tty, a->sig_proxy, e);
	if (r >= 0)
		r = lend_streams(&attached, which, a->detach_keys, link, e);
	if (r >= 0)
		docker_event_target(&d->cmd.paths, t, "attach", NULL, NULL);
	code = r < 0 ? r : attached_wait(&attached, link);
	attached_end(&attached);
	if (attached.is_left) {
		docker_event_target(&d->cmd.paths, t, "detach", NULL, NULL);
		code = docker_say(DOCKER_EXIT_FAILED, DOCKER_LEFT_BY_KEYS);
	}
	if (!code)
		r = container_wait_end(&w, e);
	if (r >= 0 && !code)
		code = w.state.exit_code;
	container_wait_close(&w);
	return r < 0 ? r : code;
}

static int attach_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct start_args *a = args;
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct exec_link link = EXEC_LINK_INIT;
	struct docker_target t;
	int r = docker_target_open(&d->cmd.paths, argv[0], &t, &f);

	(void)argc;
	if (r >= 0 && !t.stays)
		r = docker_refuse(&f, "%s was not started by docker: csbx logs shows its output",
				  argv[0]);
	if (r >= 0 && docker_target_instance(&d->cmd.paths, &t, &f) < 0) {
		docker_target_close(&t);
		return docker_say(DOCKER_EXIT_FAILED,
				  "You cannot attach to a stopped container, start it first");
	}
	if (r >= 0)
		r = exec_open(&d->cmd.paths, &t.instance, &link, &f.err);
	if (r >= 0)
		r = follow(d, &t, a, &link, &f.err);
	exec_close(&link);
	docker_target_close(&t);
	return r < 0 ? docker_daemon_error("%s", f.err.msg) : r;
}

const struct docker_verb docker_verb_start = {
	.name = "start",
	.usage = "[OPTIONS] CONTAINER [CONTAINER...]",
	.uses = (const struct opt_use[]){{&start_table, 0}, {0}},
	.min_operands = 1,
	.max_operands = CMD_MANY,
	.args_bytes = sizeof(struct start_args),
	.init = init,
	.run = start_run,
};

const struct docker_verb docker_verb_attach = {
	.name = "attach",
	.usage = "[OPTIONS] CONTAINER",
	.uses = (const struct opt_use[]){{&attach_table, 0}, {0}},
	.min_operands = 1,
	.max_operands = 1,
	.args_bytes = sizeof(struct start_args),
	.init = init,
	.run = attach_run,
};
