/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/loan.h"

#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/log.h"
#include "runtime/kernel/orphan_fork.h"
#include "runtime/settings/config.h"
#include "runtime/settings/paths.h"
#include "runtime/start/lane.h"
#include "runtime/start/lane_loan.h"

int eval_loan_choose(bool option, const char *configured, bool *ret, struct err *e)
{
	int r = configured ? config_parse_flag(configured) : 0;

	*ret = option || r > 0;
	return r < 0 ? err_set(e, EINVAL, "CSBX_WARM %.60s: yes or no", configured) : 0;
}

/*
 * --- the key --------------------------------------------------------------------------------------
 */

static int add_file(const char *path, struct strbuf *own, struct err *e)
{
	struct stat st;
	uint64_t facts[5];

	if (stat(path, &st) < 0)
		return err_sys(e, "%s", path);
	facts[0] = st.st_dev;
	facts[1] = st.st_ino;
	facts[2] = (uint64_t)st.st_size;
	facts[3] = (uint64_t)st.st_mtim.tv_sec;
	facts[4] = (uint64_t)st.st_mtim.tv_nsec;
	strbuf_add(own, facts, sizeof(facts));
	return 0;
}

/* The programs that the lender has beside csbx-init, and csbx itself. */
static int add_programs(const struct paths *paths, struct strbuf *own, struct err *e)
{
	static const char *const names[] = {
		"csbx-thaw",          "harness/script.py",    "harness/literal.py",
		"harness/cases.py",   "harness/check.py",     "harness/teller.py",
		"harness/made.py",    "harness/told.py",      "harness/suite.py",
		"harness/lint.py",    "harness/frozen.py",    "harness/kinds.py",
		"harness/errors.py",  "harness/carrier.py",   "harness/copied.py",
		"harness/ordered.py", "harness/enums.py",     "harness/brought.py",
		"harness/objects.py", "harness/functions.py", "harness/changed.py",
		"harness/restored.py"};
	int r = add_file("/proc/self/exe", own, e);

	for (size_t i = 0; r >= 0 && i < sizeof(names) / sizeof(names[0]); i++) {
		_free_ char *path = paths_helper(paths, names[i]);

		r = path ? add_file(path, own, e) : err_oom(e);
	}
	return r;
}

/*
 * Output of the program's own that is a terminal or a file is not as the lender's interpreter has
 * found it when it started.
 */
static bool has_pipes(void)
{
	struct stat st;

	for (int fd = 1; fd <= 2; fd++) {
		if (fstat(fd, &st) < 0 || !S_ISFIFO(st.st_mode))
			return false;
	}
	return true;
}

/*
 * --- a loan ---------------------------------------------------------------------------------------
 */

static int take(struct eval_loan *l, const struct eval_container *container, struct err *e)
{
	static const enum eval_lane_kind kind = EVAL_LANE_SNIPPET;
	const struct lane_warm warm = {"/" EVAL_WARM_PROGRAM, -1};
	_strbuf_ struct strbuf own = STRBUF_INIT;
	int fds[EVAL_WARM_ADOPT_FDS];
	int r = add_programs(container->paths, &own, e);

	if (r >= 0)
		r = lane_loan_key(container->spec, container->paths, own.data, own.len, &l->key, e);
	if (r < 0)
		return r;
	r = lane_loan_take(&l->key, container->spec, container->paths, eval_lane_file(kind), &warm,
			   &l->lane.lanes[kind], fds, EVAL_WARM_ADOPT_FDS, e);
	l->is_wanted = r == -ENOENT;
	if (r < 0)
		return r;
	r = eval_warm_adopt(&l->warm, container->paths, fds, e);
	if (r < 0)
		lane_loan_return(&l->lane.lanes[kind], true);
	return r;
}

void eval_loan_begin(struct eval_loan *l, enum eval_lang lang, struct eval_container *container)
{
	struct err e = ERR_INIT;

	if (lang != EVAL_PYTHON || (!container->spec->capture_output && !has_pipes()))
		return;
	if (take(l, container, &e) < 0) {
		log_trace("%s", e.msg);
		return;
	}
	log_trace("%s is lent", l->lane.lanes[EVAL_LANE_SNIPPET] ? "a lane" : "an interpreter");
	container->warm = &l->warm;
	l->lane.said = &l->said;
	l->said.is_clean[EVAL_LANE_SNIPPET] = 1;
	if (l->lane.lanes[EVAL_LANE_SNIPPET])
		container->lane = &l->lane;
}

/*
 * --- a lender -------------------------------------------------------------------------------------
 */

static _Noreturn void lend(const struct strbuf *key, const struct paths *paths,
			   const struct container_spec *spec)
{
	struct eval_container container = {.paths = paths, .spec = spec};
	struct lane_lender *lender = lane_lender_new(key, paths);
	struct eval_warm made = EVAL_WARM_INIT;
	struct lane_warm warm = {"/" EVAL_WARM_PROGRAM, -1};
	struct eval_lane_spec of;
	struct lane_stock stock = {.spec = &of.spec,
				   .paths = paths,
				   .key = key,
				   .file = eval_lane_file(EVAL_LANE_SNIPPET),
				   .warm = &warm,
				   .n_fds = EVAL_WARM_ADOPT_FDS};

	if (!lender)
		_exit(0);
	eval_warm_make(&made, &container);
	container.warm = &made;
	if (eval_lane_spec(&container, EVAL_LANE_SNIPPET, &of, NULL) < 0)
		fd_close(&made.fd);
	of.spec.capture_output = true;
	warm.fd = stock.fds[0] = made.fd;
	for (int i = 0; i < EVAL_HARNESSES; i++)
		stock.fds[1 + i] = made.harness_fds[i];
	lane_lender_stay(lender, &stock);
	_exit(0);
}

void eval_loan_end(struct eval_loan *l, const struct eval_container *container)
{
	if (l->lane.lanes[EVAL_LANE_SNIPPET])
		lane_loan_return(&l->lane.lanes[EVAL_LANE_SNIPPET],
				 l->said.is_clean[EVAL_LANE_SNIPPET]);
	eval_warm_free(&l->warm);
	if (l->is_wanted && orphan_fork(NULL, NULL) == 0)
		lend(&l->key, container->paths, container->spec);
	strbuf_free(&l->key);
}
