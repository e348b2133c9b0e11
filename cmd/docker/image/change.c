/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/image/change.h"

#include <ctype.h>
#include <stdlib.h>

#include "runtime/base/json/json.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

void image_change_free(struct image_change *c)
{
	strv_free(&c->env);
	strv_free(&c->cmd);
	strv_free(&c->entrypoint);
	strv_free(&c->ports);
	strv_free(&c->volumes);
	strv_free(&c->on_build);
	strv_free(&c->labels);
	free(c->user);
	free(c->workdir);
	free(c->stop_signal);
	*c = (struct image_change){0};
}

/* --- words -------------------------------------------------------------------------------- */

static const char *skip_blanks(const char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

/* The next word; quotes keep blanks together and go, a backslash takes what follows as it is. */
static const char *next_word(const char *s, struct strbuf *out)
{
	char quote = 0;

	for (; *s && (quote || !isspace((unsigned char)*s)); s++) {
		if (quote ? *s == quote : *s == '"' || *s == '\'')
			quote = quote ? 0 : *s;
		else if (*s == '\\' && s[1] && quote != '\'')
			strbuf_addch(out, *++s);
		else
			strbuf_addch(out, *s);
	}
	return skip_blanks(s);
}

static int words(const char *s, struct strv *ret, struct err *e)
{
	while (*s) {
		_strbuf_ struct strbuf word = STRBUF_INIT;

		s = next_word(s, &word);
		strv_take(ret, strbuf_take(&word));
	}
	return strv_check(ret, e);
}

/* A JSON list of strings: 1, or 0 for anything else. */
static int json_list(const char *s, struct strv *ret, struct err *e)
{
	_json_ struct json *doc = NULL;

	if (*s != '[' || json_parse(s, strlen(s), JSON_CONFIG_MAX, &doc, NULL) < 0 ||
	    !json_is_array(doc))
		return 0;
	for (const struct json *i = json_first(doc); i; i = json_next(i)) {
		if (!json_text(i))
			return 0;
	}
	for (const struct json *i = json_first(doc); i; i = json_next(i))
		strv_add(ret, json_text(i));
	return strv_check(ret, e) < 0 ? -ENOMEM : 1;
}

/* --- instructions ------------------------------------------------------------------------- */

static int set_command(const char *s, struct strv *ret, struct err *e)
{
	int r;

	strv_free(ret);
	r = json_list(s, ret, e);
	if (r)
		return r < 0 ? r : 0;
	strv_add(ret, "/bin/sh");
	strv_add(ret, "-c");
	strv_add(ret, s);
	return strv_check(ret, e);
}

/* "A=1 B=2", or the old form "A the rest". */
static int set_pairs(const char *name, const char *s, struct strv *ret, struct err *e)
{
	_strv_ struct strv list = STRV_INIT;
	size_t first = strcspn(s, " \t=");
	int r;

	if (s[first] != '=') {
		const char *value = skip_blanks(s + first);

		if (!*value)
			return err_set(e, EINVAL,
				       "dockerfile parse error line 1: %s must have two "
				       "arguments",
				       name);
		strv_take(&list, str_printf("%.*s=%s", (int)first, s, value));
		r = strv_check(&list, e);
	} else {
		r = words(s, &list, e);
	}
	for (size_t i = 0; r >= 0 && i < list.n; i++) {
		if (!strchr(list.items[i], '='))
			return err_set(e, EINVAL,
				       "dockerfile parse error line 1: Syntax error - can't find = "
				       "in \"%s\". Must be of the form: name=value",
				       list.items[i]);
		strv_set_env(ret, list.items[i]);
	}
	return r < 0 ? r : strv_check(ret, e);
}

static int set_ports(const char *s, struct strv *ret, struct err *e)
{
	_strv_ struct strv list = STRV_INIT;
	int r = words(s, &list, e);

	for (size_t i = 0; r >= 0 && i < list.n; i++) {
		const char *port = list.items[i];
		size_t digits = strspn(port, "0123456789-");

		if (!digits || (port[digits] && port[digits] != '/'))
			return err_set(e, EINVAL, "Invalid containerPort: %s", port);
		strv_take(ret, str_printf("%s%s", port, port[digits] ? "" : "/tcp"));
	}
	return r < 0 ? r : strv_check(ret, e);
}

static int set_volumes(const char *s, struct strv *ret, struct err *e)
{
	int r = json_list(s, ret, e);

	if (!r)
		r = words(s, ret, e);
	return r < 0 ? r : 0;
}

static int set_text(const char *s, char **ret, struct err *e)
{
	free(*ret);
	*ret = strdup(s);
	return *ret ? 0 : err_oom(e);
}

/* Relative ones add up, as in a Dockerfile. */
static int set_workdir(const char *s, char **ret, struct err *e)
{
	_free_ char *dir = *s == '/'
				   ? strdup(s)
				   : str_printf("%s/%s", *ret && !str_eq(*ret, "/") ? *ret : "", s);

	return dir ? set_text(dir, ret, e) : err_oom(e);
}

static int apply(struct image_change *c, const char *name, const char *value, struct err *e)
{
	if (str_eq(name, "CMD"))
		return c->has_cmd = true, set_command(value, &c->cmd, e);
	if (str_eq(name, "ENTRYPOINT"))
		return c->has_entrypoint = true, set_command(value, &c->entrypoint, e);
	if (str_eq(name, "ENV"))
		return set_pairs(name, value, &c->env, e);
	if (str_eq(name, "LABEL"))
		return set_pairs(name, value, &c->labels, e);
	if (str_eq(name, "EXPOSE"))
		return set_ports(value, &c->ports, e);
	if (str_eq(name, "VOLUME"))
		return set_volumes(value, &c->volumes, e);
	if (str_eq(name, "USER"))
		return set_text(value, &c->user, e);
	if (str_eq(name, "WORKDIR"))
		return set_workdir(value, &c->workdir, e);
	if (str_eq(name, "ONBUILD")) {
		strv_add(&c->on_build, value);
		return strv_check(&c->on_build, e);
	}
	return -ENOENT;
}

int image_change_parse(struct image_change *c, const char *text, struct err *e)
{
	const char *s = skip_blanks(text), *value;
	_free_ char *name = strndup(s, strcspn(s, " \t"));
	int r;

	if (!name)
		return err_oom(e);
	value = skip_blanks(s + strlen(name));
	for (char *p = name; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	if (!*name)
		return err_set(e, EINVAL, "file with no instructions");
	r = *value ? apply(c, name, value, e) : -ENODATA;
	if (r == -ENODATA)
		return err_set(e, EINVAL,
			       "dockerfile parse error line 1: %s requires at least one "
			       "argument",
			       name);
	if (r != -ENOENT)
		return r;
	for (char *p = name; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return err_set(e, EINVAL, "%s is not a valid change command", name);
}
