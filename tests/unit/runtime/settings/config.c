/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/settings/config.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "tests/unit/tap.h"

static int parse(struct config *c, const char *text, struct err *e)
{
	return config_parse(c, "f", text, strlen(text), e);
}

static void test_values(void)
{
	struct config c = CONFIG_INIT;
	struct err e = ERR_INIT;
	const char *value, *place;

	is_int(parse(&c,
		     "# comment\n\nCSBX_UPPER_SIZE 2g\n  CSBX_HOSTNAME\t a b \r\nCSBX_WORKDIR \" x "
		     "\"\n"
		     "CSBX_UPPER_SIZE 3g\nCSBX_READ_ONLY yes\nCSBX_ENTRYPOINT \"\"\nCSBX_USER 1",
		     &e),
	       0, "parsed: %s", e.msg);
	is_str(config_get(&c, "CSBX_UPPER_SIZE"), "3g", "the last one counts");
	is_int(config_get_nth(&c, "CSBX_UPPER_SIZE", 0, &value, &place), 1, "first value");
	is_str(place, "f:6", "its place");
	is_int(config_get_nth(&c, "CSBX_UPPER_SIZE", 1, &value, &place), 0, "there is no second");
	is_str(config_get(&c, "CSBX_HOSTNAME"), "a b", "blanks at the ends go");
	is_str(config_get(&c, "CSBX_WORKDIR"), " x ", "quotes keep them");
	is_str(config_get(&c, "CSBX_ENTRYPOINT"), NULL, "empty is silent");
	is_str(config_get(&c, "CSBX_USER"), "1", "no newline at the end");
	is_str(config_get(&c, "CSBX_NETWORK"), NULL, "silent");
	config_free(&c);
}

static void test_lists(void)
{
	struct config c = CONFIG_INIT;
	const char *value = "";

	is_int(parse(&c, "CSBX_ENV A=1\nCSBX_UPPER_SIZE 1g\nCSBX_ENV B=2\n", NULL), 0, "parsed");
	is_int(config_get_nth(&c, "CSBX_ENV", 0, &value, NULL), 1, "first item");
	is_str(value, "A=1", "first item");
	is_int(config_get_nth(&c, "CSBX_ENV", 1, &value, NULL), 1, "second item");
	is_str(value, "B=2", "second item");
	is_int(config_get_nth(&c, "CSBX_ENV", 2, &value, NULL), 0, "no third");
	is_int(parse(&c, "CSBX_ENV \"\"\nCSBX_ENV C=3\n", NULL), 0, "reset");
	is_int(config_get_nth(&c, "CSBX_ENV", 0, &value, NULL), 1, "item after the reset");
	is_str(value, "C=3", "item after the reset");
	is_int(config_get_nth(&c, "CSBX_ENV", 1, &value, NULL), 0, "the others are gone");
	config_free(&c);
}

static void is_refused(const char *text, size_t len, const char *want)
{
	struct config c = CONFIG_INIT;
	struct err e = ERR_INIT;

	is_int(config_parse(&c, "f", text, len, &e), -EINVAL, "refused");
	is_str(e.msg, want, "%s", want);
	config_free(&c);
}

static void test_errors(void)
{
#define REFUSED(text, want) is_refused(text, sizeof(text) - 1, want)
	REFUSED("\nCSBX_MEMROY 2g\n", "f:2: unknown key 'CSBX_MEMROY'");
	REFUSED("CSBX_UPPER_SIZE=2g\n", "f:1: no value (write KEY VALUE)");
	REFUSED("CSBX_UPPER_SIZE\n", "f:1: no value (write KEY VALUE)");
	REFUSED("CSBX_WORKDIR \"/a\n", "f:1: a quote that does not end");
	REFUSED("CSBX_WORKDIR \"\n", "f:1: a quote that does not end");
	REFUSED("CSBX_WORKDIR a\0b\n", "f:1: a control character");
	REFUSED("CSBX_WORKDIR \x1b[31m\n", "f:1: a control character");
	REFUSED("CSBX_READ_ONLY maybe\n", "f:1: CSBX_READ_ONLY is yes or no");
	REFUSED("\xef\xbb\xbf"
		"CSBX_UPPER_SIZE 1g\n",
		"f:1: unknown key '\\xef\\xbb\\xbfCSBX_UPPER_SIZE'");
}

