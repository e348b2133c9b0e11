/* SPDX-License-Identifier: Apache-2.0 */
/* enroot.conf: every setting has a known key and no NUL, errors name file and line. */
#include "cmd/enroot/conf/conf.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/err.h"
#include "tests/fuzz/fuzz.h"

static const char *get(void *ctx, const char *name)
{
	(void)ctx;
	return name[0] == 'H' ? "/home/a b" : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct enroot_conf_env env = {get, NULL, NULL, 1000};
	struct enroot_conf c = ENROOT_CONF_INIT;
	struct err e = ERR_INIT;
	/* No byte behind the end may be read. */
	char *text = malloc(size + !size);

	if (!text)
		return 0;
	memcpy(text, data, size);
	if (enroot_conf_parse(&c, &env, "f", text, size, &e) < 0)
		FUZZ_ASSERT(e.code > 0 && !strncmp(e.msg, "f:", 2));
	for (size_t i = 0; i < c.n; i++) {
		FUZZ_ASSERT(enroot_conf_key_is_known(c.items[i].key, strlen(c.items[i].key)));
		FUZZ_ASSERT(strlen(c.items[i].value) <= (2u << 20));
	}
	enroot_conf_free(&c);
	free(text);
	return 0;
}
