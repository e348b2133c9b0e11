/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Fills the generated parts into a man page's source (docs/man/NAME.1.in): the hand-written text
 * stays, the lines that repeat what the tables say are made from the tables. A page is read from
 * stdin, a line "@OPTIONS@" and its like is replaced, the rest is copied.
 */

#include <string.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "cmd/frame/frame.h"
#include "cmd/frame/text.h"
#include "runtime/base/err.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"

#define PAGE_MAX (1u << 20)

static void add_commands(const struct verb *v, struct strbuf *out)
{
	(void)v;
	strbuf_addstr(out, ".Bl -tag -width inspect\n");
	for (const struct command *c = command_list; c->name; c++) {
		if (str_eq(c->name, "help"))
			strbuf_addstr(out, ".It Cm help\n");
		else
			strbuf_addf(out, ".It Xr csbx-%s 1\n", c->name);
		strbuf_addf(out, "%s.\n", c->summary);
	}
	strbuf_addstr(out, ".El\n");
}

static void add_summary(const struct verb *v, struct strbuf *out)
{
	const struct command *c = command_find(v->name);

	if (c)
		strbuf_addf(out, ".Nd %c%s\n", c->summary[0] | 0x20, c->summary + 1);
}

/* One word of a usage line: "-x" is a flag, "A|B" are two arguments, "NAME..." repeats. */
static void add_usage_word(struct strbuf *out, const char *word, size_t len)
{
	bool repeats = len > 3 && !strncmp(word + len - 3, "...", 3);
	const char *bar;

	len -= repeats ? 3 : 0;
	if (word[0] == '-') {
		strbuf_addstr(out, " Fl ");
		strbuf_add(out, word + 1, len - 1);
		return;
	}
	while ((bar = memchr(word, '|', len))) {
		strbuf_addstr(out, " Ar ");
		strbuf_add(out, word, (size_t)(bar - word));
		strbuf_addstr(out, " Ns | Ns");
		len -= (size_t)(bar - word) + 1;
		word = bar + 1;
	}
	strbuf_addstr(out, " Ar ");
	strbuf_add(out, word, len);
	if (repeats)
		strbuf_addstr(out, " ...");
}

/* "[OPTIONS] NAME [COMMAND [ARG...]]": brackets that close together are one line of macros. */
static void add_synopsis(const struct verb *v, struct strbuf *out)
{
	const char *p = v->usage;

	strbuf_addf(out, ".Nm csbx %s\n", v->name);
	while (*p) {
		size_t depth = 0, begin = out->len;

		do {
			size_t n;

			for (p += strspn(p, " "); *p == '['; p++, depth++)
				strbuf_addstr(out, " Op");
			n = strcspn(p, " []");
			if (n)
				add_usage_word(out, p, n);
			for (p += n; *p == ']'; p++)
				depth--;
		} while (*p && depth);
		if (out->len > begin)
			out->data[begin] = '.';
		strbuf_addch(out, '\n');
	}
}

static void add_description(const struct verb *v, struct strbuf *out)
{
	text_man_prose(out, v->description);
}

static void add_options(const struct verb *v, struct strbuf *out)
{
	struct opt_parser parser = frame_parser(v);

	opt_format_man(&parser, out);
}

static void add_examples(const struct verb *v, struct strbuf *out)
{
	for (const struct verb_example *x = v->examples; x && x->command; x++) {
		_strbuf_ struct strbuf text = STRBUF_INIT;

		if (x != v->examples)
			strbuf_addstr(out, ".Pp\n");
		strbuf_addf(&text, "%s:", x->text);
		text_man_prose(out, strbuf_str(&text));
		strbuf_reset(&text);
		strbuf_addf(&text, "    %s", x->command);
		text_man_prose(out, strbuf_str(&text));
	}
}

static void add_keys(const struct verb *v, struct strbuf *out)
{
	_strbuf_ struct strbuf key = STRBUF_INIT;

	strbuf_addstr(out, ".Bl -tag -width Ds -compact\n");
	for (const struct opt_use *u = v->uses; u && u->table; u++) {
		for (const struct opt *o = u->table->opts; o->kind; o++) {
			if (!o->has_key)
				continue;
			strbuf_reset(&key);
			opt_key_name(o, &key);
			strbuf_addf(out, ".It Ev %s Ar %s\nStands in for\n.Fl -%s .\n",
				    strbuf_str(&key), o->arg ? o->arg : "yes|no", o->name);
		}
	}
	strbuf_addstr(out, ".El\n");
}

static const struct {
	const char *line;
	void (*add)(const struct verb *v, struct strbuf *out);
	bool needs_verb;
} parts[] = {
	{"@COMMANDS@", add_commands, false}, {"@SUMMARY@", add_summary, true},
	{"@SYNOPSIS@", add_synopsis, true},  {"@DESCRIPTION@", add_description, true},
	{"@OPTIONS@", add_options, true},    {"@EXAMPLES@", add_examples, true},
	{"@KEYS@", add_keys, true},
};

static void add_line(const struct verb *v, const char *line, size_t len, struct strbuf *out)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (strlen(parts[i].line) != len || strncmp(parts[i].line, line, len))
			continue;
		if (v || !parts[i].needs_verb)
			parts[i].add(v, out);
		return;
	}
	strbuf_add(out, line, len);
	strbuf_addch(out, '\n');
}

int man_main(const struct verb *v)
{
	_strbuf_ struct strbuf page = STRBUF_INIT, out = STRBUF_INIT;
	struct err e = ERR_INIT;

	if (io_read_all_given(STDIN_FILENO, PAGE_MAX, &page, &e) < 0)
		return cmd_error(&e, "__man");
	for (const char *p = strbuf_str(&page); *p;) {
		size_t n = strcspn(p, "\n");

		add_line(v, p, n, &out);
		p += n + (p[n] == '\n');
	}
	return cmd_print(&out);
}
