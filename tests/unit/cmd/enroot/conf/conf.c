/* SPDX-License-Identifier: Apache-2.0 */

/* enroot's configuration: the parts of a shell's language that its values may hold, and the source
 * that wins. */

#include <stdlib.h>
#include <string.h>

#include "cmd/enroot/conf/conf.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "tests/unit/tap.h"

static const char *get(void *ctx, const char *name)
{
	(void)ctx;
	if (str_eq(name, "HOME"))
		return "/home/me";
	if (str_eq(name, "BLANKS"))
		return " a  b ";
	return str_eq(name, "EMPTY") ? "" : NULL;
}

static const char *user(void *ctx)
{
	(void)ctx;
	return "me";
}

static const struct enroot_conf_env env = {get, user, NULL, 1500};

static void value_is(const char *text, const char *want)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct err e = ERR_INIT;

	enroot_conf_expand(&env, "f:1", text, strlen(text), &out, &e);
	is_str(e.code ? e.msg : strbuf_str(&out), want, "value %s", text);
}

static void value_fails(const char *text, const char *why)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct err e = ERR_INIT;
	int r = enroot_conf_expand(&env, "f:1", text, strlen(text), &out, &e);

	ok(r == -EINVAL && strstr(e.msg, why) && str_has_prefix(e.msg, "f:1: "), "refused %s (%s)",
	   text, e.msg);
}

static void values(void)
{
	value_is("/a/b", "/a/b");
	value_is("${HOME}/x", "/home/me/x");
	value_is("$HOME/x", "/home/me/x");
	value_is("/raid/user-$(id -u)", "/raid/user-1500");
	value_is("\"/raid/$(id -un)\"", "/raid/me");
	value_is("${NONE:-/def}", "/def");
	value_is("${NONE-/def}", "/def");
	value_is("${EMPTY:-/def}", "/def");
	value_is("${EMPTY-/def}", "");
	value_is("${HOME:-/def}/y", "/home/me/y");
	value_is("${NONE:-${HOME}/z}", "/home/me/z");
	value_is("${HOME:-${NONE:-x}}/y", "/home/me/y");
	value_is("${NONE:-$(id -u)}", "1500");
	value_is("-comp lzo   -noD", "-comp lzo -noD");
	value_is("'-comp  lzo' x", "-comp  lzo x");
	value_is("\"$BLANKS\"", " a  b ");
	value_is("x $BLANKS y", "x a b y");
	value_is("a\\ b \\$HOME", "a b $HOME");
	value_is("\"a\\b\\\"\"", "a\\b\"");
	value_is("'$HOME'", "$HOME");
	value_is("yes # a comment", "yes");
	value_is("a#b", "a#b");
	value_is("100$", "100$");
	value_is("", "");
	value_is("\"\"", "");
	value_is("$NONE", "");
	value_is("a}b", "a}b");
}

static void refusals(void)
{
	value_fails("$(nproc)", "nothing is run");
	value_fails("$(id -u; rm -rf x)", "nothing is run");
	value_fails("$(id  -u)", "nothing is run");
	value_fails("$((1+1))", "nothing is run");
	value_fails("`id`", "nothing is run");
	value_fails("\"`id`\"", "nothing is run");
	value_fails("${HOME%/*}", "are understood");
	value_fails("${HOME:=x}", "are understood");
	value_fails("${HOME", "are understood");
	value_fails("${HOME:-x", "without its }");
	value_fails("${NONE:-x", "without its }");
	value_fails("${}", "without a name");
	value_fails("'x", "without its end");
	value_fails("\"x", "without its end");
	value_fails("x\\", "at the end");
	value_fails("a; b", "operator");
	value_fails("a > b", "operator");
	value_fails("${NONE:-`id`}", "nothing is run");
	value_fails("${A:-${A:-${A:-${A:-${A:-${A:-${A:-${A:-${A:-x}}}}}}}}}", "too many");
}

static const char *setting(const struct enroot_conf *c, const char *key)
{
	const char *value = enroot_conf_get(c, key);

	return value ? value : "(none)";
}

static void files(void)
{
	static const char text[] = "# comment\n\n"
				   "ENROOT_DATA_PATH /raid/$(id -u)\n"
				   "  ENROOT_CACHE_PATH=${ENROOT_DATA_PATH}/cache\r\n"
				   "ENROOT_DATA_PATH\t/later\n"
				   "ENROOT_REMAP_ROOT no\n"
				   "ENROOT_MOUNT_HOME yes\n"
				   "ENROOT_RESTRICT_DEV 0\n"
				   "ENROOT_REMAP_ROTO yes\n"
				   "NVIDIA_VISIBLE_DEVICES all\n"
				   "http_proxy http://p:1";
	struct enroot_conf c = ENROOT_CONF_INIT;
	struct err e = ERR_INIT;

	is_int(enroot_conf_parse(&c, &env, "f", text, strlen(text), &e), 0, "parsed: %s", e.msg);
	is_str(setting(&c, "ENROOT_DATA_PATH"), "/later", "the last line counts");
	is_str(setting(&c, "ENROOT_CACHE_PATH"), "/raid/1500/cache", "earlier lines are known");
	is_str(setting(&c, "ENROOT_REMAP_ROOT"), "(none)", "no is not set");
	is_str(setting(&c, "ENROOT_RESTRICT_DEV"), "(none)", "0 is false");
	ok(!enroot_conf_flag(&c, "ENROOT_RESTRICT_DEV", true), "0 wins over a default");
	ok(enroot_conf_flag(&c, "ENROOT_MOUNT_HOME", false), "yes is true");
	ok(enroot_conf_flag(&c, "ENROOT_LOGIN_SHELL", true), "silence is the default");
	is_str(setting(&c, "NVIDIA_VISIBLE_DEVICES"), "all", "of hooks");
	is_str(setting(&c, "http_proxy"), "http://p:1", "without a last newline");
	is_int((int)c.warnings.n, 1, "one warning");
	is_str(c.warnings.n ? c.warnings.items[0] : "",
	       "f:9: unknown key 'ENROOT_REMAP_ROTO' is passed over", "it names file and line");
	is_str(enroot_conf_find(&c, "ENROOT_MOUNT_HOME")->place, "f:7",
	       "a setting knows its place");
	is_int(enroot_conf_set(&c, "ENROOT_MOUNT_HOME", "n", "script", &e), 0, "set");
	ok(!enroot_conf_flag(&c, "ENROOT_MOUNT_HOME", true), "what is set last wins");
	enroot_conf_free(&c);
}

static void bad_files(void)
{
	static const struct {
		const char *text, *why;
		size_t len;
	} cases[] = {
		{"ENROOT_DATA_PATH\n", "f:1: not a line of KEY VALUE", 0},
		{"\n=x\n", "f:2: not a line of KEY VALUE", 0},
		{"ENROOT_DATA_PATH `id`\n", "f:1: `: nothing is run", 0},
		{"ENROOT_DATA_PATH a\0b\n", "f:1: a NUL byte", 21},
		{"x y\n-- z\n", "f:2: not a line of KEY VALUE", 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct enroot_conf c = ENROOT_CONF_INIT;
		struct err e = ERR_INIT;
		size_t len = cases[i].len ? cases[i].len : strlen(cases[i].text);

		is_int(enroot_conf_parse(&c, &env, "f", cases[i].text, len, &e), -EINVAL,
		       "refused");
		is_str(e.msg, cases[i].why, "says why");
		enroot_conf_free(&c);
	}
}

int main(void)
{
	values();
	refusals();
	files();
	bad_files();
	return done_testing();
}
