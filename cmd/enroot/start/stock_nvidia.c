/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/enroot/conf/expand.h"
#include "cmd/enroot/start/stock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/spec/spec.h"

/*
 * 98-nvidia: NVIDIA's own program puts devices and driver files into the root. It is asked for by
 * NVIDIA_VISIBLE_DEVICES, the caller's or else the image's. Images for CUDA say "all" wherever they
 * run, so without the program only a caller who says so himself is told that it is missing.
 */

/* The host's value wins over the container's. */
static const char *variable(char *const *host, const struct strv *env, const char *name)
{
	const char *value = env_list_get(host, name, strlen(name));

	return value ? value : strv_get_env(env, name);
}

static char *find_program(char *const *host, const char *name)
{
	const char *path = env_list_get(host, "PATH", 4);
	_free_ char *dirs = str_printf("%s:/usr/sbin:/sbin:/usr/bin", path ? path : "");
	char *rest = NULL;

	for (char *d = dirs ? strtok_r(dirs, ":", &rest) : NULL; d;
	     d = strtok_r(NULL, ":", &rest)) {
		_free_ char *file = *d == '/' ? str_printf("%s/%s", d, name) : NULL;

		if (file && access(file, X_OK) == 0)
			return take_ptr(file);
	}
	return NULL;
}

static int add_capability(struct strv *argv, const char *word, struct err *e)
{
	static const char *const known[] = {"compute",  "compat32", "display",
					    "graphics", "utility",  "video"};
	bool all = str_eq(word, "all"), any = false;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!all && !str_eq(word, known[i]))
			continue;
		strv_take(argv, str_printf("--%s", known[i]));
		any = true;
	}
	return any ? 0 : err_set(e, EINVAL, "Unknown NVIDIA driver capability: %s", word);
}

static int add_capabilities(struct strv *argv, const char *list, struct err *e)
{
	_free_ char *copy = strdup(list && *list ? list : "utility");
	char *rest = NULL;
	int r = copy ? 0 : err_oom(e);

	for (char *w = copy ? strtok_r(copy, ", ", &rest) : NULL; w && r >= 0;
	     w = strtok_r(NULL, ", ", &rest))
		r = add_capability(argv, w, e);
	return r;
}

static void add_requirements(struct strv *argv, const struct strv *env)
{
	for (size_t i = 0; i < env->n; i++) {
		const char *value = strchr(env->items[i], '=');

		if (value && str_has_prefix(env->items[i], "NVIDIA_REQUIRE_"))
			strv_take(argv, str_printf("--require=%s", value + 1));
	}
}

static int make_argv(char *const *host, const char *devices, const char *rootfs,
		     const struct strv *env, struct strv *argv, struct err *e)
{
	const char *no_require = variable(host, env, "NVIDIA_DISABLE_REQUIRE");
	_free_ char *ldconfig = find_program(host, "ldconfig.real");
	int r;

	if (!ldconfig)
		ldconfig = find_program(host, "ldconfig");
	strv_add(argv, "--user");
	strv_add(argv, "configure");
	strv_add(argv, "--no-cgroups");
	if (ldconfig)
		strv_take(argv, str_printf("--ldconfig=@%s", ldconfig));
	if (!str_eq(devices, "none"))
		strv_take(argv, str_printf("--device=%s", devices));
	r = add_capabilities(argv, variable(host, env, "NVIDIA_DRIVER_CAPABILITIES"), e);
	if (!no_require || !*no_require)
		add_requirements(argv, env);
	strv_add(argv, rootfs);
	return r < 0 ? r : strv_check(argv, e);
}

int stock_nvidia(char *const *host, const char *rootfs, struct container_spec *spec, struct err *e)
{
	const char *own = env_list_get(host, "NVIDIA_VISIBLE_DEVICES", 22);
	const char *devices = own ? own : strv_get_env(&spec->proc.env, "NVIDIA_VISIBLE_DEVICES");
	_free_ char *program = NULL;
	struct hook_command *h;
	int r;

	if (!devices || !*devices || str_eq(devices, "void"))
		return 0;
	program = find_program(host, "nvidia-container-cli");
	if (!program)
		return own ? err_set(e, ENOENT,
				     "NVIDIA_VISIBLE_DEVICES=%s: Command not found: "
				     "nvidia-container-cli",
				     devices)
			   : 0;
	h = spec_add_hook(spec);
	if (!h)
		return err_oom(e);
	h->shown = str_printf("%s", program);
	strv_add(&h->argv, program);
	r = make_argv(host, devices, rootfs, &spec->proc.env, &h->argv, e);
	return r < 0 || h->shown ? r : err_oom(e);
}
