/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/test/input.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "cmd/judge/test/run.h"
#include "runtime/base/base64.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/json/out.h"

static int write_patch(struct json_out *j, const struct test_patch *p, struct err *e)
{
	_strbuf_ struct strbuf coded = STRBUF_INIT;

	base64_encode(strbuf_str(&p->data), p->data.len, &coded);
	json_begin_object(j);
	json_kstr(j, "name", p->name);
	json_key(j, "data");
	json_strn(j, strbuf_str(&coded), coded.len);
	json_end_object(j);
	return strbuf_check(&coded, e);
}

static int write_patches(struct json_out *j, const struct test_wish *w, struct err *e)
{
	const struct test_patch *tests = NULL;
	int r = 0;

	json_key(j, "patches");
	json_begin_array(j);
	for (size_t i = 0; i < w->n_patches && r >= 0; i++) {
		if (w->patches[i].is_tests)
			tests = &w->patches[i];
		else
			r = write_patch(j, &w->patches[i], e);
	}
	json_end_array(j);
	json_key(j, "test_patch");
	if (tests && r >= 0)
		return write_patch(j, tests, e);
	json_null(j);
	return r;
}

static int write_input(struct json_out *j, const struct test_input *in, struct err *e)
{
	const struct test_wish *w = in->wish;
	int r;

	json_begin_object(j);
	json_kstr(j, "secret", in->secret);
	json_kstr(j, "repo", in->repo);
	json_kstr(j, "copy_from", in->copy_from);
	json_kstr(j, "clone_from", in->clone_from);
	json_kstr(j, "commit", w->commit);
	json_kstr(j, "runner", w->runner == RUNNER_UNITTEST ? "unittest" : "pytest");
	json_kbool(j, "strict", w->strict);
	json_kbool(j, "alone", in->is_alone);
	r = write_patches(j, w, e);
	json_key(j, "ids");
	json_begin_array(j);
	for (int list = 0; list < 2; list++) {
		for (size_t i = 0; i < w->lists.ids[list].n; i++)
			json_str(j, w->lists.ids[list].items[i]);
	}
	json_end_array(j);
	json_key(j, "args");
	json_begin_array(j);
	for (int i = 0; i < w->argc; i++)
		json_str(j, w->argv[i]);
	json_end_array(j);
	json_end_object(j);
	return r < 0 ? r : json_finish(j, e);
}

int test_input_make(const struct test_input *in, struct err *e)
{
	struct json_out j = JSON_OUT_INIT;
	_close_ int fd = memfd_create("csbx-test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int r = fd < 0 ? err_sys(e, "memfd_create") : write_input(&j, in, e);

	if (r >= 0)
		r = io_write_all(fd, strbuf_str(&j.buf), j.buf.len, e);
	if (r >= 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0)
		r = err_sys(e, "seal the input of the harness");
	json_out_free(&j);
	return r < 0 ? r : take_fd(&fd);
}
