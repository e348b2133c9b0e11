/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/build.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "cmd/options/image_find.h"
#include "image/table/table.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/record/container_find.h"

#define TEXT_BYTES_MAX (1u << 20)

static _Noreturn void exec_pull(const char *name, int out)
{
	char docker[] = "docker", pull[] = "pull", q[] = "-q";
	char *argv[] = {docker, pull, q, (char *)name, NULL};

	if (dup2(out, STDOUT_FILENO) >= 0 && dup2(out, STDERR_FILENO) >= 0)
		cmd_hand_over(PROGRAM_IMAGE, argv, NULL);
	_exit(CMD_EXIT_FAILED);
}

/* The line that says why, without docker's words around it. */
static const char *reason(struct strbuf *said)
{
	static const char daemon[] = "Error response from daemon: ";
	char *text;

	while (said->len && said->data[said->len - 1] == '\n')
		said->data[--said->len] = 0;
	text = strrchr(strbuf_str(said), '\n');
	text = text ? text + 1 : said->data;
	if (text && str_has_prefix(text, daemon))
		text += strlen(daemon);
	return text && *text ? text : "the pull failed";
}

/* A program of its own does it, as for docker run. */
static int pull(const char *name, struct err *e)
{
	_strbuf_ struct strbuf said = STRBUF_INIT;
	int ends[2], status = 0;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	child = fork();
	if (!child)
		exec_pull(name, ends[1]);
	close(ends[1]);
	if (child > 0)
		(void)io_read_all(ends[0], TEXT_BYTES_MAX, &said, NULL);
	close(ends[0]);
	if (child < 0)
		return err_sys(e, "fork");
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	return err_set(e, ENOENT, "%s: failed to resolve source metadata: %.300s", name,
		       reason(&said));
}

static int take(struct build *b, struct build_stage *s, const struct image_entry *x, struct err *e)
{
	struct image_record rec;
	int r = image_table_read(b->images, x->id, &rec, e);

	if (r < 0)
		return r;
	build_config_free(&s->config);
	r = build_config_read(&s->config, rec.config, rec.config_len, e);
	image_record_free(&rec);
	snprintf(s->key, sizeof(s->key), "%.64s", image_id_hex(x->id));
	memcpy(s->root.image_id, x->id, sizeof(s->root.image_id));
	return r;
}

/* What is known by the name of a file is no base: it has to be made an image of that name first. */
static int refuse_file(const char *name, struct err *e)
{
	return err_set(
		e, EINVAL,
		"%.300s: FROM takes the name of an image, not a file: docker create --name base "
		"%s%.300s; docker commit base base; then FROM base",
		name, strchr(name, '/') ? "" : "./", name);
}

/* A container of that name is no image, and looks like one in csbx list. */
static void add_container(const struct paths *p, const char *name, struct err *e)
{
	struct container_found found;

	if (container_find(p, name, &found, NULL) < 0)
		return;
	container_record_free(&found.record);
	err_append(e,
		   "%.200s is a container here, not an image: docker commit %.200s %.200s makes an "
		   "image of it",
		   name, name, name);
}

int build_base(struct build *b, struct build_stage *s, const char *name, struct err *e)
{
	_image_entry_ struct image_entry x = {0};
	const struct paths *p = &b->cmd->paths;
	int r = -ENOENT;

	/* An image that another process of this build has pulled is there. */
	if (!b->args->pull || b->is_replay || image_id_hex(name))
		r = image_find(p, name, &x, &s->root.image, e);
	if (r < 0 && !image_may_be_meant(name))
		return refuse_file(name, e);
	if (r == -ENOENT) {
		r = pull(name, e);
		if (r < 0)
			add_container(p, name, e);
		else
			r = image_find(p, name, &x, &s->root.image, e);
	}
	return r < 0 ? r : take(b, s, &x, e);
}
