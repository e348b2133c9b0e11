/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/slurm/step_child.h"

#include "cmd/slurm/hold_priv.h"

/*
 * Export reads through an image server, as a start does: no process comes after it either, and one
 * that stays for its usual minute outlives the step.
 */
int hold_enroot(struct hold *h, struct strbuf *out, struct err *e, ...)
{
	_strv_ struct strv argv = STRV_INIT, env = STRV_INIT;
	struct step_child c = {.argv = &argv, .env = &env, .in_fd = -1, .stop_fd = h->stop_fd};
	va_list ap;
	int r;

	strv_add(&argv, "csbx");
	strv_add(&argv, "enroot");
	va_start(ap, e);
	for (const char *word; (word = va_arg(ap, const char *));)
		strv_add(&argv, word);
	va_end(ap);
	strv_add(&env, "CSBX_LINGER=0");
	r = strv_check(&argv, e);
	if (r >= 0)
		r = strv_check(&env, e);
	return r < 0 ? r : step_child_run(&c, out, &h->said, e);
}
