/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/system/image_pipe.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/docker/container/commit.h"
#include "cmd/docker/image/change.h"
#include "cmd/docker/image/load.h"
#include "cmd/docker/image/save.h"
#include "cmd/docker/image/tar_image.h"
#include "cmd/docker/system/image_pipe_priv.h"
#include "cmd/frame/frame.h"
#include "image/oci/image.h"
#include "image/oci/platform.h"
#include "image/source/image_archive.h"
#include "image/source/source.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/json/json.h"
#include "runtime/base/json/out.h"
#include "runtime/base/str.h"

#define SECRET "CSBX_ENGINE_SECRET"
#define REQUEST_MAX (4u << 20)

/* --- lines ---------------------------------------------------------------------------------- */

static void say_fault(struct image_pipe *x)
{
	struct json_out j = JSON_OUT_INIT;

	json_begin_object(&j);
	if (!x->has_spoken) {
		json_ku64(&j, "status", (uint64_t)docker_fault_status(&x->f));
		json_kstr(&j, "message", x->f.err.msg);
	} else {
		json_key(&j, "errorDetail");
		json_begin_object(&j);
		json_kstr(&j, "message", x->f.err.msg);
		json_end_object(&j);
		json_kstr(&j, "error", x->f.err.msg);
	}
	json_end_object(&j);
	if (json_finish(&j, NULL) >= 0) {
		strbuf_addstr(&j.buf, x->has_spoken ? "\r\n" : "\n");
		(void)io_write_all(STDOUT_FILENO, strbuf_str(&j.buf), j.buf.len, NULL);
	}
	json_out_free(&j);
}

/* --- requests ------------------------------------------------------------------------------- */

static int read_platform(struct image_pipe *x, struct platform *ret)
{
	int r = platform_wanted(NULL, image_pipe_text(x, "platform"), ret, &x->f.err);

	return docker_fault_is(&x->f, DOCKER_BAD_REQUEST, r);
}

/* The canonical name of "repo" and "tag", NULL where there is none. */
static int read_name(struct image_pipe *x, char **ret)
{
	const char *repo = image_pipe_text(x, "repo"), *tag = image_pipe_text(x, "tag");
	_free_ char *text = str_printf("%s%s%s", repo ? repo : "", repo && tag ? ":" : "",
				       repo && tag ? tag : "");
	int r = text ? tar_image_name(text, ret, &x->f.err) : err_oom(&x->f.err);

	return r < 0 && r != -ENOMEM ? docker_fault_is(&x->f, DOCKER_BAD_REQUEST, r) : r;
}

static int say_id(struct image_pipe *x, const char *key, const char *id)
{
	struct json_out j = JSON_OUT_INIT;

	json_begin_object(&j);
	json_kstr(&j, key, id);
	json_end_object(&j);
	return image_pipe_say(x, &j);
}

/* --- load, save ----------------------------------------------------------------------------- */

/* A line of the command line's is a message of its own. */
static int tell_loaded(void *arg, const struct strbuf *lines)
{
	const char *at = strbuf_str(lines);

	while (*at) {
		size_t n = strcspn(at, "\n");
		_free_ char *line = str_printf("%.*s\n", (int)n, at);

		if (!line || say_id(arg, "stream", line) < 0)
			return -EPIPE;
		at += n + (at[n] == '\n');
	}
	return 0;
}

static int load(struct image_pipe *x)
{
	struct platform platform;
	const struct image_wish wish = {.platform = &platform,
					.explicit = image_pipe_text(x, "platform")};
	const struct docker_load how = {.told = tell_loaded, .arg = x};
	int r = read_platform(x, &platform);

	return r < 0 ? r : docker_load_images(&x->d, STDIN_FILENO, &wish, &how, &x->f.err);
}

static int ready_to_save(void *arg, struct err *e)
{
	return image_pipe_begin(arg, e);
}

