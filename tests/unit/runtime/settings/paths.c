/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/settings/paths.h"

#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/settings/config.h"
#include "tests/unit/tap.h"

static char top[TAP_PATH_SIZE] = "csbx-paths";

static void clear_env(void)
{
	static const char *const names[] = {
		"CSBX_DATA_PATH",  "CSBX_CACHE_PATH",   "CSBX_RUNTIME_PATH",
		"CSBX_LAYER_PATH", "CSBX_SCRATCH_PATH", "XDG_DATA_HOME",
		"XDG_CACHE_HOME",  "XDG_RUNTIME_DIR",   "TMPDIR"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unsetenv(names[i]);
	setenv("HOME", "/home/me", 1);
}

/* If the machine has made /run/user/UID for us, and for us alone, the place is that directory. */
static void fallback(char *ret, size_t size)
{
	char session[32];
	struct stat st;

	snprintf(session, sizeof(session), "/run/user/%u", geteuid());
	if (!stat(session, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	    !(st.st_mode & 0077))
		snprintf(ret, size, "%s/csbx", session);
	else
		snprintf(ret, size, "/tmp/csbx-%u", geteuid());
}

static void test_defaults(void)
{
	struct err e = ERR_INIT;
	struct paths p;
	char want[2 * TAP_PATH_SIZE];

	clear_env();
	is_int(paths_init(&p, NULL, &e), 0, "from HOME alone");
	is_str(p.data, "/home/me/.local/share/csbx", "data");
	is_str(p.cache, "/home/me/.cache/csbx", "cache");
	is_str(p.layers, "/home/me/.local/share/csbx/layers", "layers");
	is_str(p.scratch, p.layers, "scratch falls back to the layers");
	fallback(want, sizeof(want));
	is_str(p.runtime, want, "runtime falls back to the session's directory, else to /tmp");
	paths_free(&p);
	unsetenv("HOME");
	is_int(paths_init(&p, NULL, &e), -ENOENT, "without HOME");
	ok(strstr(e.msg, "HOME") && strstr(e.msg, "CSBX_DATA_PATH"), "says what to set");
}

static void test_variables(void)
{
	struct err e = ERR_INIT;
	struct paths p;

	clear_env();
	setenv("CSBX_DATA_PATH", "/d", 1);
	setenv("CSBX_CACHE_PATH", "/c", 1);
	setenv("CSBX_RUNTIME_PATH", "/r", 1);
	setenv("TMPDIR", "/t", 1);
	is_int(paths_init(&p, NULL, &e), 0, "own variables");
	ok(!strcmp(p.data, "/d") && !strcmp(p.cache, "/c") && !strcmp(p.runtime, "/r"),
	   "are taken as given");
	is_str(p.layers, "/d/layers", "layers follow the data");
	is_str(p.scratch, "/t", "scratch is TMPDIR");
	paths_free(&p);
	setenv("XDG_CACHE_HOME", "relative", 1);
	setenv("CSBX_CACHE_PATH", "", 1);
	is_int(paths_init(&p, NULL, &e), 0, "relative XDG and empty own variables");
	is_str(p.cache, "/home/me/.cache/csbx", "are as good as unset");
	paths_free(&p);
	setenv("CSBX_DATA_PATH", "d", 1);
	is_int(paths_init(&p, NULL, &e), -EINVAL, "a relative own variable");
	ok(strstr(e.msg, "CSBX_DATA_PATH"), "is named");
}

static void test_configuration(void)
{
	static const char text[] = "CSBX_LAYER_PATH /local/layers\nCSBX_DATA_PATH /from/file\n"
				   "CSBX_LINGER 2.5\n";
	const char *env[] = {"CSBX_DATA_PATH=/from/environment", NULL};
	struct config_files files = {.env = env};
	struct config c = CONFIG_INIT;
	struct paths p;

	clear_env();
	config_parse(&c, "f", text, sizeof(text) - 1, NULL);
	is_int(config_load_from(&c, &files, NULL), 0, "configuration");
	is_int(paths_init(&p, &c, NULL), 0, "with a configuration");
	is_str(p.layers, "/local/layers", "the file's setting counts");
	is_str(p.data, "/from/environment", "the environment's wins");
	is_int(p.linger_ms, 2500, "linger");
	paths_free(&p);
	config_free(&c);
}

static void test_runtime_dir(void)
{
	struct paths p;
	char want[2 * TAP_PATH_SIZE];

	clear_env();
	setenv("XDG_RUNTIME_DIR", top, 1);
	chmod(top, 0700);
	is_int(paths_init(&p, NULL, NULL), 0, "with a runtime directory");
	snprintf(want, sizeof(want), "%s/csbx", top);
	is_str(p.runtime, want, "ours and closed: used");
	paths_free(&p);
	chmod(top, 0755);
	is_int(paths_init(&p, NULL, NULL), 0, "with one open to others");
	fallback(want, sizeof(want));
	is_str(p.runtime, want, "not used");
	paths_free(&p);
}

static void test_open(void)
{
	char base[2 * TAP_PATH_SIZE], sub[3 * TAP_PATH_SIZE];
	struct err e = ERR_INIT;
	struct stat st;
	int fd;

	chmod(top, 0700);
	snprintf(base, sizeof(base), "%s/base", top);
	snprintf(sub, sizeof(sub), "%s/sub", base);
	fd = paths_open(base, "sub", &e);
	ok(fd >= 0, "made on first use");
	close(fd);
	ok(!stat(base, &st) && (st.st_mode & 07777) == 0700, "base is private");
	ok(!stat(sub, &st) && (st.st_mode & 07777) == 0700, "so is sub");
	fd = paths_open(base, NULL, &e);
	ok(fd >= 0, "the base alone");
	close(fd);
	chmod(sub, 0755);
	is_int(paths_open(base, "sub", &e), -EPERM, "others could read there");
	chmod(sub, 0777);
	is_int(paths_open(base, "sub", &e), -EPERM, "others could write there");
	rmdir(sub);
	ok(!symlink(top, sub), "a link in its place");
	ok(paths_open(base, "sub", &e) < 0, "is not followed");
	unlink(sub);
	rmdir(base);
}

static void test_helper(void)
{
	const struct paths p = {0};
	char *s = paths_helper(&p, "csbx-init"), *dir = str_printf("%s/csbx-init", CSBX_LIBEXECDIR);

	is_str(s, dir, "path of a helper: none lies beside this program");
	is_str(paths_helpers(), CSBX_LIBEXECDIR, "and of their directory");
	free(s);
	free(dir);
}

int main(void)
{
	if (!tap_mkdtemp(top))
		return 1;
	test_defaults();
	test_variables();
	test_configuration();
	test_runtime_dir();
	test_open();
	test_helper();
	rmdir(top);
	return done_testing();
}