static void write_file(int dirfd, const char *name, mode_t mode, const char *text)
{
	_close_ int fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	ok(fd >= 0 && !fchmod(fd, mode) && write(fd, text, strlen(text)) == (ssize_t)strlen(text),
	   "wrote %s", name);
}

static void test_files(int dirfd, const char *dir)
{
	const char *env[] = {"PATH=/bin",
			     "CSBX_USER=4",
			     "CSBX_ENV=X=1\nY=2\n",
			     "CSBX_NETWORK=",
			     "CSBX_DEBUG=1",
			     "CSBX_TEST_ANY=1",
			     NULL};
	_free_ char *user = str_printf("%s/user.conf", dir);
	struct config_files files = {.system_dir = dir, .user_file = user, .env = env};
	struct config c = CONFIG_INIT;
	struct err e = ERR_INIT;
	const char *value = "", *place = "";

	is_int(config_load_from(&c, &files, &e), 0, "no files: %s", e.msg);
	config_free(&c);
	write_file(dirfd, "csbx.conf", 0644,
		   "CSBX_UPPER_SIZE 1g\nCSBX_USER 1\nCSBX_NETWORK 5\nCSBX_ENV S=1\n");
	mkdirat(dirfd, "csbx.conf.d", 0755);
	write_file(dirfd, "csbx.conf.d/20-b.conf", 0644, "CSBX_SHM_SIZE 20m\n");
	write_file(dirfd, "csbx.conf.d/10-a.conf", 0644, "CSBX_SHM_SIZE 10m\nCSBX_HOSTNAME h\n");
	write_file(dirfd, "csbx.conf.d/30-c.off", 0644, "no configuration\n");
	write_file(dirfd, "user.conf", 0600, "CSBX_UPPER_SIZE 2g\nCSBX_USER 2\n");
	is_int(config_load_from(&c, &files, &e), 0, "files: %s", e.msg);
	is_str(config_get(&c, "CSBX_UPPER_SIZE"), "2g", "the user's file wins over the site's");
	is_str(config_get(&c, "CSBX_USER"), "4", "the environment wins over both");
	is_str(config_get(&c, "CSBX_SHM_SIZE"), "20m", "csbx.conf.d is read by name");
	is_str(config_get(&c, "CSBX_NETWORK"), NULL, "an empty variable hides the files'");
	is_int(config_get_nth(&c, "CSBX_ENV", 1, &value, &place), 1, "a list in the environment");
	is_str(value, "Y=2", "its second item");
	is_str(place, "CSBX_ENV in the environment", "its place");
	is_int(config_get_nth(&c, "CSBX_ENV", 2, &value, &place), 0, "not mixed with the files'");
	config_free(&c);

	write_file(dirfd, "user.conf", 0606, "");
	is_int(config_load_from(&c, &files, &e), -EPERM, "anyone may write: %s", e.msg);
	unlinkat(dirfd, "user.conf", 0);
	is_int(mkfifoat(dirfd, "user.conf", 0600), 0, "fifo");
	is_int(config_load_from(&c, &files, &e), -EINVAL, "a fifo does not hang: %s", e.msg);
	unlinkat(dirfd, "user.conf", 0);
	env[1] = "CSBX_MEMROY=1g";
	is_int(config_load_from(&c, &files, &e), -EINVAL, "unknown variable");
	is_str(e.msg, "CSBX_MEMROY in the environment: unknown key", "message");
}

static void test_keys(void)
{
	size_t n;
	const struct config_key *keys = config_keys(&n);
	bool good = true;

	for (size_t i = 0; i < n; i++) {
		good = good && config_key_find(keys[i].name) == &keys[i];
		if (keys[i].option)
			good = good && config_key_of_option(keys[i].option) == &keys[i];
	}
	ok(good && n > 30, "every key is found by its name and its option");
}

int main(void)
{
	char dir[TAP_PATH_SIZE] = "csbx-unit-config";
	_close_ int dirfd = -1;

	test_values();
	test_lists();
	test_errors();
	test_keys();
	if (!tap_mkdtemp(dir))
		return EXIT_FAILURE;
	dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	test_files(dirfd, dir);
	path_remove_tree_at(AT_FDCWD, dir, NULL);
	return done_testing();
}
