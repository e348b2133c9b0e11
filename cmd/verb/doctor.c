/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdio.h>

#include "cmd/frame/cmd.h"
#include "cmd/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/json/out.h"
#include "runtime/base/str.h"
#include "runtime/doctor/host.h"
#include "runtime/settings/config.h"

struct doctor_args {
	bool json;
	const char *feature;
};

static const struct opt doctor_opts[] = {
	{OPT_FLAG, 0, "json", .offset = offsetof(struct doctor_args, json),
	 .help = "print one JSON object: feature to ok, needed, reason and remedy"},
	{OPT_STR, 0, "feature", "NAME", offsetof(struct doctor_args, feature),
	 .offers =
		 "words:kernel userns proc overlay overlay-disk tmpfs-xattr fuse subuid seccomp "
		 "landlock openat2 open_tree mount_setattr pidfd clone3 close_range memfd cgroup "
		 "cgroup-memory cgroup-cpu cgroup-pids user runtime-dir data-dir helpers engine apparmor policy",
	 .help = "try one feature only: exit code 0 when it is there, else 1 and the reason"},
	{0},
};

static const struct opt_table doctor_table = {"Options", doctor_opts};

static bool is_fatal(enum host_feature f, const struct host_fact *fact)
{
	return !fact->ok && (host_feature_is_needed(f) || fact->blocks);
}

static const char *word_of(enum host_feature f, const struct host_fact *fact)
{
	if (fact->ok)
		return "ok";
	return is_fatal(f, fact) ? "MISSING" : "missing";
}

static void add_line(struct strbuf *out, enum host_feature f, const struct host_fact *fact)
{
	strbuf_addf(out, "%-7s  %-13s  ", word_of(f, fact), host_feature_name(f));
	strbuf_add_escaped(out, fact->reason, strlen(fact->reason));
	if (!fact->ok && *fact->remedy) {
		strbuf_addstr(out, "; remedy: ");
		strbuf_add_escaped(out, fact->remedy, strlen(fact->remedy));
	}
	strbuf_addch(out, '\n');
}

static void add_json(struct json_out *j, enum host_feature f, const struct host_fact *fact)
{
	json_key(j, host_feature_name(f));
	json_begin_object(j);
	json_kbool(j, "ok", fact->ok);
	json_kbool(j, "needed", host_feature_is_needed(f) || fact->blocks);
	json_kstr(j, "reason", fact->reason);
	json_kstr(j, "remedy", fact->ok || !*fact->remedy ? NULL : fact->remedy);
	json_end_object(j);
}

/* A key or variable that insists on root counts for doctor as it does for run. */
static void probe(struct cmd *c, enum host_feature f, struct host_fact *ret)
{
	const char *insists = config_get(c->config, "CSBX_ALLOW_ROOT");

	host_probe(&c->paths, f, ret);
	if (f != HOST_USER || ret->ok || !insists)
		return;
	if (config_parse_flag(insists) != 1)
		return;
	ret->ok = true;
	snprintf(
		ret->reason, sizeof(ret->reason),
		"you are root, and CSBX_ALLOW_ROOT insists: what leaves a container would be root");
}

static int one_feature(struct cmd *c, const char *name)
{
	enum host_feature f = host_feature_find(name);
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct host_fact fact;
	struct err e = ERR_INIT;
	int code;

	if (f == HOST_FEATURE_MAX) {
		err_set(&e, EINVAL, "unknown feature (csbx doctor lists them)");
		return cmd_error(&e, "doctor --feature %s", name);
	}
	probe(c, f, &fact);
	add_line(&out, f, &fact);
	code = cmd_print(&out);
	return code ? code : !fact.ok;
}

/* Exit code 0 when a container can start here. */
static int doctor_run(struct cmd *c, void *args, int argc, char **argv)
{
	const struct doctor_args *a = args;
	_strbuf_ struct strbuf lines = STRBUF_INIT;
	struct json_out json = {.pretty = true};
	struct err e = ERR_INIT;
	bool works = true;
	int code;

	(void)argc;
	(void)argv;
	if (a->feature)
		return one_feature(c, a->feature);
	json_begin_object(&json);
	for (int f = 0; f < HOST_FEATURE_MAX; f++) {
		struct host_fact fact;

		probe(c, (enum host_feature)f, &fact);
		add_line(&lines, (enum host_feature)f, &fact);
		add_json(&json, (enum host_feature)f, &fact);
		works = works && !is_fatal((enum host_feature)f, &fact);
	}
	json_end_object(&json);
	strbuf_addf(&lines, "\ncontainers %s here\n", works ? "can start" : "cannot start");
	strbuf_addch(&json.buf, '\n');
	if (a->json && json_finish(&json, &e) < 0)
		code = cmd_error(&e, "doctor");
	else
		code = cmd_print(a->json ? &json.buf : &lines);
	json_out_free(&json);
	return code ? code : !works;
}

static const struct verb_example examples[] = {
	{"everything, one line a feature", "csbx doctor"},
	{"in a script: may containers have several users?",
	 "csbx doctor --feature subuid || echo no"},
	{0},
};

const struct verb verb_doctor = {
	.name = "doctor",
	.usage = "[OPTIONS]",
	.description = "Tries what a container needs of this machine, as the user you are, and "
		       "says for each feature whether it works, why not, and what to do about it. "
		       "MISSING in capitals means that no container can start without it; the "
		       "others cost speed or comfort, as their reason says. doctor makes "
		       "csbx's own directories where they are missing and changes nothing "
		       "else.\n\n"
		       "The exit code is 0 when containers can start, 1 when they cannot.",
	.uses = (const struct opt_use[]){{&doctor_table, 0}, {0}},
	.examples = examples,
	.args_bytes = sizeof(struct doctor_args),
	.run = doctor_run,
};
