/* SPDX-License-Identifier: Apache-2.0 */
/* The output of templates and the errors in them; the texts were taken from docker 28. */
#include "cmd/docker/show/template.h"

#include "cmd/docker/show/format.h"
#include "cmd/docker/show/value.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "tests/unit/tap.h"

static void fill(struct docker_value *root)
{
	struct docker_value *state, *config, *map, *list, *port;

	root->type = "types.ContainerJSON";
	docker_value_in_go(docker_value_str(root, "Id", "48418f43d112"), "ID");
	docker_value_str(root, "Name", "/cc");
	state = docker_value_add(root, "State", DOCKER_VALUE_STRUCT);
	state->type = "types.ContainerState";
	docker_value_str(state, "Status", "running");
	docker_value_bool(state, "Running", true);
	docker_value_int(state, "Pid", 4576);
	docker_value_add(state, "Health", DOCKER_VALUE_NIL)->flags = DOCKER_VALUE_GO_ONLY;
	config = docker_value_add(root, "Config", DOCKER_VALUE_STRUCT);
	list = docker_value_add(config, "Env", DOCKER_VALUE_LIST);
	docker_value_str(list, NULL, "A=1");
	docker_value_str(list, NULL, "B=<2>");
	docker_value_add(config, "Entrypoint", DOCKER_VALUE_NOLIST);
	map = docker_value_add(config, "Labels", DOCKER_VALUE_MAP);
	docker_value_str(map, "z", "last");
	docker_value_str(map, "a", "b");
	map = docker_value_add(root, "Ports", DOCKER_VALUE_MAP);
	port = docker_value_add(docker_value_add(map, "80/tcp", DOCKER_VALUE_LIST), NULL,
				DOCKER_VALUE_STRUCT);
	docker_value_str(port, "HostPort", "8080");
}

/* As `docker inspect` does it: as a struct, then as JSON. */
static const char *render(const struct docker_value *dot, const char *text, struct strbuf *out)
{
	_template_ struct template *t = NULL;
	struct err e = ERR_INIT;

	strbuf_reset(out);
	if (template_parse("", text, &t, &e) >= 0 && template_run(t, dot, 0, out, &e) < 0) {
		strbuf_reset(out);
		e = (struct err){0};
		template_run(t, dot, TEMPLATE_RAW, out, &e);
	}
	if (e.code) {
		strbuf_reset(out);
		strbuf_addstr(out, e.msg);
	}
	return strbuf_str(out);
}

