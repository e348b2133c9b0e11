/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/spec/env_lines.h"

#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "tests/unit/tap.h"

/* "A=1|B=2 !line 3: not NAME=VALUE" */
static const char *told(const char *text, size_t len, unsigned flags)
{
	static char out[1024];
	_strv_ struct strv env = STRV_INIT, wrong = STRV_INIT;
	_strbuf_ struct strbuf b = STRBUF_INIT;
	struct err e = ERR_INIT;

	is_int(env_lines_parse(text, len, flags, &env, &wrong, &e), 0, "parsed");
	for (size_t i = 0; i < env.n; i++)
		strbuf_addf(&b, "%s%s", i ? "|" : "", env.items[i]);
	for (size_t i = 0; i < wrong.n; i++)
		strbuf_addf(&b, " !%s", wrong.items[i]);
	snprintf(out, sizeof(out), "%s", strbuf_str(&b));
	return out;
}

#define TOLD(text, flags) told(text, sizeof(text) - 1, flags)

int main(void)
{
	is_str(TOLD("A=1\n\n# c\nB=a=b \nA=2", 0), "A=1|B=a=b |A=2", "lines as they are");
	is_str(TOLD("Q=\"x\"\nS='y'\n", 0), "Q=\"x\"|S='y'", "quotes stay");
	is_str(TOLD("Q=\"x\"\nS='y'\nH=\"'z'\"\nO=\"\n", ENV_LINES_HAND), "Q=x|S=y|H='z'|O=\"",
	       "a pair of quotes goes where people write");
	is_str(TOLD(" export A=1 \r\n\tB = 2\n", ENV_LINES_HAND), "A=1 !line 2: not NAME=VALUE",
	       "blanks");
	is_str(TOLD("1A=x\n=y\nnone\nA-B=c\n_=1\n", 0),
	       "_=1 !line 1: not NAME=VALUE !line 2: not NAME=VALUE !line 3: not NAME=VALUE "
	       "!line 4: not NAME=VALUE",
	       "names");
	is_str(TOLD("A=one\ntwo\0B=3\0", 0), "A=one\ntwo|B=3", "NUL-terminated");
	is_str(TOLD("", 0), "", "nothing");
	ok(env_name_is_valid("A") && env_name_is_valid("a_9=x") && env_name_is_valid("_="), "good");
	ok(!env_name_is_valid("") && !env_name_is_valid("=") && !env_name_is_valid("9a") &&
		   !env_name_is_valid("a b=c"),
	   "bad");
	return done_testing();
}
