/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "cmd/judge/test/run.h"
#include "cmd/options/input_file.h"
#include "runtime/base/err.h"
#include "runtime/base/io.h"

static size_t patch_bytes(const struct test_wish *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n_patches; i++)
		n += w->patches[i].data.len;
	return n;
}

static struct test_patch *add(struct test_wish *w, const char *name, bool is_tests, struct err *e)
{
	struct test_patch *p = reallocarray(w->patches, w->n_patches + 1, sizeof(*p));

	if (p) {
		w->patches = p;
		p += w->n_patches;
		*p = (struct test_patch){.name = str_printf("%s", name), .is_tests = is_tests};
	}
	if (!p || !p->name) {
		err_oom(e);
		return NULL;
	}
	w->n_patches++;
	return p;
}

int test_wish_add_patch(struct test_wish *w, const char *name, const void *data, size_t len,
			bool is_tests, struct err *e)
{
	struct test_patch *p;

	if (len > TEST_PATCH_BYTES_MAX - patch_bytes(w))
		return err_set(e, EINVAL, "patch %s: more than %u bytes of patches", name,
			       TEST_PATCH_BYTES_MAX);
	p = add(w, name, is_tests, e);
	if (!p)
		return -ENOMEM;
	strbuf_add(&p->data, data, len);
	return strbuf_check(&p->data, e);
}

int test_wish_add_patch_file(struct test_wish *w, const char *path, bool is_tests, struct err *e)
{
	size_t left = TEST_PATCH_BYTES_MAX - patch_bytes(w);
	struct test_patch *p = add(w, path, is_tests, e);
	int r = p ? input_file_read(path, left, w->run, &p->data, e) : -ENOMEM;

	return r < 0 ? err_wrap(e, "patch %s", path) : 0;
}

void test_wish_free(struct test_wish *w)
{
	for (size_t i = 0; i < w->n_patches; i++) {
		free(w->patches[i].name);
		strbuf_free(&w->patches[i].data);
	}
	free(w->patches);
	for (int i = 0; i < 2; i++)
		strv_free(&w->lists.ids[i]);
}
