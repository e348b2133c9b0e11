/* SPDX-License-Identifier: Apache-2.0 */
/* Templates of docker's --format: any text is refused or runs, within its bounds. */
#include "cmd/docker/show/template.h"

#include <stdlib.h>

#include "cmd/docker/show/value.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "tests/fuzz/fuzz.h"

static struct docker_value *tree(void)
{
	struct docker_value *root = docker_value_new(DOCKER_VALUE_STRUCT), *list, *map;

	docker_value_in_go(docker_value_str(root, "Id", "0123456789"), "ID");
	docker_value_int(root, "N", -7);
	docker_value_bool(root, "B", true);
	docker_value_add(root, "Nil", DOCKER_VALUE_NIL);
	docker_value_add(root, "NoMap", DOCKER_VALUE_NOMAP);
	docker_value_add(root, "NoList", DOCKER_VALUE_NOLIST);
	list = docker_value_add(root, "L", DOCKER_VALUE_LIST);
	docker_value_str(list, NULL, "a");
	docker_value_str(docker_value_add(list, NULL, DOCKER_VALUE_STRUCT), "X", "y");
	map = docker_value_add(root, "M", DOCKER_VALUE_MAP);
	docker_value_str(map, "k", "v");
	return root;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_template_ struct template *t = NULL;
	_docker_value_ struct docker_value *root = tree();
	char *text = malloc(size + 1);
	struct err e = ERR_INIT;

	FUZZ_ASSERT(text && root);
	memcpy(text, data, size);
	text[size] = 0;
	if (size <= 4096 && template_parse("", text, &t, &e) >= 0) {
		for (unsigned flags = 0; flags < 4; flags++) {
			_strbuf_ struct strbuf out = STRBUF_INIT;

			if (template_run(t, root, flags, &out, &e) < 0)
				FUZZ_ASSERT(e.code);
		}
	} else if (size <= 4096) {
		FUZZ_ASSERT(e.code);
	}
	free(text);
	return 0;
}
