/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/script.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void stop(const char *fmt, ...)
{
	va_list ap;

	fputs("stopwatch: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

static void *grow(void *p, size_t bytes)
{
	p = realloc(p, bytes);
	if (!p)
		stop("out of memory");
	return p;
}

static char *copy(const char *s)
{
	size_t len = strlen(s) + 1;

	return memcpy(grow(NULL, len), s, len);
}

static void add_word(struct command *c, const char *word)
{
	c->argv = grow(c->argv, (c->n + 2) * sizeof(*c->argv));
	c->argv[c->n++] = copy(word);
	c->argv[c->n] = NULL;
}

static void add_expected(struct bench_case *c, const char *line)
{
	size_t old = c->expect ? strlen(c->expect) : 0, len = strlen(line);

	c->expect = grow(c->expect, old + len + 2);
	memcpy(c->expect + old, line, len);
	memcpy(c->expect + old + len, "\n", 2);
}

static struct bench_case *add_case(struct script *s, const char *name)
{
	s->cases = grow(s->cases, (s->n + 1) * sizeof(*s->cases));
	s->cases[s->n] = (struct bench_case){
		.name = copy(name), .expect = copy(""), .request_fd = -1, .reply_fd = -1};
	return &s->cases[s->n++];
}

static unsigned number(const char *text, char **end)
{
	unsigned long n = strtoul(text, end, 10);

	if (*end == text || n > 1000000)
		stop("malformed number: %s", text);
	return (unsigned)n;
}

/* A line that belongs to a case. Returns the command that further words belong to. */
static struct command *case_line(struct bench_case *c, struct command *cmd, const char *key,
				 const char *value)
{
	if (!strcmp(key, "before"))
		return &c->before;
	if (!strcmp(key, "run"))
		return &c->run;
	if (!strcmp(key, "after"))
		return &c->after;
	if (!strcmp(key, "root")) {
		c->root = copy(value);
	} else if (!strcmp(key, "any")) {
		free(c->expect);
		c->expect = NULL;
	} else if (!strcmp(key, "expect")) {
		add_expected(c, value);
	} else if (!strcmp(key, "arg") && cmd) {
		add_word(cmd, value);
	} else {
		stop("unknown line: %s", key);
	}
	return cmd;
}

static void check(const struct script *s)
{
	if (!s->rounds || !s->n)
		stop("no rounds or no cases");
	for (size_t i = 0; i < s->n; i++) {
		if (!s->cases[i].run.argv)
			stop("case %s has no command", s->cases[i].name);
	}
}

void script_read(struct script *s)
{
	struct bench_case *c = NULL;
	struct command *cmd = NULL;
	char *line = NULL, *end;
	size_t cap = 0;
	ssize_t len;

	while ((len = getline(&line, &cap, stdin)) > 0) {
		char *value;

		if (line[len - 1] == '\n')
			line[len - 1] = 0;
		value = strchr(line, ' ');
		if (value)
			*value++ = 0;
		else
			value = line + strlen(line);
		if (!strcmp(line, "rounds")) {
			s->rounds = number(value, &end);
		} else if (!strcmp(line, "warmup")) {
			s->warmup = number(value, &end);
		} else if (!strcmp(line, "batch")) {
			s->width = number(value, &end);
			s->total = number(end, &end);
		} else if (!strcmp(line, "case")) {
			c = add_case(s, value);
			cmd = NULL;
		} else if (c) {
			cmd = case_line(c, cmd, line, value);
		} else {
			stop("unknown line: %s", line);
		}
	}
	free(line);
	check(s);
}
