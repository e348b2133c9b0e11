/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/image/transfer_view.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "cmd/image/progress.h"
#include "cmd/image/registry_opts.h"
#include "image/registry/transfer.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"

#define REDRAW_NS 100000000ull
#define BLOB_LINES_MAX 12u
#define NAME_DIGITS 12
#define BAR_WIDTH 24u

void transfer_view_init(struct transfer_view *v, bool quiet)
{
	*v = (struct transfer_view){.quiet = quiet, .terminal = isatty(STDERR_FILENO)};
}

static void add_blob(struct strbuf *out, const struct transfer_item *item)
{
	double part = item->size_bytes ? (double)item->done_bytes / (double)item->size_bytes : 1;
	unsigned done = (unsigned)(part * BAR_WIDTH);

	strbuf_addf(out, "%.*s [", NAME_DIGITS, item->digest.hex);
	for (unsigned i = 0; i < BAR_WIDTH; i++)
		strbuf_addch(out, i < done ? '=' : i == done ? '>' : ' ');
	strbuf_addf(out, "] %3.0f %%  ", part * 100);
	progress_add_size(out, item->size_bytes);
}

static void add_total(struct strbuf *out, const struct transfer_view *v, const struct transfer *t,
		      uint64_t now_ns)
{
	double seconds = (double)(now_ns - v->start_ns) / 1e9;
	uint64_t done = 0, total = 0;
	size_t complete = 0;

	for (size_t i = 0; i < t->n; i++) {
		done += t->items[i].done_bytes;
		total += t->items[i].size_bytes;
		complete += t->items[i].complete;
	}
	strbuf_addf(out, "%zu of %zu blobs, ", complete, t->n);
	progress_add_size(out, done);
	strbuf_addstr(out, " of ");
	progress_add_size(out, total);
	if (seconds > 0.3 && done >= v->had_bytes) {
		strbuf_addstr(out, ", ");
		progress_add_size(out, (uint64_t)((double)(done - v->had_bytes) / seconds));
		strbuf_addstr(out, "/s");
	}
}

/* A line that wraps could not be found again to be redrawn. */
static void end_line(struct strbuf *out, size_t start, unsigned columns)
{
	if (out->len - start > columns - 1)
		out->len = start + columns - 1;
	strbuf_addstr(out, "\033[K\n");
}

static void go_back(const struct transfer_view *v, struct strbuf *out)
{
	if (v->drawn_lines)
		strbuf_addf(out, "\033[%uA", v->drawn_lines);
	strbuf_addstr(out, "\r");
}

static void draw(struct transfer_view *v, const struct transfer *t, uint64_t now_ns)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct winsize size = {0};
	bool known = !ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
	unsigned columns = known && size.ws_col > 1 ? size.ws_col : 80, lines = 0;
	unsigned rows = known && size.ws_row > 3 ? size.ws_row - 2u : BLOB_LINES_MAX;
	size_t total;

	go_back(v, &out);
	for (size_t i = 0; i < t->n && lines < BLOB_LINES_MAX && lines < rows; i++) {
		size_t start = out.len;

		if (t->items[i].complete || !t->items[i].done_bytes)
			continue;
		add_blob(&out, &t->items[i]);
		end_line(&out, start, columns);
		lines++;
	}
	total = out.len;
	add_total(&out, v, t, now_ns);
	end_line(&out, total, columns);
	strbuf_addstr(&out, "\033[J");
	if (!out.failed)
		io_write_all(STDERR_FILENO, out.data, out.len, NULL);
	v->drawn_lines = lines + 1;
	v->drawn_ns = now_ns;
}

static void tell(struct transfer_view *v, const struct transfer *t)
{
	for (size_t i = 0; i < t->n && i < v->n_told; i++) {
		_strbuf_ struct strbuf size = STRBUF_INIT;

		if (!t->items[i].complete || v->told[i])
			continue;
		v->told[i] = true;
		progress_add_size(&size, t->items[i].size_bytes);
		cmd_warn("fetched %s:%.*s, %s", t->items[i].digest.alg, NAME_DIGITS,
			 t->items[i].digest.hex, strbuf_str(&size));
	}
}

static void begin(struct transfer_view *v, const struct transfer *t, uint64_t now_ns)
{
	v->start_ns = now_ns;
	for (size_t i = 0; i < t->n; i++)
		v->had_bytes += t->items[i].done_bytes;
	free(v->told);
	v->told = calloc(t->n, sizeof(*v->told));
	v->n_told = v->told ? t->n : 0;
}

void transfer_view_show(void *arg, const struct transfer *t)
{
	struct transfer_view *v = arg;
	uint64_t now_ns = progress_clock_ns();

	if (v->also)
		v->also(v->also_arg, t);
	if (v->quiet)
		return;
	if (!v->start_ns)
		begin(v, t, now_ns);
	if (!v->terminal)
		tell(v, t);
	else if (now_ns - v->drawn_ns >= REDRAW_NS)
		draw(v, t, now_ns);
}

void transfer_view_wait(struct transfer_view *v, const struct digest *d, uint64_t have_bytes,
			uint64_t size_bytes)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	if (v->quiet)
		return;
	if (!v->terminal) {
		if (!v->told_waiting)
			cmd_warn("waiting for %s:%.*s, which another import fetches", d->alg,
				 NAME_DIGITS, d->hex);
		v->told_waiting = true;
		return;
	}
	go_back(v, &out);
	strbuf_addf(&out, "waiting for %s:%.*s, which another import fetches: ", d->alg,
		    NAME_DIGITS, d->hex);
	progress_add_size(&out, have_bytes);
	strbuf_addstr(&out, " of ");
	progress_add_size(&out, size_bytes);
	strbuf_addstr(&out, "\033[K\n\033[J");
	if (!out.failed)
		io_write_all(STDERR_FILENO, out.data, out.len, NULL);
	v->drawn_lines = 1;
}

/* A line of its own: the drawing goes on below it. */
void transfer_view_silence(void *arg, const char *host, uint64_t silent_ms, uint64_t patience_ms)
{
	struct transfer_view *v = arg;

	if (v->quiet)
		return;
	v->drawn_lines = 0;
	registry_say_silence(NULL, host, silent_ms, patience_ms);
}

void transfer_view_spooled(void *arg, uint64_t bytes)
{
	struct transfer_view *v = arg;
	_strbuf_ struct strbuf out = STRBUF_INIT;
	uint64_t now_ns = progress_clock_ns();

	v->spooled_bytes = bytes;
	if (!v->start_ns)
		v->start_ns = now_ns;
	if (v->quiet || !v->terminal || now_ns - v->drawn_ns < REDRAW_NS)
		return;
	go_back(v, &out);
	strbuf_addstr(&out, "copied ");
	progress_add_size(&out, bytes);
	strbuf_addstr(&out, " from the engine\033[K\n");
	if (!out.failed)
		io_write_all(STDERR_FILENO, out.data, out.len, NULL);
	v->drawn_lines = 1;
	v->drawn_ns = now_ns;
}

void transfer_view_done(struct transfer_view *v)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	if (!v->terminal && !v->quiet && v->spooled_bytes) {
		progress_add_size(&out, v->spooled_bytes);
		cmd_warn("copied %s from the engine", strbuf_str(&out));
	}
	if (v->terminal && v->drawn_lines) {
		go_back(v, &out);
		strbuf_addstr(&out, "\033[J");
		if (!out.failed)
			io_write_all(STDERR_FILENO, out.data, out.len, NULL);
	}
	free(v->told);
	*v = (struct transfer_view){0};
}
