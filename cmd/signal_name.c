/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/signal_name.h"

#include <signal.h>
#include <string.h>
#include <strings.h>

#include "runtime/base/err.h"
#include "runtime/base/num.h"

int signal_parse(const char *text, int *ret, struct err *e)
{
	const char *name = strncasecmp(text, "SIG", 3) ? text : text + 3;
	uint64_t number = 0;

	if (num_parse_u64(text, (uint64_t)SIGRTMAX, &number) >= 0 && number) {
		*ret = (int)number;
		return 0;
	}
	for (int i = 1; i < SIGRTMIN; i++) {
		const char *known = sigabbrev_np(i);

		if (known && !strcasecmp(known, name)) {
			*ret = i;
			return 0;
		}
	}
	return err_set(e, EINVAL, "no such signal (a name like TERM, or a number)");
}
