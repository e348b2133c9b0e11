/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/config/image_config.h"

#include <ctype.h>
#include <stdlib.h>

#include "cmd/build/dockerfile/check.h"
#include "cmd/build/dockerfile/clean.h"
#include "cmd/build/dockerfile/dockerfile.h"
#include "cmd/build/dockerfile/expand.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/out.h"
#include "runtime/base/num.h"

struct apply {
	struct build_config *c;
	const struct instruction *i;
	const struct expand *x;
	struct strbuf text; /* for history, behind the name */
	struct err *e;
};

/* --- words of a command --------------------------------------------------------------------- */

void build_config_shell(const struct build_config *c, const char *text, struct strv *argv)
{
	for (size_t i = 0; i < c->shell.n; i++)
		strv_add(argv, c->shell.items[i]);
	if (!c->shell.n) {
		strv_add(argv, "/bin/sh");
		strv_add(argv, "-c");
	}
	strv_add(argv, text);
}

static int set_command(struct apply *a, struct strv *slot)
{
	const struct instruction *i = a->i;

	strv_free(slot);
	if (i->is_json || !i->args.n) {
		for (size_t n = 0; n < i->args.n; n++)
			strv_add(slot, i->args.items[n]);
	} else {
		build_config_shell(a->c, i->args.items[0], slot);
	}
	strbuf_addch(&a->text, '[');
	for (size_t n = 0; n < slot->n; n++)
		strbuf_addf(&a->text, "%s\"%s\"", n ? " " : "", slot->items[n]);
	strbuf_addch(&a->text, ']');
	return strv_check(slot, a->e);
}

/* An ENTRYPOINT takes back the base's CMD, not one of this file. */
static int set_entrypoint(struct apply *a)
{
	a->c->has_entrypoint = true;
	if (!a->c->sets_cmd) {
		strv_free(&a->c->cmd);
		a->c->has_cmd = false;
	}
	return set_command(a, &a->c->entrypoint);
}

/* --- names and values ----------------------------------------------------------------------- */

static int set_pairs(struct apply *a, struct strv *slot)
{
	_strv_ struct strv made = STRV_INIT;

	for (size_t n = 0; n + 1 < a->i->args.n; n += 2) {
		_free_ char *name = NULL, *value = NULL;
		int r = expand_word(a->x, a->i->args.items[n], &name, a->e);

		if (r >= 0)
			r = expand_word(a->x, a->i->args.items[n + 1], &value, a->e);
		if (r < 0)
			return r;
		strbuf_addf(&a->text, "%s%s=%s", n ? " " : "", name, value);
		strv_take(&made, str_printf("%s=%s", name, value));
	}
	/* All of one instruction see the values from before it. */
	for (size_t n = 0; !made.failed && n < made.n; n++)
		strv_set_env(slot, made.items[n]);
	return strv_check(made.failed ? &made : slot, a->e);
}

static void add_once(struct strv *v, const char *s)
{
	for (size_t i = 0; i < v->n; i++) {
		if (str_eq(v->items[i], s))
			return;
	}
	strv_add(v, s);
}

static int set_volumes(struct apply *a)
{
	for (size_t n = 0; n < a->i->args.n; n++) {
		_free_ char *path = NULL;
		int r = expand_word(a->x, a->i->args.items[n], &path, a->e);

		if (r < 0)
			return r;
		if (!*path)
			return err_set(a->e, EINVAL, "VOLUME specified can not be an empty string");
		add_once(&a->c->volumes, path);
		strbuf_addf(&a->text, "%s%s", n ? " " : "", path);
	}
	return strv_check(&a->c->volumes, a->e);
}

/* "80", "80-82", "80/udp", all of them with what is published cut off. */
static int add_port(struct apply *a, const char *word)
{
	const char *colon = strrchr(word, ':'), *port = colon ? colon + 1 : word;
	size_t digits = strcspn(port, "/");
	const char *proto = port[digits] ? port + digits + 1 : "tcp";
	_free_ char *range = strndup(port, digits);
	char *dash = range ? strchr(range, '-') : NULL;
	uint64_t from = 0, to = 0;

	if (!range)
		return err_oom(a->e);
	if (dash)
		*dash++ = 0;
	if (num_parse_u64(range, 65535, &from) < 0 ||
	    num_parse_u64(dash ? dash : range, 65535, &to) < 0 || to < from)
		return err_set(a->e, EINVAL, "invalid containerPort: %.100s", port);
	if (!str_eq(proto, "tcp") && !str_eq(proto, "udp") && !str_eq(proto, "sctp"))
		return err_set(a->e, EINVAL, "invalid proto: %.100s", proto);
	for (; from <= to; from++) {
		_free_ char *name = str_printf("%u/%s", (unsigned)from, proto);

		if (name)
			add_once(&a->c->ports, name);
	}
	return strv_check(&a->c->ports, a->e);
}

static int set_ports(struct apply *a)
{
	_strv_ struct strv words = STRV_INIT;
	int r = 0;

	for (size_t n = 0; r >= 0 && n < a->i->args.n; n++)
		r = expand_words(a->x, a->i->args.items[n], &words, a->e);
	for (size_t n = 0; r >= 0 && n < words.n; n++) {
		r = add_port(a, words.items[n]);
		strbuf_addf(&a->text, "%s%s", n ? " " : "", words.items[n]);
	}
	return r;
}

/* --- one text ------------------------------------------------------------------------------- */

