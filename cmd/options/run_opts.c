/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/options/run_opts.h"

void run_opts_init(struct run_opts *o)
{
	*o = (struct run_opts){0};
	spec_init(&o->spec);
}

void run_opts_done(struct run_opts *o)
{
	spec_free(&o->spec);
	strv_free(&o->env);
	strv_free(&o->env_files);
	strv_free(&o->mount_dirs);
}
