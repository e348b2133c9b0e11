/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/image/progress.h"

#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cmd/frame/text.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"

#define REDRAW_NS 100000000ull
#define BAR_MAX 40u

static const char *const phase_names[] = {
	[IMPORT_INDEX] = "reading layers",
	[IMPORT_DATA] = "writing files",
	[IMPORT_TABLES] = "writing names",
	[IMPORT_SYNC] = "flushing to disk",
};

uint64_t progress_clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void progress_init(struct progress *p, bool quiet)
{
	*p = (struct progress){.quiet = quiet, .terminal = isatty(STDERR_FILENO), .phase = -1};
}

void progress_add_size(struct strbuf *out, uint64_t bytes)
{
	text_add_size(out, bytes);
}

static void add_bar(struct strbuf *out, const struct import_progress *now, unsigned columns)
{
	unsigned width = columns > 70 ? (columns - 60 < BAR_MAX ? columns - 60 : BAR_MAX) : 0, done;
	uint64_t part = now->done_bytes < now->total_bytes ? now->done_bytes : now->total_bytes;

	if (!now->total_bytes)
		return;
	done = (unsigned)((double)part / (double)now->total_bytes * width);
	if (width)
		strbuf_addstr(out, " [");
	for (unsigned i = 0; i < width; i++)
		strbuf_addch(out, i < done ? '=' : i == done ? '>' : ' ');
	if (width)
		strbuf_addch(out, ']');
	strbuf_addf(out, " %3.0f %%", (double)part / (double)now->total_bytes * 100);
}

static void draw(struct progress *p, const struct import_progress *now, uint64_t clock_ns)
{
	_strbuf_ struct strbuf line = STRBUF_INIT;
	double seconds = (double)(clock_ns - p->phase_ns) / 1e9;
	struct winsize size = {0};
	unsigned columns =
		ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_col ? 80 : size.ws_col;

	strbuf_addf(&line, "\r%-16s", phase_names[now->phase]);
	if (now->phase == IMPORT_INDEX || now->phase == IMPORT_DATA) {
		add_bar(&line, now, columns);
		strbuf_addstr(&line, "  ");
		progress_add_size(&line, now->done_bytes);
		if (seconds > 0.3) {
			strbuf_addstr(&line, ", ");
			progress_add_size(&line, (uint64_t)((double)now->done_bytes / seconds));
			strbuf_addstr(&line, "/s");
		}
	}
	if (line.len > columns)
		line.len = columns;
	strbuf_addstr(&line, "\033[K");
	if (!line.failed)
		io_write_all(STDERR_FILENO, line.data, line.len, NULL);
	p->drawn_ns = clock_ns;
}

void progress_show(void *arg, const struct import_progress *now)
{
	struct progress *p = arg;
	uint64_t clock_ns;
	bool fresh = p->phase != (int)now->phase;

	if (p->quiet || !p->terminal)
		return;
	clock_ns = progress_clock_ns();
	if (fresh) {
		p->phase = (int)now->phase;
		p->phase_ns = clock_ns;
	}
	if (fresh || clock_ns - p->drawn_ns >= REDRAW_NS)
		draw(p, now, clock_ns);
}

void progress_done(struct progress *p)
{
	if (p->terminal && !p->quiet && p->phase >= 0)
		io_write_all(STDERR_FILENO, "\r\033[K", 4, NULL);
	p->phase = -1;
}