static int set_text(struct apply *a, char **slot)
{
	char *value = NULL;
	int r = expand_word(a->x, a->i->args.items[0], &value, a->e);

	if (r < 0)
		return r;
	free(*slot);
	*slot = value;
	strbuf_addstr(&a->text, value);
	return 0;
}

char *build_config_path(const struct build_config *c, const char *path)
{
	_free_ char *whole =
		*path == '/' ? strdup(path)
			     : str_printf("%s%s/%s", c->workdir && *c->workdir == '/' ? "" : "/",
					  c->workdir ? c->workdir : "", path);

	return whole ? path_clean(whole) : NULL;
}

static int set_workdir(struct apply *a)
{
	_free_ char *word = NULL;
	char *path;
	int r = expand_word(a->x, a->i->args.items[0], &word, a->e);

	if (r < 0)
		return r;
	path = build_config_path(a->c, word);
	if (!path)
		return err_oom(a->e);
	free(a->c->workdir);
	a->c->workdir = path;
	strbuf_addstr(&a->text, path);
	return 0;
}

/* Docker checks the signal when it is set, and takes a number or a name. */
static int set_stop_signal(struct apply *a)
{
	int r = set_text(a, &a->c->stop_signal);
	uint64_t n;

	if (r < 0)
		return r;
	if (num_parse_u64(a->c->stop_signal, 64, &n) >= 0
		    ? n > 0
		    : isalpha((unsigned char)*a->c->stop_signal))
		return 0;
	return err_set(a->e, EINVAL, "invalid signal: %.100s", a->c->stop_signal);
}

/* --- health --------------------------------------------------------------------------------- */

static void add_time(struct json_out *j, const struct instruction *i, const char *flag,
		     const char *key)
{
	const char *value = instruction_flag(i, flag);
	long long ns;

	if (value && *value && health_duration(value, &ns, NULL) >= 0 && ns)
		json_ku64(j, key, (uint64_t)ns);
}

static int set_health(struct apply *a)
{
	const struct instruction *i = a->i;
	const char *retries = instruction_flag(i, "retries");
	struct json_out j = JSON_OUT_INIT;
	bool none = str_eq(i->args.items[0], "NONE");
	int r;

	json_begin_object(&j);
	json_key(&j, "Test");
	json_begin_array(&j);
	json_str(&j, none ? "NONE" : i->is_json ? "CMD" : "CMD-SHELL");
	for (size_t n = 1; n < i->args.n; n++)
		json_str(&j, i->args.items[n]);
	json_end_array(&j);
	add_time(&j, i, "interval", "Interval");
	add_time(&j, i, "timeout", "Timeout");
	add_time(&j, i, "start-period", "StartPeriod");
	add_time(&j, i, "start-interval", "StartInterval");
	if (retries && strtoul(retries, NULL, 10))
		json_ku64(&j, "Retries", strtoul(retries, NULL, 10));
	json_end_object(&j);
	r = json_finish(&j, a->e);
	if (r >= 0) {
		free(a->c->health);
		a->c->health = strbuf_take(&j.buf);
	}
	json_out_free(&j);
	strbuf_addstr(&a->text, i->rest);
	return r < 0 ? r : a->c->health ? 0 : err_oom(a->e);
}

static int set_shell(struct apply *a)
{
	strv_free(&a->c->shell);
	for (size_t n = 0; n < a->i->args.n; n++) {
		strv_add(&a->c->shell, a->i->args.items[n]);
		strbuf_addf(&a->text, "%s%s", n ? " " : "[", a->i->args.items[n]);
	}
	strbuf_addch(&a->text, ']');
	return strv_check(&a->c->shell, a->e);
}

/* --- entry ---------------------------------------------------------------------------------- */

static int apply(struct apply *a)
{
	switch (a->i->op) {
	case DOCKERFILE_ENV:
		return set_pairs(a, &a->c->env);
	case DOCKERFILE_LABEL:
		return set_pairs(a, &a->c->labels);
	case DOCKERFILE_CMD:
		a->c->has_cmd = a->c->sets_cmd = true;
		return set_command(a, &a->c->cmd);
	case DOCKERFILE_ENTRYPOINT:
		return set_entrypoint(a);
	case DOCKERFILE_USER:
		return set_text(a, &a->c->user);
	case DOCKERFILE_WORKDIR:
		return set_workdir(a);
	case DOCKERFILE_VOLUME:
		return set_volumes(a);
	case DOCKERFILE_EXPOSE:
		return set_ports(a);
	case DOCKERFILE_STOPSIGNAL:
		return set_stop_signal(a);
	case DOCKERFILE_HEALTHCHECK:
		return set_health(a);
	case DOCKERFILE_SHELL:
		return set_shell(a);
	case DOCKERFILE_MAINTAINER:
		return set_text(a, &a->c->author);
	case DOCKERFILE_ONBUILD:
		strv_add(&a->c->on_build, a->i->args.items[0]);
		strbuf_addstr(&a->text, a->i->args.items[0]);
		return strv_check(&a->c->on_build, a->e);
	default:
		return err_set(a->e, EINVAL, "%s changes no configuration",
			       dockerfile_op_name(a->i->op));
	}
}

int build_config_apply(struct build_config *c, const struct instruction *i, const struct expand *x,
		       char **ret_text, struct err *e)
{
	struct apply a = {.c = c, .i = i, .x = x, .e = e};
	int r = apply(&a);

	*ret_text =
		r < 0 ? NULL : str_printf("%s %s", dockerfile_op_name(i->op), strbuf_str(&a.text));
	strbuf_free(&a.text);
	return r < 0 ? r : *ret_text ? 0 : err_oom(e);
}