static int save(struct image_pipe *x)
{
	const struct docker_save_to to = {.fd = STDOUT_FILENO, .ready = ready_to_save, .arg = x};
	_strv_ struct strv names = STRV_INIT;
	int r = image_pipe_list(x, "names", &names);

	x->is_archive = true;
	if (r >= 0)
		r = docker_save_images(&x->d, (int)names.n, names.items, &to, &x->f.err);
	return r == -ENOENT ? docker_fault_is(&x->f, DOCKER_NOT_FOUND, r) : r;
}

/* --- import, commit ------------------------------------------------------------------------- */

static int import(struct image_pipe *x)
{
	_strv_ struct strv changes = STRV_INIT;
	_free_ char *name = NULL;
	struct docker_import_how how = {.message = image_pipe_text(x, "message"),
					.platform = image_pipe_text(x, "platform"),
					.file = "-",
					.changes = &changes};
	struct platform platform;
	char id[IMAGE_ID_BYTES];
	int r = read_name(x, &name);

	if (r < 0 && x->f.err.code == EOPNOTSUPP)
		r = docker_refuse(&x->f, "cannot import digest reference");
	if (r >= 0)
		r = read_platform(x, &platform);
	if (r >= 0)
		r = image_pipe_list(x, "changes", &changes);
	if (r >= 0)
		r = docker_fault_is(&x->f, DOCKER_BAD_REQUEST,
				    tar_image_check(&changes, &x->f.err));
	how.name = name;
	if (r >= 0)
		r = docker_import_tar(&x->d, &how, STDIN_FILENO, id, &x->f.err);
	return r < 0 ? r : say_id(x, "status", id);
}

/* Lists of the request replace the container's, maps and the environment go over them. */
static int take_list(const struct json *config, const char *key, struct strv *list, struct err *e)
{
	const struct json *m = NULL;
	int r = json_get_any_case(config, key, &m, e);

	if (r < 0 || !m || !json_is_array(m) || !json_count(m))
		return r;
	strv_free(list);
	for (const struct json *i = json_first(m); i; i = json_next(i))
		strv_add(list, json_text(i) ? json_text(i) : "");
	return strv_check(list, e);
}

static int take_env(const struct json *config, struct strv *env, struct err *e)
{
	const struct json *m = NULL;
	int r = json_get_any_case(config, "Env", &m, e);

	for (const struct json *i = r >= 0 && m ? json_first(m) : NULL; i; i = json_next(i)) {
		if (json_text(i))
			strv_set_env(env, json_text(i));
	}
	return r < 0 ? r : strv_check(env, e);
}

static int take_names(const struct json *config, const char *key, bool has_values,
		      struct strv *names, struct err *e)
{
	const struct json *m = NULL;
	int r = json_get_any_case(config, key, &m, e);

	for (const struct json *i = r >= 0 && m ? json_first(m) : NULL; i; i = json_next(i)) {
		_free_ char *word = str_printf("%s%s%s", json_name(i) ? json_name(i) : "",
					       has_values ? "=" : "",
					       has_values && json_text(i) ? json_text(i) : "");
		bool is_there = false;

		for (size_t k = 0; word && !has_values && k < names->n; k++)
			is_there |= str_eq(names->items[k], word);
		if (word && has_values)
			strv_set_env(names, word);
		else if (word && !is_there)
			strv_add(names, word);
	}
	return r < 0 ? r : strv_check(names, e);
}

static int take_text(const struct json *config, const char *key, char **text, struct err *e)
{
	const struct json *m = NULL;
	int r = json_get_any_case(config, key, &m, e);

	if (r < 0 || !m || !json_text(m) || !*json_text(m))
		return r;
	free(*text);
	*text = strdup(json_text(m));
	return *text ? 0 : err_oom(e);
}

