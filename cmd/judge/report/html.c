/* SPDX-License-Identifier: Apache-2.0 */
/* One page: totals, the distribution of times and of memory, a table, the failures. No script, no other file. */
#include <math.h>

#include "cmd/judge/report/markup.h"
#include "cmd/judge/report/rows.h"

#define BINS 24u
#define PLOT_WIDTH 480u
#define PLOT_HEIGHT 140u
#define LABEL_HEIGHT 20u

static const char HEAD[] =
	"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	"style-src 'unsafe-inline'\">"
	"<meta name=\"viewport\" content=\"width=device-width\"><title>csbx</title>\n<style>\n"
	"body{font:15px sans-serif;margin:2em auto;max-width:72em;padding:0 1em;color:#222}\n"
	"table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.3em .6em;"
	"border-bottom:1px solid #ddd;vertical-align:top}td.n,th.n{text-align:right}\n"
	"pre{background:#f5f5f5;padding:.6em;overflow:auto;max-height:24em;white-space:pre-wrap}\n"
	".passed{color:#17663a}.failed{color:#a5281b}.error{color:#8a5a00}\n"
	"svg .passed{fill:#4c9f70}svg .failed{fill:#cf5c4f}svg .error{fill:#d9a441}\n"
	"svg text{font:12px sans-serif}figure{display:inline-block;margin:0 2em 1em 0}\n"
	"</style></head><body>\n";

typedef double number_fn(const struct report_row *row);

static double wall_s(const struct report_row *row)
{
	return row->wall_s;
}

static double memory_mib(const struct report_row *row)
{
	return row->memory_bytes < 0 ? -1 : row->memory_bytes / (1 << 20);
}

struct bins {
	size_t n[BINS][REPORT_VERDICTS], highest, rows;
	double max;
};

static void fill(struct bins *b, const struct report_rows *rows, number_fn *of)
{
	*b = (struct bins){0};
	for (size_t i = 0; i < rows->n; i++)
		b->max = fmax(b->max, of(&rows->items[i]));
	for (size_t i = 0; i < rows->n; i++) {
		double v = of(&rows->items[i]);
		size_t bin, sum = 0;

		if (v < 0)
			continue;
		bin = b->max > 0 ? (size_t)(v / b->max * BINS) : 0;
		bin = bin < BINS ? bin : BINS - 1;
		b->n[bin][rows->items[i].verdict]++;
		for (size_t k = 0; k < REPORT_VERDICTS; k++)
			sum += b->n[bin][k];
		b->highest = sum > b->highest ? sum : b->highest;
		b->rows++;
	}
}

static void add_bar(struct strbuf *out, const struct bins *b, size_t bin)
{
	double top = PLOT_HEIGHT, width = (double)PLOT_WIDTH / BINS;

	for (size_t k = 0; k < REPORT_VERDICTS; k++) {
		double height = (double)b->n[bin][k] / (double)b->highest * PLOT_HEIGHT;

		if (!b->n[bin][k])
			continue;
		top -= height;
		strbuf_addf(out,
			    "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
			    "height=\"%.1f\"><title>%zu</title></rect>",
			    report_verdict_name((enum report_verdict)k), (double)bin * width, top,
			    width - 1, height, b->n[bin][k]);
	}
}

/* How many rows have how much of something. */
static void add_plot(struct strbuf *out, const struct report_rows *rows, const char *what,
		     const char *unit, number_fn *of)
{
	struct bins b;

	fill(&b, rows, of);
	if (!b.rows)
		return;
	strbuf_addf(out,
		    "<figure><figcaption>%s</figcaption><svg width=\"%u\" height=\"%u\" "
		    "role=\"img\">",
		    what, PLOT_WIDTH, PLOT_HEIGHT + LABEL_HEIGHT);
	for (size_t i = 0; i < BINS; i++)
		add_bar(out, &b, i);
	strbuf_addf(out,
		    "<text x=\"0\" y=\"%u\">0</text><text x=\"%u\" y=\"%u\" "
		    "text-anchor=\"end\">%.3g %s</text></svg></figure>\n",
		    PLOT_HEIGHT + LABEL_HEIGHT - 4, PLOT_WIDTH, PLOT_HEIGHT + LABEL_HEIGHT - 4,
		    b.max, unit);
}

static void add_totals(struct strbuf *out, const struct report_rows *rows, const char *verb)
{
	size_t n[REPORT_VERDICTS] = {0};

	for (size_t i = 0; i < rows->n; i++)
		n[rows->items[i].verdict]++;
	strbuf_addf(out, "<h1>csbx %s: %zu of %zu passed</h1>\n<p>", verb, n[REPORT_PASSED],
		    rows->n);
	for (size_t k = 0; k < REPORT_VERDICTS; k++)
		strbuf_addf(out, "<span class=\"%s\">%zu %s</span>%s",
			    report_verdict_name((enum report_verdict)k), n[k],
			    report_verdict_name((enum report_verdict)k),
			    k + 1 < REPORT_VERDICTS ? ", " : "</p>\n");
}

static void add_number(struct strbuf *out, double v)
{
	if (v < 0)
		strbuf_addstr(out, "<td class=\"n\"></td>");
	else
		strbuf_addf(out, "<td class=\"n\">%.3f</td>", v);
}

static void add_row(struct strbuf *out, const struct report_row *row)
{
	strbuf_addf(out, "<tr><td class=\"%s\">%s</td><td>", report_verdict_name(row->verdict),
		    report_verdict_name(row->verdict));
	markup_str(out, row->name);
	if (row->why.len || row->output.len) {
		strbuf_addf(out, "<details%s><summary>why</summary><pre>",
			    row->verdict == REPORT_PASSED ? "" : " open");
		markup_text(out, strbuf_str(&row->why), row->why.len);
		markup_text(out, strbuf_str(&row->output), row->output.len);
		strbuf_addstr(out, "</pre></details>");
	}
	strbuf_addstr(out, "</td><td>");
	markup_str(out, row->status);
	strbuf_addstr(out, "</td>");
	add_number(out, row->wall_s);
	add_number(out, memory_mib(row));
	strbuf_addstr(out, "</tr>\n");
}

void report_html(const struct report_rows *rows, const char *verb, struct strbuf *out)
{
	strbuf_addstr(out, HEAD);
	add_totals(out, rows, verb);
	add_plot(out, rows, "Time", "s", wall_s);
	add_plot(out, rows, "Memory", "MiB", memory_mib);
	strbuf_addstr(out, "<table><tr><th>verdict</th><th>id</th><th>status</th>"
			   "<th class=\"n\">s</th><th class=\"n\">MiB</th></tr>\n");
	for (size_t k = REPORT_VERDICTS; k-- > 0;) { /* what has not passed comes first */
		for (size_t i = 0; i < rows->n; i++) {
			if (rows->items[i].verdict == (enum report_verdict)k)
				add_row(out, &rows->items[i]);
		}
	}
	strbuf_addstr(out, "</table></body></html>\n");
}
