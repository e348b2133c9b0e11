/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/warm.h"

#include "cmd/judge/container.h"

struct file_spec eval_warm_program(const struct eval_warm *w)
{
	return (struct file_spec){
		.path = (char *)EVAL_WARM_PROGRAM,
		.data = (char *)strbuf_str(&w->program),
		.len = w->program.len,
		.mode = 0755,
		.is_own = true,
	};
}

bool eval_warm_fits(const struct eval_container *container, const struct eval_start *s)
{
	return container->warm && container->warm->fd >= 0 && s->n_keep_fds == 2 &&
	       eval_is_harness(s->argv) && (s->input || container->spec->proc.close_stdin);
}