static int configure(void *arg, struct image_change *c, struct err *e)
{
	const struct image_pipe *x = arg;
	const struct json *config = json_member(x->request, "config");
	int r;

	if (!config || !json_is_object(config))
		return 0;
	r = take_list(config, "Cmd", &c->cmd, e);
	if (r >= 0)
		r = take_list(config, "Entrypoint", &c->entrypoint, e);
	if (r >= 0)
		r = take_list(config, "OnBuild", &c->on_build, e);
	if (r >= 0)
		r = take_env(config, &c->env, e);
	if (r >= 0)
		r = take_names(config, "ExposedPorts", false, &c->ports, e);
	if (r >= 0)
		r = take_names(config, "Volumes", false, &c->volumes, e);
	if (r >= 0)
		r = take_names(config, "Labels", true, &c->labels, e);
	if (r >= 0)
		r = take_text(config, "User", &c->user, e);
	if (r >= 0)
		r = take_text(config, "WorkingDir", &c->workdir, e);
	if (r >= 0)
		r = take_text(config, "StopSignal", &c->stop_signal, e);
	c->has_cmd = c->cmd.n;
	c->has_entrypoint = c->entrypoint.n;
	return r;
}

static int commit(struct image_pipe *x)
{
	const struct json *pause = json_member(x->request, "pause");
	const char *container = image_pipe_text(x, "container");
	_strv_ struct strv changes = STRV_INIT;
	_free_ char *name = NULL;
	struct docker_commit how = {.changes = &changes,
				    .author = image_pipe_text(x, "author"),
				    .message = image_pipe_text(x, "comment"),
				    .pause = !pause || json_truth(pause) != 0,
				    .configure = configure,
				    .arg = x};
	char id[IMAGE_ID_BYTES];
	int r = read_name(x, &name);

	if (r >= 0)
		r = image_pipe_list(x, "changes", &changes);
	how.name = name;
	if (r >= 0)
		r = docker_commit_container(&x->d, &how, container ? container : "", id, &x->f.err);
	if (r == -ENOENT)
		return docker_fault_is(&x->f, DOCKER_NOT_FOUND, r);
	if (r == -EINVAL || r == -EBADMSG)
		return docker_fault_is(&x->f, DOCKER_BAD_REQUEST, r);
	return r < 0 ? r : say_id(x, "Id", id);
}

/* --- */

static int run(struct image_pipe *x, const char *verb)
{
	static const struct {
		const char *name;
		int (*fn)(struct image_pipe *x);
	} verbs[] = {
		{"pull", image_pipe_pull},
		{"push", image_pipe_push},
		{"load", load},
		{"save", save},
		{"import", import},
		{"commit", commit},
		{"auth", image_pipe_login},
		{"distribution", image_pipe_distribution},
	};

	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (str_eq(verbs[i].name, verb))
			return verbs[i].fn(x);
	}
	return docker_refuse(&x->f, "no such verb: %s", verb);
}

static char *take_secret(void)
{
	char *there = getenv(SECRET), *copy = there ? strdup(there) : NULL;

	if (there)
		explicit_bzero(there, strlen(there));
	unsetenv(SECRET);
	return copy;
}

int image_pipe_main(int argc, char **argv)
{
	struct image_pipe x = {.d = {.self = PROGRAM_IMAGE}, .f = DOCKER_FAULT_INIT};
	_json_ struct json *request = NULL;
	int r = argc == 3 ? 0 : err_set(&x.f.err, EINVAL, "a verb and a request are expected");

	x.secret = take_secret();
	x.d.cmd.argv = argv;
	if (r >= 0)
		r = cmd_begin(&x.f.err);
	if (r >= 0)
		r = cmd_load_state(&x.d.cmd, &x.f.err);
	if (r >= 0)
		r = json_parse(argv[2], strlen(argv[2]), REQUEST_MAX, &request, &x.f.err);
	x.request = request;
	if (r >= 0)
		r = run(&x, argv[1]);
	if (r >= 0)
		r = image_pipe_begin(&x, &x.f.err);
	if (r < 0 && !(x.has_spoken && x.is_archive))
		say_fault(&x);
	if (x.secret)
		explicit_bzero(x.secret, strlen(x.secret));
	free(x.secret);
	cmd_free_state(&x.d.cmd);
	/* Lines that have begun say themselves what went wrong. */
	return r < 0 && (x.is_archive || !x.has_spoken) ? CMD_EXIT_FAILED : CMD_EXIT_OK;
}