static const struct {
	const char *text, *want;
} cases[] = {
	{"", ""},
	{"plain", "plain"},
	{"{{.Name}}", "/cc"},
	{"{{.ID}}", "48418f43d112"},
	{"{{.Id}}", "48418f43d112"},
	{"{{ .State.Status }}|{{.State.Pid}}|{{.State.Running}}", "running|4576|true"},
	{"{{.State}}", "{running true 4576 <nil>}"},
	{"{{json .State}}", "{\"Status\":\"running\",\"Running\":true,\"Pid\":4576}"},
	{"{{.Config.Env}}", "[A=1 B=<2>]"},
	{"{{json .Config.Env}}", "[\"A=1\",\"B=<2>\"]"},
	{"{{.Config.Labels}}", "map[a:b z:last]"},
	{"{{.Config.Labels.a}}|{{.Config.Labels.q}}", "b|<no value>"},
	{"{{index .Config.Labels \"a\"}}|{{index .Config.Labels \"q\"}}|", "b||"},
	{"{{index .Config.Env 1}}", "B=<2>"},
	{"{{(index (index .Ports \"80/tcp\") 0).HostPort}}", "8080"},
	{"{{index .Ports \"81/tcp\"}}", "[]"},
	{"{{.Config.Entrypoint}}|{{json .Config.Entrypoint}}|{{len .Config.Entrypoint}}",
	 "[]|null|0"},
	{"{{range .Config.Env}}{{println .}}{{end}}", "A=1\nB=<2>\n"},
	{"{{range $i, $e := .Config.Env}}{{$i}}:{{$e}} {{end}}", "0:A=1 1:B=<2> "},
	{"{{range $k, $v := .Config.Labels}}{{$k}}={{$v}},{{end}}", "a=b,z=last,"},
	{"{{range .Config.Entrypoint}}x{{else}}none{{end}}", "none"},
	{"{{range $p, $b := .Ports}}{{range $b}}{{$p}}={{.HostPort}} {{$.Name}}{{end}}{{end}}",
	 "80/tcp=8080 /cc"},
	{"{{with .State}}{{.Status}}{{end}}", "running"},
	{"{{with .Config.Entrypoint}}x{{else}}y{{end}}", "y"},
	{"{{if .State.Running}}y{{else}}n{{end}}", "y"},
	{"{{if eq .State.Status \"paused\"}}1{{else if eq .State.Pid 4576}}2{{else}}3{{end}}", "2"},
	{"{{if and .State.Running (ne .State.Pid 0)}}y{{end}}", "y"},
	{"{{if or (not .State.Running) false}}y{{end}}", ""},
	{"{{eq .State.Status \"a\" \"running\"}}", "true"},
	{"{{lt 1 2}}{{le 2 2}}{{gt 1 2}}{{ge 1 2}}", "truetruefalsefalse"},
	{"{{join .Config.Env \",\"}}", "A=1,B=<2>"},
	{"{{.Name | printf \"%s-%d\" \"x\"}}", "x-%!d(string=/cc)"},
	{"{{printf \"%-6s|%4d|%q|%v|%t|%%\" .Name .State.Pid .Name .State.Pid .State.Running}}",
	 "/cc   |4576|\"/cc\"|4576|true|%"},
	{"{{printf \"%s\"}}", "%!s(MISSING)"},
	{"{{upper .Name}} {{lower \"AB\"}} {{title \"ab cd\"}} {{split \"a,b\" \",\"}}",
	 "/CC ab Ab Cd [a b]"},
	{"{{pad \"x\" 2 3}}|{{pad \"\" 2 3}}|{{truncate .Id 5}}|{{slice .Id 1 3}}",
	 "  x   ||48418|84"},
	{"{{.State.Pid | json}}", "4576"},
	{"{{print 1 2 \"a\" 3}} {{println 1 2}}", "1 2a3 1 2\n"},
	{"{{- \"a\" -}}   b", "ab"},
	{"x  {{- /* note */ -}}  y", "xy"},
	{"{{/* note */}}x", "x"},
	{"{{$x := .Name}}{{$x}}{{$x = \"n\"}}{{$x}}", "/ccn"},
	{"{{`a\\n`}}{{\"b\\n\\t\\\"\\x41\"}}", "a\\nb\n\t\"A"},
	{"{{len .Name}} {{0x10}} {{-3}}", "3 16 -3"},
	{"{{true}} {{not nil}}", "true true"},
	{"{{.}}", "{48418f43d112 /cc {running true 4576 <nil>} {[A=1 B=<2>] [] map[a:b z:last]} "
		  "map[80/tcp:[{8080}]]}"},
	/* Errors, in docker's words. */
	{"{{.Nope}}",
	 "template: :1:2: executing \"\" at <.Nope>: map has no entry for key \"Nope\""},
	{"{{.State.Nope}}",
	 "template: :1:8: executing \"\" at <.State.Nope>: map has no entry for key "
	 "\"Nope\""},
	{"{{.ID}} {{.Id}}",
	 "template: :1:2: executing \"\" at <.ID>: map has no entry for key \"ID\""},
	{"{{.Name.Foo}}",
	 "template: :1:7: executing \"\" at <.Name.Foo>: can't evaluate field Foo in "
	 "type interface {}"},
	{"{{index .Config.Env 9}}",
	 "template: :1:2: executing \"\" at <index .Config.Env 9>: error "
	 "calling index: index out of range: 9"},
	{"a\n{{.Nope}}",
	 "template: :2:2: executing \"\" at <.Nope>: map has no entry for key \"Nope\""},
	{"{{", "template: :1: unclosed action"},
	{"{{.Id", "template: :1: unclosed action"},
	{"{{nofunc .Id}}", "template: :1: function \"nofunc\" not defined"},
	{"{{end}}", "template: :1: unexpected {{end}}"},
	{"{{else}}", "template: :1: unexpected {{else}}"},
	{"{{if .Id}}", "template: :1: unexpected EOF"},
	{"{{if}}x{{end}}", "template: :1: missing value for if"},
	{"{{}}", "template: :1: missing value for command"},
	{"{{\"a}}", "template: :1: unterminated quoted string"},
	{"{{$y}}", "template: :1: undefined variable \"$y\""},
	{"{{(.Id}}", "template: :1: unclosed left paren"},
	{"{{.Id)}}", "template: :1: unexpected right paren"},
	{"{{/* x}}", "template: :1: unclosed comment"},
	{"{{json}}",
	 "template: :1:2: executing \"\" at <json>: wrong number of args for json: want 1 got 0"},
	{"{{1a}}", "template: :1: bad number syntax: \"1a\""},
	{"{{define \"x\"}}{{end}}", "template: :1: {{define}} is not supported by csbx"},
};

