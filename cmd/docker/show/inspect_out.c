/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/show/inspect_out.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/show/format.h"
#include "cmd/docker/show/template.h"
#include "cmd/docker/show/value.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

static bool has_template(const struct inspect_out *x)
{
	return x->format && *x->format && !str_eq(x->format, "json");
}

int inspect_out_check(struct inspect_out *x)
{
	_template_ struct template *t = NULL;
	struct err e = ERR_INIT;

	if (!has_template(x) || template_parse("", x->format, &t, &e) >= 0)
		return 0;
	return docker_say(FORMAT_EXIT_TEMPLATE, "template parsing error: %s", e.msg);
}

/* Puts an object's lines one level deeper. */
static void add_indented(struct inspect_out *x, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		strbuf_addstr(&x->out, "    ");
		strbuf_add(&x->out, text, n);
		text += n;
		if (*text == '\n') {
			strbuf_addch(&x->out, '\n');
			text++;
		}
	}
}

static int add_json(struct inspect_out *x, const struct docker_value *object, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	bool pretty = !x->format || !*x->format;
	int r = docker_value_json(object, pretty, &text, e);

	if (r < 0)
		return r;
	while (text.len && text.data[text.len - 1] == '\n')
		text.data[--text.len] = 0;
	strbuf_addstr(&x->out, x->n ? (pretty ? ",\n" : ",") : (pretty ? "[\n" : "["));
	if (pretty)
		add_indented(x, strbuf_str(&text));
	else
		strbuf_addstr(&x->out, strbuf_str(&text));
	return strbuf_check(&x->out, e);
}

void inspect_out_add(struct inspect_out *x, const struct docker_value *object)
{
	struct err e = ERR_INIT;
	int r = has_template(x) ? format_inspected(x->format, object, &x->out, &e)
				: add_json(x, object, &e);

	if (r)
		inspect_out_error(x, "%s", e.msg);
	else
		x->n++;
}

void inspect_out_error(struct inspect_out *x, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = str_vprintf(fmt, ap);
	va_end(ap);
	strbuf_addf(&x->errors, "%s%s", x->errors.len ? "\n" : "", text ? text : "out of memory");
	free(text);
	x->code = DOCKER_EXIT_FAILED;
}

int inspect_out_end(struct inspect_out *x)
{
	bool pretty = !x->format || !*x->format;
	int code = x->code;

	if (has_template(x))
		strbuf_addstr(&x->out, x->out.len ? "" : "\n");
	else if (!x->n)
		strbuf_addstr(&x->out, "[]\n");
	else
		strbuf_addstr(&x->out, pretty ? "\n]\n" : "]\n");
	if (cmd_print(&x->out) != CMD_EXIT_OK)
		code = DOCKER_EXIT_FAILED;
	if (x->errors.len)
		docker_say(0, "%s", strbuf_str(&x->errors));
	strbuf_free(&x->out);
	strbuf_free(&x->errors);
	return code;
}
