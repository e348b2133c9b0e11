/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/image/registry_opts.h"

#include "cmd/frame/cmd.h"
#include "runtime/settings/config.h"

static const struct opt rows[] = {
	{OPT_STR, 0, "authfile", "FILE", offsetof(struct registry_opts, authfile), .has_key = true,
	 .offers = "file",
	 .help = "look for credentials in this auth.json first (so does REGISTRY_AUTH_FILE)"},
	{OPT_LIST, 0, "insecure-registry", "HOST[:PORT]", offsetof(struct registry_opts, insecure),
	 .has_key = true,
	 .help = "let this registry speak plain HTTP, or TLS with an unknown certificate; those on "
		 "this machine may speak HTTP anyway"},
	{OPT_LIST, 0, "registry-token-server", "REGISTRY=HOST[:PORT]",
	 offsetof(struct registry_opts, token_servers), .has_key = true,
	 .help = "let this token server have the password for REGISTRY, when it is on another "
		 "host"},
	{OPT_NUMBER, 0, "registry-tries", "N", offsetof(struct registry_opts, tries), .max = 100,
	 .has_key = true, .initial = "6",
	 .help = "give up a request after N tries that brought nothing; not given, a registry that "
		 "has never answered is asked twice"},
	{OPT_DURATION, 0, "registry-timeout", "TIME", offsetof(struct registry_opts, timeout_ms),
	 .has_key = true, .initial = "30s",
	 .help = "how long a registry may take to answer, or to send less than 1 kB a second"},
	{0},
};

const struct opt_table registry_opts_table = {"Registry options", rows};

static const struct opt fetch_rows[] = {
	{OPT_LIST, 0, "registry-mirror", "REGISTRY=HOST[:PORT][/PREFIX]",
	 offsetof(struct registry_opts, mirrors), .has_key = true,
	 .help = "ask HOST before REGISTRY; several are asked in their order"},
	{OPT_NUMBER, 0, "registry-connections", "N", offsetof(struct registry_opts, connections),
	 .max = 32, .has_key = true, .initial = "4", .help = "fetch N blobs at once"},
	{0},
};

const struct opt_table registry_fetch_table = {"Download options", fetch_rows};

int registry_opts_get(const struct cmd *c, struct registry_opts *o, struct registry_options *ret,
		      struct err *e)
{
	const char *value, *place;

	strv_free(&o->auth);
	if (o->first_auth)
		strv_add(&o->auth, o->first_auth);
	for (size_t i = 0; config_get_nth(c->config, "CSBX_REGISTRY_AUTH", i, &value, &place); i++)
		strv_add(&o->auth, value);
	*ret = (struct registry_options){
		.authfile = o->authfile,
		.auth = &o->auth,
		.insecure = &o->insecure,
		.mirrors = &o->mirrors,
		.token_servers = &o->token_servers,
		.tries = (unsigned)o->tries,
		.timeout_ms = o->timeout_ms,
		.connections = (unsigned)o->connections,
		.silence = registry_say_silence,
	};
	return strv_check(&o->auth, e);
}

void registry_say_silence(void *arg, const char *host, uint64_t silent_ms, uint64_t patience_ms)
{
	(void)arg;
	cmd_warn("%s has not answered for %llu s; it is given up after %llu s (--registry-timeout, "
		 "--registry-tries)",
		 host, (unsigned long long)silent_ms / 1000,
		 (unsigned long long)patience_ms / 1000);
}

void registry_opts_done(struct registry_opts *o)
{
	strv_free(&o->insecure);
	strv_free(&o->mirrors);
	strv_free(&o->token_servers);
	strv_free(&o->auth);
}
