/* SPDX-License-Identifier: Apache-2.0 */

/* docker top: the rows of usage/top.h as docker's table. */

#include "cmd/docker/daemon/target.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/frame/verbs.h"
#include "cmd/docker/usage/top.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

#define CELL_MIN 20u
#define CELL_GAP 3u

/* text/tabwriter with a least width of 20 and three blanks between; the last cell ends the line. */
static void print_rows(const struct docker_top *r, struct strbuf *out)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct strv *row = &r->rows[i];

		for (size_t k = 0; k < row->n; k++) {
			size_t width = CELL_MIN, len = strlen(row->items[k]);

			for (size_t j = 0; j < r->n; j++) {
				size_t other = k < r->rows[j].n ? strlen(r->rows[j].items[k]) : 0;

				width = other + CELL_GAP > width ? other + CELL_GAP : width;
			}
			strbuf_addstr(out, row->items[k]);
			for (; k + 1 < row->n && len < width; len++)
				strbuf_addch(out, ' ');
		}
		strbuf_addch(out, '\n');
	}
}

static int top(struct docker *d, const char *operand, const struct strv *words, struct strbuf *out,
	       struct docker_fault *f)
{
	_docker_top_ struct docker_top rows = {0};
	struct docker_target t;
	int r = docker_target_open(&d->cmd.paths, operand, &t, f);

	if (r >= 0)
		r = docker_top(&d->cmd.paths, &t, words, &rows, f);
	if (r >= 0)
		print_rows(&rows, out);
	docker_target_close(&t);
	return r;
}

static int top_run(struct docker *d, void *args, int argc, char **argv)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	_strv_ struct strv words = STRV_INIT;
	struct docker_fault f = DOCKER_FAULT_INIT;

	(void)args;
	for (int i = 1; i < argc; i++)
		strv_add(&words, argv[i]);
	if (strv_check(&words, &f.err) < 0 || top(d, argv[0], &words, &out, &f) < 0)
		return docker_daemon_error("%s", f.err.msg);
	return cmd_print(&out);
}

const struct docker_verb docker_verb_top = {
	.name = "top",
	.usage = "CONTAINER [ps OPTIONS]",
	.flags = DOCKER_OPERAND_ENDS,
	.min_operands = 1,
	.max_operands = CMD_MANY,
	.run = top_run,
};
