/* SPDX-License-Identifier: Apache-2.0 */

/* Run options: the result that csbx tells, and how much of the output it keeps. */

#include <stddef.h>

#include "cmd/options/run_opts.h"
#include "runtime/base/str.h"

#define AT(member) offsetof(struct run_opts, member)

static int set_json(void *target, const char *value, struct err *e)
{
	struct result_opts *o = target;

	(void)e;
	o->json = true;
	o->path = value && !str_eq(value, "-") ? value : NULL;
	return 0;
}

static const struct opt opts[] = {
	{OPT_MAYBE, 0, "json", "FILE", AT(result), set_json, .offers = "file",
	 .help = "write one JSON object about the run: to stdout (also FILE -), with the program's "
		 "output inside, or to FILE, and leave the streams alone"},
	{OPT_FLAG, 0, "json-no-output", NULL, AT(result.no_output),
	 .help = "leave the program's output out of the object"},
	{OPT_NUMBER, 0, "result-fd", "N", AT(result.fd), .max = 1u << 20,
	 .help = "write the object to descriptor N instead"},
	{OPT_BYTES, 0, "max-output", "SIZE", AT(spec.limits.output_bytes), .has_key = true,
	 .initial = "1m of each stream where output goes into JSON",
	 .help = "keep the first and the last half of SIZE of each output stream and drop what is "
		 "between; the program goes on"},
	{OPT_BYTES, 0, "max-output-kill", "SIZE", AT(spec.limits.output_kill_bytes),
	 .has_key = true,
	 .help = "end the container when an output stream has more than SIZE: exit code 137"},
	{0},
};

const struct opt_table run_table_result = {"Result and output", opts};
