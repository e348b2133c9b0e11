/* SPDX-License-Identifier: Apache-2.0 */

/* Run options: how far the container is from the host. */

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/options/run_opts.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/kernel/cap.h"

#define AT(member) offsetof(struct run_opts, member)

static int set_hostname(void *hostname, const char *value, struct err *e)
{
	char **at = hostname, *copy = strdup(value);

	if (!copy)
		return err_oom(e);
	free(*at);
	*at = copy;
	return 0;
}

static int add_cap(uint64_t *mask, const char *name, struct err *e)
{
	uint64_t caps = cap_parse(name);

	if (!caps)
		return err_set(e, EINVAL, "no such capability (as in NET_ADMIN, or ALL)");
	*mask |= caps;
	return 0;
}

static int set_cap_add(void *mask, const char *value, struct err *e)
{
	return add_cap(mask, value, e);
}

static int set_cap_drop(void *mask, const char *value, struct err *e)
{
	return add_cap(mask, value, e);
}

/*
 * docker writes both NAME=VALUE and NAME:VALUE. The user may ask for what is true of every
 * container anyhow, such as label=disable; a word that csbx cannot grant is an error.
 */
static int set_security(void *security, const char *value, struct err *e)
{
	static const struct {
		const char *word;
		size_t offset; /* of the bool to set, */
		bool to;
	} words[] = {
		{"no-new-privileges", offsetof(struct security_spec, new_privs), false},
		{"no-new-privileges=true", offsetof(struct security_spec, new_privs), false},
		{"no-new-privileges=false", offsetof(struct security_spec, new_privs), true},
		{"seccomp=default", offsetof(struct security_spec, seccomp_off), false},
		{"seccomp=unconfined", offsetof(struct security_spec, seccomp_off), true},
		{"landlock=on", offsetof(struct security_spec, landlock_off), false},
		{"landlock=off", offsetof(struct security_spec, landlock_off), true},
		{"systempaths=default", offsetof(struct security_spec, masks_off), false},
		{"systempaths=unconfined", offsetof(struct security_spec, masks_off), true},
		{"root=own", offsetof(struct security_spec, root_shared), false},
		{"root=shared", offsetof(struct security_spec, root_shared), true},
		{"label=disable", SIZE_MAX},
		{"apparmor=unconfined", SIZE_MAX},
	};

	_free_ char *word = strdup(value);
	char *colon = word ? strpbrk(word, "=:") : NULL;

	if (!word)
		return err_oom(e);
	if (colon)
		*colon = '=';
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!str_eq(word, words[i].word))
			continue;
		if (words[i].offset != SIZE_MAX)
			*(bool *)((char *)security + words[i].offset) = words[i].to;
		return 0;
	}
	return err_set(
		e, EINVAL,
		"must be no-new-privileges=true|false, "
		"seccomp=default|unconfined, landlock=on|off, systempaths=default|unconfined, root=own|shared");
}

static const struct opt opts[] = {
	{OPT_CHOICE, 0, "network", "MODE", AT(spec.ns.net), .choices = "none|host", .has_key = true,
	 .initial = "none",
	 .help = "none: only the container's own loopback; host: the network of the host"},
	{OPT_CHOICE, 0, "ipc", "MODE", AT(spec.ns.ipc), .choices = "private|host", .has_key = true,
	 .initial = "private", .help = "System V IPC, message queues and /dev/shm"},
	{OPT_CALL, 0, "hostname", "NAME", AT(spec.ns.hostname), set_hostname, .has_key = true,
	 .initial = "the container's name or id", .help = "host name inside"},
	{OPT_CHOICE, 0, "userns", "MODE", AT(spec.ns.userns), .choices = "auto|one|subuid",
	 .has_key = true, .initial = "auto",
	 .help = "one: you are the only user inside; subuid: the others come from your ranges in "
		 "/etc/subuid; auto: subuid where there are ranges, else one"},
	{OPT_CALL, 0, "cap-add", "CAPABILITY", AT(spec.sec.caps_add), set_cap_add, .repeats = true,
	 .has_key = true, .help = "add a capability within the container"},
	{OPT_CALL, 0, "cap-drop", "CAPABILITY", AT(spec.sec.caps_drop), set_cap_drop,
	 .repeats = true, .has_key = true, .help = "take a capability, or ALL, away"},
	{OPT_CALL, 0, "security-opt", "NAME=VALUE", AT(spec.sec), set_security, .repeats = true,
	 .has_key = true,
	 .offers = "words:no-new-privileges=false seccomp=unconfined landlock=off "
		   "systempaths=unconfined root=shared",
	 .help = "loosen a protection: no-new-privileges=false (set-id programs work), "
		 "seccomp=unconfined, landlock=off, systempaths=unconfined, root=shared (a "
		 "read-only root without an overlay)"},
	{OPT_FLAG, 0, "fake-root", .offset = AT(fake_root), .has_key = true,
	 .help = "let package managers work where you are the only user inside: their requests for "
		 "other users succeed and do nothing"},
	{OPT_FLAG, 0, "allow-root", .offset = AT(spec.allow_root), .has_key = true,
	 .help = "as root without an id range to map to: let root inside be root of the host"},
	{0},
};

const struct opt_table run_table_isolation = {"Isolation", opts};
