/* SPDX-License-Identifier: Apache-2.0 */
/* Files of variables, the user's and an image's: every assignment that comes out has a name. */
#include "cmd/options/env_file.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/options/resolve_env.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_strv_ struct strv list = STRV_INIT, env = STRV_INIT;
	struct err e = ERR_INIT;
	/* No byte behind the end may be read, and the text has no NUL of its own. */
	char *text = malloc(size + !size);

	if (!text)
		return 0;
	memcpy(text, data, size);
	if (env_file_parse(text, size, &list, &e) < 0)
		FUZZ_ASSERT(e.code > 0 && e.msg[0]);
	for (size_t i = 0; i < list.n; i++)
		FUZZ_ASSERT(!env_check_assignment(list.items[i], NULL));
	env_add_environment_file(&env, text, size);
	for (size_t i = 0; i < env.n; i++)
		FUZZ_ASSERT(strchr(env.items[i], '=') > env.items[i]);
	env_add_list(&env, &list, NULL);
	free(text);
	return 0;
}
