/* SPDX-License-Identifier: Apache-2.0 */
/* The readers of credentials; the places they are looked for are
 * tests/integration/test_registry.py's. */
#include "image/credentials/credentials.h"

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "tests/unit/tap.h"

static char *joined(int r, const struct credentials *c, const char *helper)
{
	if (r < 0)
		return strdup("error");
	if (!r)
		return strdup("none");
	if (helper)
		return str_printf("ask %s", helper);
	return str_printf("%s:%s%s%s", c->user ? c->user : "", c->password ? c->password : "",
			  c->identity_token ? " token " : "",
			  c->identity_token ? c->identity_token : "");
}

static void netrc(const char *text, const char *user, const char *want)
{
	_credentials_ struct credentials c = {0};
	int r = credentials_from_netrc(text, strlen(text), "host", user, &c, NULL);
	_free_ char *got = joined(r, &c, NULL);

	is_str(got, want, "netrc for %s: %.60s", user ? user : "anybody", text);
}

static void test_netrc(void)
{
	netrc("machine host login me password pw", NULL, "me:pw");
	netrc("machine HOST\n login me\n\tpassword pw\n", NULL, "me:pw");
	netrc("machine other login a password b\nmachine host login me password pw", NULL, "me:pw");
	netrc("machine host login a password b machine host login me password pw", "me", "me:pw");
	netrc("machine host login a password b", "me", "none");
	netrc("machine host login me", NULL, "none");
	netrc("machine host password pw", NULL, "none");
	netrc("# machine host login no password no\nmachine host login me password p#w", NULL,
	      "me:p#w");
	netrc("machine host login $oauthtoken password pw", NULL, "$oauthtoken:pw");
	netrc("machine host login me password \"a b\\\"c\"", NULL, "me:a b\"c");
	netrc("machine host login me password \"\"", NULL, "me:");
	netrc("default login me password pw", NULL, "me:pw");
	netrc("machine host account x login me password pw", NULL, "me:pw");
	netrc("machine host login me password $(id)", NULL, "error");
	netrc("machine host login me password $NOT_SET_HERE_4711", NULL, "error");
	netrc("machine other login me password $(aws ecr get --x)\nmachine host login a password b",
	      NULL, "a:b");
	setenv("A_PASSWORD_OF_THE_TEST", "secret", 1);
	netrc("machine host login me password $A_PASSWORD_OF_THE_TEST", NULL, "me:secret");
	netrc("machine host login me password ${A_PASSWORD_OF_THE_TEST}", NULL, "me:secret");
	netrc("machine", NULL, "error");
	netrc("nonsense", NULL, "error");
	netrc("", NULL, "none");
}

static void json(const char *text, const char *repository, const char *user, const char *want)
{
	const struct credentials_query q = {
		.registry = "h:5", .repository = repository, .user = user};
	_credentials_ struct credentials c = {0};
	_free_ char *helper = NULL;
	int r = credentials_from_json(text, strlen(text), &q, &c, &helper, NULL);
	_free_ char *got = joined(r, &c, helper);

	is_str(got, want, "%.70s", text);
}

#define ME "{\"auth\":\"bWU6YTpi\"}"  /* me:a:b */
#define YOU "{\"auth\":\"eW91OmM=\"}" /* you:c */