static void test_heads(const struct docker_value *root)
{
	_template_ struct template *t = NULL;
	_strbuf_ struct strbuf out = STRBUF_INIT;

	template_parse("", "{{json .Name}} {{upper .ID}} {{.Nope}} {{.Label \"a.b-c\"}}", &t, NULL);
	ok(template_run(t, root, TEMPLATE_HEADER, &out, NULL) >= 0, "heads of columns");
	is_str(strbuf_str(&out), "/cc 48418f43d112 <no value> b c", "functions leave them alone");
}

static void test_bounds(const struct docker_value *root)
{
	_strbuf_ struct strbuf text = STRBUF_INIT, out = STRBUF_INIT;

	for (int i = 0; i < 3000; i++)
		strbuf_addstr(&text, "{{if .Id}}");
	ok(strstr(render(root, strbuf_str(&text), &out), "csbx"), "deep nesting is refused");
	strbuf_reset(&text);
	strbuf_addstr(&text, "{{");
	for (int i = 0; i < 3000; i++)
		strbuf_addch(&text, '(');
	ok(strstr(render(root, strbuf_str(&text), &out), "too deep"), "so are many parentheses");
	strbuf_reset(&text);
	strbuf_addstr(&text, "{{$x := \"0123456789\"}}");
	for (int i = 0; i < 60; i++)
		strbuf_addstr(&text, "{{$x = print $x $x}}");
	ok(strstr(render(root, strbuf_str(&text), &out), "ENOMEM") ||
		   strstr(strbuf_str(&out), "memory"),
	   "text does not double for ever");
}

static void test_columns(void)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	format_columns("ID\tNAME\n123456789012\tb\n\n\tx\ty\n", &out);
	is_str(strbuf_str(&out), "ID             NAME\n123456789012   b\n\n          x         y\n",
	       "columns are as wide as their widest cell, and end where a line has none");
}

static const struct format_head heads[] = {{"ID", "ID OF IT"}, {"Name", "NAME"}, {0}};

static const char *rows(const char *format, struct strbuf *out)
{
	_docker_value_ struct docker_value *list = docker_value_new(DOCKER_VALUE_LIST);
	const struct format f = {format, "{{.ID}}\\t{{.Name}}", "raw: {{.Name}}", heads};
	struct err e = ERR_INIT;

	fill(docker_value_add(list, NULL, DOCKER_VALUE_STRUCT));
	strbuf_reset(out);
	return format_rows(&f, list, out, &e) < 0 ? e.msg[0] ? "failed" : "" : strbuf_str(out);
}

static void test_rows(void)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	is_str(rows(NULL, &out), "ID OF IT       NAME\n48418f43d112   /cc\n", "no format: a table");
	is_str(rows("table {{.Name}}", &out), "NAME\n/cc\n", "a table of one column");
	is_str(rows("{{.Name}}\\t{{.ID}}", &out), "/cc\t48418f43d112\n", "a template a row");
	is_str(rows("raw", &out), "raw: /cc\n", "raw");
	is_str(rows("{{.Nope}}", &out), "failed", "an unknown field");
	ok(strstr(rows("json", &out), "\"Name\":\"/cc\""), "json");
}

int main(void)
{
	_docker_value_ struct docker_value *root = docker_value_new(DOCKER_VALUE_STRUCT);
	_strbuf_ struct strbuf out = STRBUF_INIT;

	fill(root);
	is_int(docker_value_check(root, NULL), 0, "a tree");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		is_str(render(root, cases[i].text, &out), cases[i].want, "%s", cases[i].text);
	test_heads(root);
	test_bounds(root);
	test_columns();
	test_rows();
	return done_testing();
}
