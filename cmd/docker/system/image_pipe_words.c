/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes the words that every request of the pipe has: members of its object, lines of
 * its answer. */
#include <unistd.h>

#include "cmd/docker/system/image_pipe_priv.h"
#include "runtime/base/err.h"
#include "runtime/base/io.h"
#include "runtime/base/json/json.h"
#include "runtime/base/json/out.h"
#include "runtime/base/str.h"

const char *image_pipe_text(const struct image_pipe *x, const char *key)
{
	const struct json *m = json_member(x->request, key);
	const char *text = m ? json_text(m) : NULL;

	return text && *text ? text : NULL;
}

int image_pipe_list(struct image_pipe *x, const char *key, struct strv *ret)
{
	return json_get_strv(x->request, key, ret, &x->f.err);
}

int image_pipe_begin(struct image_pipe *x, struct err *e)
{
	if (x->has_spoken)
		return 0;
	x->has_spoken = true;
	return io_write_all(STDOUT_FILENO, "{}\n", 3, e);
}

int image_pipe_say(struct image_pipe *x, struct json_out *j)
{
	int r = json_finish(j, &x->f.err);

	strbuf_addstr(&j->buf, "\r\n");
	if (r >= 0)
		r = image_pipe_begin(x, &x->f.err);
	if (r >= 0)
		r = io_write_all(STDOUT_FILENO, strbuf_str(&j->buf), j->buf.len, &x->f.err);
	json_out_free(j);
	return r;
}
