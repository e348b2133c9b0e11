/* SPDX-License-Identifier: Apache-2.0 */
/*
 * POST /containers/create: from its body to the words of `docker create`, so that one set of rules
 * judges both. docker's own clients send every field there is: a field that is null, zero or empty
 * was not asked for.
 */

#include <stdlib.h>
#include <strings.h>

#include "cmd/docker/daemon/create.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/show/value.h"
#include "cmd/engine/call/call.h"
#include "cmd/engine/call/create.h"
#include "cmd/engine/call/endpoint.h"
#include "cmd/frame/cmd.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/json.h"

/* A list of strings, or one string. */
static int words(const char *key, struct strv *ret, struct creation *c)
{
	const struct json *m = NULL;
	int r = json_get_any_case(c->body, key, &m, c->e);

	if (r < 0 || !m)
		return r;
	if (!json_text(m))
		return call_get_strv(c->body, key, ret, c->e);
	strv_add(ret, json_text(m));
	return 0;
}

static int take_command(struct creation *c)
{
	_strv_ struct strv entrypoint = STRV_INIT;
	int r = words("Cmd", &c->a.command, c);

	if (r >= 0)
		r = words("Entrypoint", &entrypoint, c);
	if (r < 0 || !entrypoint.n)
		return r;
	c->a.entrypoint = creation_keep(c, strdup(entrypoint.items[0]));
	for (size_t i = 1; i < entrypoint.n; i++)
		strv_add(&c->a.entrypoint_args, entrypoint.items[i]);
	return 0;
}

/* A name without a value would be the variable of this process. */
static int take_env(struct creation *c)
{
	_strv_ struct strv all = STRV_INIT;
	int r = call_get_strv(c->body, "Env", &all, c->e);

	for (size_t i = 0; r >= 0 && i < all.n; i++) {
		if (*all.items[i] == '=' || !*all.items[i])
			return err_set(c->e, EINVAL, "invalid environment variable: %s",
				       all.items[i]);
		if (strchr(all.items[i], '='))
			strv_add(&c->a.env, all.items[i]);
	}
	return r;
}

/* A number as a flag has it; 0 is the image's, or docker's own. */
static int take_number(const struct json *health, const char *key, const char *unit,
		       enum docker_other flag, struct creation *c)
{
	int64_t n = 0;
	int r = call_get_int(health, key, &n, c->e);

	if (r >= 0 && n)
		c->a.other[flag] = creation_keep(c, str_printf("%lld%s", (long long)n, unit));
	return r;
}

static int take_health(struct creation *c)
{
	_strv_ struct strv test = STRV_INIT;
	const struct json *health;
	int r = call_get_object(c->body, "Healthcheck", &health, c->e);

	if (r >= 0 && health)
		r = call_get_strv(health, "Test", &test, c->e);
	if (r < 0 || !health)
		return r;
	if (test.n && str_eq(test.items[0], "NONE")) {
		c->a.no_healthcheck = true;
		return 0;
	}
	if (test.n && *test.items[0] && !str_eq(test.items[0], "CMD") &&
	    !str_eq(test.items[0], "CMD-SHELL"))
		return err_set(c->e, EINVAL, "Unknown healthcheck type '%s' (expected 'CMD')",
			       test.items[0]);
	for (size_t i = 0; i < test.n && *test.items[0]; i++)
		strv_add(&c->a.health_test, test.items[i]);
	if ((r = take_number(health, "Interval", "ns", DOCKER_OTHER_health_interval, c)) < 0 ||
	    (r = take_number(health, "Timeout", "ns", DOCKER_OTHER_health_timeout, c)) < 0 ||
	    (r = take_number(health, "StartPeriod", "ns", DOCKER_OTHER_health_start, c)) < 0 ||
	    (r = take_number(health, "StartInterval", "ns", DOCKER_OTHER_health_start_interval,
			     c)) < 0 ||
	    (r = take_number(health, "Retries", "", DOCKER_OTHER_health_retries, c)) < 0)
		return r;
	return strv_check(&c->a.health_test, c->e);
}