static void test_json(void)
{
	json("{\"auths\":{\"h:5\":" ME "}}", "a/b", NULL, "me:a:b");
	json("{\"auths\":{\"H:5\":" ME "}}", "a/b", NULL, "me:a:b");
	json("{\"auths\":{\"https://h:5/v2/\":" ME "}}", "a/b", NULL, "me:a:b");
	json("{\"auths\":{\"h\":" ME ",\"h:55\":" ME "}}", "a/b", NULL, "none");
	json("{\"auths\":{\"h:5\":" YOU ",\"h:5/a\":" ME "}}", "a/b", NULL, "me:a:b");
	json("{\"auths\":{\"h:5/a/b\":" ME ",\"h:5/a\":" YOU "}}", "a/b", NULL, "me:a:b");
	json("{\"auths\":{\"h:5/a/b/c\":" ME ",\"h:5/a/\":" YOU "}}", "a/b", NULL, "you:c");
	json("{\"auths\":{\"h:5/aa\":" ME "}}", "a/b", NULL, "none");
	json("{\"auths\":{\"h:5\":" ME "}}", "a/b", "you", "none");
	json("{\"auths\":{\"h:5\":{}}}", "a/b", NULL, "none");
	json("{\"auths\":{\"h:5\":{\"username\":\"me\",\"password\":\"p\"}}}", "a", NULL, "me:p");
	json("{\"auths\":{\"h:5\":{\"auth\":\"bWU6\",\"identitytoken\":\"t\"}}}", "a", NULL,
	     "me: token t");
	json("{\"credsStore\":\"s\",\"auths\":{\"h:5\":" ME "}}", "a", NULL, "ask s");
	json("{\"credsStore\":\"s\",\"credHelpers\":{\"h:5\":\"t\"}}", "a", NULL, "ask t");
	json("{\"credHelpers\":{\"h:6\":\"t\"},\"auths\":{\"h:5\":" ME "}}", "a", NULL, "me:a:b");
	json("{\"auths\":{\"h:5\":{\"auth\":\"bWU=\"}}}", "a", NULL, "error");
	json("{\"auths\":{\"h:5\":{\"auth\":\"*\"}}}", "a", NULL, "error");
	json("{\"auths\":{\"h:5\":{\"auth\":1}}}", "a", NULL, "error");
	json("{\"credHelpers\":{\"h:5\":1}}", "a", NULL, "error");
	json("[]", "a", NULL, "error");
	json("", "a", NULL, "error");
}

static void hub(const char *key, const char *registry)
{
	const struct credentials_query q = {.registry = registry};
	_free_ char *text = str_printf("{\"auths\":{\"%s\":" ME "}}", key), *helper = NULL;
	_credentials_ struct credentials c = {0};

	is_int(credentials_from_json(text, strlen(text), &q, &c, &helper, NULL), 1, "%s is %s", key,
	       registry);
}

static void test_hub(void)
{
	hub("https://index.docker.io/v1/", "registry-1.docker.io");
	hub("docker.io", "registry-1.docker.io");
	hub("registry-1.docker.io", "docker.io");
}

static void test_helper(void)
{
	static const char *const cases[][2] = {
		{"{\"ServerURL\":\"h\",\"Username\":\"u\",\"Secret\":\"s\"}", "u:s"},
		{"{\"Username\":\"<token>\",\"Secret\":\"s\"}", ": token s"},
		{"{\"Username\":\"u\"}", "error"},
		{"not json", "error"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_credentials_ struct credentials c = {0};
		int r = credentials_from_helper(cases[i][0], strlen(cases[i][0]), &c, NULL);
		_free_ char *got = joined(r < 0 ? r : 1, &c, NULL);

		is_str(got, cases[i][1], "%s", cases[i][0]);
	}
}

static void edit(const char *text, const struct credentials *c, int want, const char *want_text)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	is_int(credentials_edit_json(text, strlen(text), "h:5", c, &out, NULL), want, "%.60s",
	       text);
	if (want >= 0)
		is_str(strbuf_str(&out), want_text, "as expected");
}

static void test_edit(void)
{
	char user[] = "me", password[] = "a:b";
	const struct credentials me = {.user = user, .password = password};

	edit("", &me, 0,
	     "{\n  \"auths\": {\n    \"h:5\": {\n      \"auth\": \"bWU6YTpi\"\n    }\n  }\n}\n");
	edit("{\"x\":[1,true,null,\"s\"],\"auths\":{\"h:5\":{},\"g\":{\"auth\":\"x\"}}}", NULL, 1,
	     "{\n  \"x\": [\n    1,\n    true,\n    null,\n    \"s\"\n  ],\n  \"auths\": {\n    "
	     "\"g\": {\n"
	     "      \"auth\": \"x\"\n    }\n  }\n}\n");
	edit("{\"auths\":{\"h:5/a\":" ME "}}", NULL, 0,
	     "{\n  \"auths\": {\n    \"h:5/a\": {\n"
	     "      \"auth\": \"bWU6YTpi\"\n    }\n  }\n}\n");
	edit("{\"x\":1.5}", &me, -EBADMSG, NULL);
	edit("{", &me, -EBADMSG, NULL);
	edit("[]", &me, -EBADMSG, NULL);
	edit("{\"auths\":1}", &me, -EBADMSG, NULL);
}

int main(void)
{
	test_netrc();
	test_json();
	test_hub();
	test_helper();
	test_edit();
	return done_testing();
}
