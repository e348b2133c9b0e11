/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/enroot/start/stock.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/err.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"
#include "runtime/spec/spec.h"

#define ZONE_BYTES_MAX (64u << 10)

bool stock_has_hook(const char *name)
{
	static const char *const names[] = {
		"10-aptfix.sh",    "10-cgroups.sh",       "10-devices.sh",
		"10-home.sh",      "10-localtime.sh",     "10-shadow.sh",
		"50-slurm-pmi.sh", "50-slurm-pytorch.sh", "98-nvidia.sh",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (str_eq(name, names[i]))
			return true;
	}
	return false;
}

int stock_localtime(struct container_spec *spec, struct err *e)
{
	_strbuf_ struct strbuf zone = STRBUF_INIT;
	size_t len;

	if (io_read_path("/etc/localtime", ZONE_BYTES_MAX, &zone, NULL) < 0 || !zone.len)
		return 0;
	len = zone.len;
	return spec_add_file(spec, "etc/localtime", strbuf_take(&zone), len, e);
}