/* The streams that the client will attach to: inspect shows them again, and attaching is a request
 * of its own. */
static int take_attached(struct creation *c)
{
	static const struct {
		const char *key, *stream;
	} rows[] = {
		{"AttachStdin", "stdin"}, {"AttachStdout", "stdout"}, {"AttachStderr", "stderr"}};
	int r = 0;

	for (size_t i = 0; r >= 0 && i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool wanted = false;

		r = call_get_bool(c->body, rows[i].key, &wanted, c->e);
		if (wanted)
			strv_add(&c->a.attach, rows[i].stream);
	}
	return r;
}

static int take_config(struct creation *c)
{
	struct docker_run_args *a = &c->a;
	bool no_network = false;
	const struct json *b = c->body;
	int r = creation_str(b, "Image", &a->image, c);

	if (r >= 0 && !a->image)
		return err_set(c->e, EINVAL, "no image is named: Image is empty");
	if (r < 0 || (r = take_command(c)) < 0 || (r = take_env(c)) < 0 ||
	    (r = creation_str(b, "User", &a->user, c)) < 0 ||
	    (r = creation_str(b, "WorkingDir", &a->workdir, c)) < 0 ||
	    (r = creation_str(b, "Hostname", &a->hostname, c)) < 0 ||
	    (r = creation_str(b, "Domainname", &a->other[DOCKER_OTHER_domainname], c)) < 0 ||
	    (r = creation_str(b, "MacAddress", &a->other[DOCKER_OTHER_mac_address], c)) < 0 ||
	    (r = call_get_bool(b, "Tty", &a->tty, c->e)) < 0 ||
	    (r = call_get_bool(b, "OpenStdin", &a->interactive, c->e)) < 0 ||
	    (r = call_get_bool(b, "NetworkDisabled", &no_network, c->e)) < 0 ||
	    (r = creation_pairs(b, "Labels", "=", &a->labels, c)) < 0 ||
	    (r = creation_names(b, "ExposedPorts", &a->expose, c)) < 0 ||
	    (r = creation_names(b, "Volumes", &a->volumes, c)) < 0 ||
	    (r = creation_str(b, "StopSignal", &a->stop_signal, c)) < 0 ||
	    (r = call_get_int(b, "StopTimeout", &a->stop_timeout_s, c->e)) < 0)
		return r;
	if (no_network)
		a->network = "none";
	r = take_attached(c);
	return r < 0 ? r : take_health(c);
}

static void reply_made(struct call *k, const struct docker_created *made)
{
	struct docker_value *v = docker_value_new(DOCKER_VALUE_STRUCT);

	docker_value_str(v, "Id", made->id);
	docker_value_strv(v, "Warnings", &made->warnings, DOCKER_VALUE_LIST);
	call_reply_value(k, 201, v);
}

static void make(struct call *k, struct creation *c)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct docker_created made = {0};
	int r;

	c->e = &f.err;
	r = call_get_object(c->body, "HostConfig", &c->host, c->e);
	if (r >= 0)
		r = take_config(c);
	if (r >= 0)
		r = creation_take_host(c);
	if (r >= 0)
		r = call_get_networks(c->body, &c->a.endpoints, c->e);
	if (r >= 0)
		r = strv_check(&c->words, c->e);
	if (r >= 0)
		r = docker_create(k->cmd, &c->a, &made, &f);
	if (r < 0)
		call_reply_fault(k, &f);
	else
		reply_made(k, &made);
	docker_created_free(&made);
}

void call_container_create(struct call *k)
{
	_free_ char *name = NULL, *platform = NULL;
	_json_ struct json *body = NULL;
	struct creation c = {0};

	if (call_query(k, "name", &name) < 0 || call_query(k, "platform", &platform) < 0 ||
	    call_read_json(k, &body) < 0)
		return;
	docker_run_args_init(&c.a);
	c.body = body;
	c.a.name = name && *name ? name : NULL;
	c.a.platform = platform && *platform ? platform : NULL;
	make(k, &c);
	docker_run_args_done(&c.a);
	strv_free(&c.words);
}
