/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/image/tag.h"

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/verbs.h"
#include "cmd/docker/image/image_event.h"
#include "cmd/docker/image/image_value.h"
#include "cmd/options/image_find.h"
#include "image/table/table.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

#define TRIES 8

static int bad_reference(const char *text, const char *why)
{
	return docker_say(DOCKER_EXIT_FAILED,
			  "Error parsing reference: \"%s\" is not a valid repository/tag: %s", text,
			  why);
}

int image_tag(int dirfd, const char *operand, const char *canonical, struct err *e)
{
	int r = -ENOENT;

	/* The image may go between the two steps, and its name to another one. */
	for (int i = 0; r == -ENOENT && i < TRIES; i++) {
		_image_entry_ struct image_entry x = {0};
		_close_ int lock = image_table_lock(dirfd, e);

		r = lock < 0 ? lock : image_table_find(dirfd, operand, &x, e);
		if (r < 0)
			return r;
		r = image_table_tag(dirfd, canonical, x.id, NULL, e);
	}
	return r;
}

static int tag_run(struct docker *d, void *args, int argc, char **argv)
{
	_image_name_ struct image_name source = {0}, target = {0};
	_strbuf_ struct strbuf text = STRBUF_INIT;
	_free_ char *canonical = NULL;
	_close_ int dirfd = -1;
	struct err e = ERR_INIT;
	int r;

	(void)args;
	(void)argc;
	if (!image_id_hex(argv[0]) && image_name_parse(argv[0], &source, &e) < 0)
		return bad_reference(argv[0], e.msg);
	if (image_name_parse(argv[1], &target, &e) < 0)
		return bad_reference(argv[1], e.msg);
	if (target.digest)
		return docker_say(DOCKER_EXIT_FAILED,
				  "refusing to create a tag with a digest reference");
	canonical = image_name_canonical(&target);
	if (!canonical)
		return docker_say(DOCKER_EXIT_FAILED, "out of memory");
	r = dirfd = images_open(&d->cmd.paths, &e);
	if (r >= 0)
		r = image_tag(dirfd, argv[0], canonical, &e);
	if (r >= 0)
		image_event(&d->cmd.paths, "tag", argv[0], image_name_familiar(canonical));
	if (r != -ENOENT && r != -ENOTUNIQ)
		return r < 0 ? docker_daemon_error("%s", e.msg) : 0;
	image_no_such(argv[0], &text);
	return docker_daemon_error("%s", strbuf_str(&text));
}

const struct docker_verb docker_verb_tag = {
	.name = "tag",
	.usage = "SOURCE_IMAGE[:TAG] TARGET_IMAGE[:TAG]",
	.min_operands = 2,
	.max_operands = 2,
	.run = tag_run,
};
