/* SPDX-License-Identifier: Apache-2.0 */
/* Templates of docker's --format: any text is refused or runs, within its bounds. */
#include "cmd/docker/show/template.h"

#include <stdlib.h>

#include "cmd/docker/show/value.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "tests/fuzz/fuzz.h"

static struct value *tree(void)
{
	struct value *root = value_new(VALUE_STRUCT), *list, *map;

	value_in_go(value_str(root, "Id", "0123456789"), "ID");
	value_int(root, "N", -7);
	value_bool(root, "B", true);
	value_add(root, "Nil", VALUE_NIL);
	value_add(root, "NoMap", VALUE_NOMAP);
	value_add(root, "NoList", VALUE_NOLIST);
	list = value_add(root, "L", VALUE_LIST);
	value_str(list, NULL, "a");
	value_str(value_add(list, NULL, VALUE_STRUCT), "X", "y");
	map = value_add(root, "M", VALUE_MAP);
	value_str(map, "k", "v");
	return root;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_template_ struct template *t = NULL;
	_value_ struct value *root = tree();
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
