/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/options/apt_as_root.h"

#include <string.h>

#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "runtime/spec/spec.h"

/* Not below /run, which the enroot dialect mounts. */
#define APT_FILE "etc/.csbx-apt.conf"
static const char apt_text[] = "APT::Sandbox::User \"root\";\n";

int apt_as_root(struct container_spec *spec, struct err *e)
{
	char *text;
	int r;

	if (strv_get_env(&spec->proc.env, "APT_CONFIG"))
		return 0;
	text = strdup(apt_text);
	r = text ? spec_add_file(spec, APT_FILE, text, strlen(text), e) : err_oom(e);
	if (r < 0)
		return r;
	spec->files[spec->n_files - 1].is_below = true;
	spec->files[spec->n_files - 1].is_own = true;
	strv_add(&spec->proc.env, "APT_CONFIG=/" APT_FILE);
	return strv_check(&spec->proc.env, e);
}
