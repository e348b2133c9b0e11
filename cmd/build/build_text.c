/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/build_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/build/build_stream.h"
#include "cmd/frame/cmd.h"
#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/io.h"

#define LINE_MAX_BYTES 65536u
#define TAIL_MAX_BYTES 32768u

static void flush(const struct strbuf *out)
{
	/* A caller that closes our standard error wants to hear nothing; the build goes on. */
	(void)io_write_all(STDERR_FILENO, strbuf_str(out), out->len, NULL);
}

static void say(const struct build_text *p, struct strbuf *out)
{
	if (!p->quiet && !p->is_stream && !p->muted)
		flush(out);
}

static double seconds(const struct build_text *p)
{
	return (double)(clock_monotonic_ns() - p->began_ns) / 1e9;
}

int build_text_share(struct build_text *p, struct err *e)
{
	void *numbers = mmap(NULL, sizeof(*p->numbers), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (numbers == MAP_FAILED)
		return err_sys(e, "memory for the numbers of steps");
	p->numbers = numbers;
	atomic_store(p->numbers, p->n);
	return 0;
}

/* A step may be a base image's (ONBUILD). What its program prints goes on as it comes. */
static void show_name(struct build_text *p)
{
	_strbuf_ struct strbuf shown = STRBUF_INIT;

	if (!p->name || !isatty(STDERR_FILENO))
		return;
	strbuf_add_lines_escaped(&shown, p->name, strlen(p->name));
	free(p->name);
	p->name = strbuf_take(&shown);
}

void build_text_prepare(struct build_text *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	free(p->name);
	p->name = str_vprintf(fmt, ap);
	va_end(ap);
	show_name(p);
	p->is_opened = false;
	p->began_ns = clock_monotonic_ns();
	strbuf_reset(&p->line);
	strbuf_reset(&p->tail);
}

static void add_name(struct build_text *p, struct strbuf *out)
{
	if (p->is_opened || p->muted)
		return;
	p->is_opened = true;
	p->n = p->numbers ? atomic_fetch_add(p->numbers, 1) + 1 : p->n + 1;
	strbuf_addf(out, "#%u %s\n", p->n, p->name ? p->name : "");
}

void build_text_open(struct build_text *p)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	add_name(p, &out);
	say(p, &out);
}

void build_text_step(struct build_text *p, size_t at, size_t all, const char *text)
{
	if (p->is_stream && !p->quiet)
		build_stream_say("Step %zu/%zu : %s\n", at, all, text);
}

void build_text_stepped(struct build_text *p, const char *key)
{
	if (p->is_stream && !p->quiet)
		build_stream_say(" ---> %.12s\n", key);
}

/* The beginning goes where there is too much. */
static void keep_tail(struct build_text *p, const char *line, size_t len)
{
	if (p->tail.len + len > TAIL_MAX_BYTES) {
		const char *half = p->tail.data ? memchr(p->tail.data + p->tail.len / 2, '\n',
							 p->tail.len - p->tail.len / 2)
						: NULL;
		size_t left = half ? p->tail.len - (size_t)(half + 1 - p->tail.data) : 0;

		if (left)
			memmove(p->tail.data, half + 1, left);
		p->tail.len = left;
	}
	strbuf_add(&p->tail, line, len);
}

static void end_line(struct build_text *p)
{
	_strbuf_ struct strbuf out = STRBUF_INIT, line = STRBUF_INIT;

	strbuf_addf(&line, "%.3f ", seconds(p));
	strbuf_add(&line, p->line.data, p->line.len);
	strbuf_addch(&line, '\n');
	strbuf_addf(&out, "#%u ", p->n);
	strbuf_add(&out, line.data, line.len);
	say(p, &out);
	keep_tail(p, line.data, line.len);
	strbuf_reset(&p->line);
}

void build_text_output(struct build_text *p, const char *data, size_t len)
{
	if (p->is_stream) {
		if (!p->quiet)
			build_stream_data(data, len);
		return;
	}
	for (size_t i = 0; i < len; i++) {
		if (data[i] == '\n' || p->line.len > LINE_MAX_BYTES)
			end_line(p);
		if (data[i] != '\n' && data[i] != '\r')
			strbuf_addch(&p->line, data[i]);
	}
}

static void end(struct build_text *p, const char *word)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	if (p->line.len)
		end_line(p);
	/* In one piece: others may speak in between. */
	add_name(p, &out);
	strbuf_addf(&out, "#%u %s\n\n", p->n, word);
	say(p, &out);
}

void build_text_skip(struct build_text *p)
{
	strbuf_reset(&p->line);
}

void build_text_cancelled(struct build_text *p)
{
	end(p, "CANCELED");
}

void build_text_cached(struct build_text *p)
{
	if (p->is_stream && !p->quiet)
		build_stream_say(" ---> Using cache\n");
	end(p, "CACHED");
}

void build_text_done(struct build_text *p)
{
	char word[40];

	snprintf(word, sizeof(word), "DONE %.1fs", seconds(p));
	end(p, word);
}

void build_text_failed(struct build_text *p, const char *why)
{
	_strbuf_ struct strbuf out = STRBUF_INIT, line = STRBUF_INIT;

	if (p->is_stream)
		return;
	if (p->line.len)
		end_line(p);
	if (!p->quiet) {
		strbuf_addf(&line, "#%u ERROR: %s\n", p->n, why);
		(void)cmd_write_shown(STDERR_FILENO, &line, NULL);
	}
	strbuf_addf(&out, "------\n > %s:\n", p->name ? p->name : "");
	if (p->tail.len)
		strbuf_add(&out, p->tail.data, p->tail.len);
	strbuf_addstr(&out, "------\n");
	flush(&out);
}

void build_text_free(struct build_text *p)
{
	strbuf_free(&p->line);
	strbuf_free(&p->tail);
	free(p->name);
	if (p->numbers)
		munmap(p->numbers, sizeof(*p->numbers));
	*p = (struct build_text){0};
}
