/* SPDX-License-Identifier: Apache-2.0 */
/* Dockerfiles as data: what each line becomes, and what is wrong with it and where. */
#include "cmd/build/dockerfile/dockerfile.h"

#include "cmd/build/dockerfile/mount_words.h"
#include "cmd/build/dockerfile/expand.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "tests/unit/tap.h"

/* "OP|flag,flag|arg,arg{NAME=data}" of each instruction, one a line. */
static void show(const struct dockerfile *d, struct strbuf *out)
{
	for (size_t n = 0; n < d->n; n++) {
		const struct instruction *i = &d->items[n];

		strbuf_addf(out, "%u %s", i->line, dockerfile_op_name(i->op));
		for (size_t k = 0; k < i->flags.n; k++)
			strbuf_addf(out, " %s", i->flags.items[k]);
		for (size_t k = 0; k < i->args.n; k++)
			strbuf_addf(out, "%c%s",
				    k            ? ','
				    : i->is_json ? '!'
						 : '|',
				    i->args.items[k]);
		for (size_t k = 0; k < i->n_heredocs; k++)
			strbuf_addf(out, "{%s%s%s=%s}", i->heredocs[k].chomp ? "-" : "",
				    i->heredocs[k].expand ? "" : "'", i->heredocs[k].name,
				    i->heredocs[k].data);
		strbuf_addch(out, '\n');
	}
}

static const struct {
	const char *what, *text, *want;
} files[] = {
	{"plain", "FROM a\nRUN b c\n", "1 FROM|a\n2 RUN|b c\n"},
	{"no newline at the end", "FROM a", "1 FROM|a\n"},
	{"names in any case", "from a As B\nrun x", "1 FROM|a,As,B\n2 RUN|x\n"},
	{"blanks and empty lines", "\n \t\n  FROM \t a  \n", "3 FROM|a\n"},
	{"carriage returns", "FROM a\r\nRUN b \\\r\n c\r\n", "1 FROM|a\n2 RUN|b  c\n"},
	{"a byte order mark",
	 "\xef\xbb\xbf"
	 "FROM a\n",
	 "1 FROM|a\n"},
	{"comments", "# c\nFROM a\n  # d\nRUN x # y\n", "2 FROM|a\n4 RUN|x # y\n"},
	{"continuation", "FROM a\nRUN b && \\\n    c \\  \n  d\n",
	 "1 FROM|a\n2 RUN|b &&     c   d\n"},
	{"two backslashes are text", "FROM a\nRUN b \\\\\nRUN c\n",
	 "1 FROM|a\n2 RUN|b \\\\\n3 RUN|c\n"},
	{"comments and empty lines between", "FROM a\nRUN b \\\n# no\n\n  # no\n c\nRUN d\n",
	 "1 FROM|a\n2 RUN|b  c\n7 RUN|d\n"},
	{"goes on at the end", "FROM a\nRUN b \\\n", "1 FROM|a\n2 RUN|b\n"},
	{"escape directive", "# escape=`\nFROM a\nRUN b `\n c\\\n", "2 FROM|a\n3 RUN|b  c\\\n"},
	{"directives end", "# syntax=x\n#\n# escape=`\nFROM a\nRUN b \\\nc\n",
	 "4 FROM|a\n5 RUN|b c\n"},
	{"json", "FROM a\nRUN [\"b\", \"c d\"]\nCMD []\nENTRYPOINT [ \"x\\u0041\" ]\n",
	 "1 FROM|a\n2 RUN!b,c d\n3 CMD\n4 ENTRYPOINT!xA\n"},
	{"json that is none", "FROM a\nRUN [ 'b' ]\nCMD [\"x\"\n",
	 "1 FROM|a\n2 RUN|[ 'b' ]\n3 CMD|[\"x\"\n"},
	{"env", "FROM a\nENV A=1 B='x y' C=a\\ b\nENV D the rest \nENV E=\"q r\"",
	 "1 FROM|a\n2 ENV|A,1,B,'x y',C,a\\ b\n3 ENV|D,the rest\n4 ENV|E,\"q r\"\n"},
	{"label", "FROM a\nLABEL \"a.b\"=c d=\"e f\"", "1 FROM|a\n2 LABEL|\"a.b\",c,d,\"e f\"\n"},
	{"arg before from", "ARG V=1\nFROM a:$V\nARG V W=\"a b\"\n",
	 "1 ARG|V=1\n2 FROM|a:$V\n3 ARG|V,W=\"a b\"\n"},
	{"flags",
	 "FROM --platform=linux/amd64 a\nCOPY --from=b --chown=1:2 --link c d e/\nRUN "
	 "--mount=type=cache,target=/x --mount=type=tmpfs,target=/y --network=none z --k\n",
	 "1 FROM --platform=linux/amd64|a\n2 COPY --from=b --chown=1:2 --link|c,d,e/\n3 RUN "
	 "--mount=type=cache,target=/x --mount=type=tmpfs,target=/y --network=none|z --k\n"},
	{"flags end", "FROM a\nRUN -- --x\n", "1 FROM|a\n2 RUN|--x\n"},
	{"copy as json", "FROM a\nCOPY [\"a b\", \"c\"]\n", "1 FROM|a\n2 COPY!a b,c\n"},
	{"heredoc", "FROM a\nRUN <<EOF\nb\n # c\n\\\nEOF\nRUN d\n",
	 "1 FROM|a\n2 RUN|<<EOF{EOF=b\n # c\n\\\n}\n7 RUN|d\n"},
	{"heredocs", "FROM a\nCOPY <<-A <<'B' 3<<\"C\" /d/\n\t1\n\tA\n2\nB\nC\n",
	 "1 FROM|a\n2 COPY|<<-A,<<'B',3<<\"C\",/d/{-A=\t1\n}{'B=2\n}{'C=}\n"},
	{"no heredoc", "FROM a\nRUN cat <<<x; echo $((1<<2)) 1 << 2\nCMD <<EOF\n",
	 "1 FROM|a\n2 RUN|cat <<<x; echo $((1<<2)) 1 << 2\n3 CMD|<<EOF\n"},
	{"health",
	 "FROM a\nHEALTHCHECK --interval=1m30s --retries=2 CMD x y\nHEALTHCHECK CMD "
	 "[\"p\",\"q\"]\nHEALTHCHECK none\n",
	 "1 FROM|a\n2 HEALTHCHECK --interval=1m30s --retries=2|CMD,x y\n3 HEALTHCHECK!CMD,p,q\n4 "
	 "HEALTHCHECK|NONE\n"},
	{"others",
	 "FROM a\nUSER u:g\nWORKDIR /a b\nVOLUME /v /w\nVOLUME [\"/x y\"]\nEXPOSE 80 "
	 "81/udp\nSTOPSIGNAL 9\nSHELL [\"/bin/bash\",\"-c\"]\nONBUILD RUN x\nMAINTAINER me\nCMD\n",
	 "1 FROM|a\n2 USER|u:g\n3 WORKDIR|/a b\n4 VOLUME|/v,/w\n5 VOLUME!/x y\n6 "
	 "EXPOSE|80,81/udp\n7 "
	 "STOPSIGNAL|9\n8 SHELL!/bin/bash,-c\n9 ONBUILD|RUN x\n10 MAINTAINER|me\n11 CMD\n"},
};

static const struct {
	const char *text, *want;
	unsigned line, end_line;
} errors[] = {
	{"", "file with no instructions", 0, 0},
	{"# only\n\n", "file with no instructions", 0, 0},
	{"ARG a=1\n", "no build stage in current context", 0, 0},
	{"RUN a\n", "dockerfile parse error on line 1: no build stage in current context", 1, 1},
	{"FROM a\n\nFOO b\n", "dockerfile parse error on line 3: unknown instruction: FOO", 3, 3},
	{"FROM a\nrunn b \\\n c\n", "dockerfile parse error on line 2: unknown instruction: RUNN",
	 2, 3},
	{"FROM\n", "dockerfile parse error on line 1: FROM requires either one or three arguments",
	 1, 1},
	{"FROM a b\n",
	 "dockerfile parse error on line 1: FROM requires either one or three arguments", 1, 1},
	{"FROM a as 1x\n",
	 "dockerfile parse error on line 1: invalid name for build stage: \"1x\", name can't start "
	 "with a number or contain symbols",
	 1, 1},
	{"FROM a\nCOPY b\n",
	 "dockerfile parse error on line 2: COPY requires at least two arguments, but only one was "
	 "provided. Destination could not be determined",
	 2, 2},
	{"FROM a\nENV A\n", "dockerfile parse error on line 2: ENV must have two arguments", 2, 2},
	{"FROM a\nENV\n", "dockerfile parse error on line 2: ENV requires at least one argument", 2,
	 2},
	{"FROM a\nENV A=1 B\n",
	 "dockerfile parse error on line 2: Syntax error - can't find = in \"B\". Must be of the "
	 "form: "
	 "name=value",
	 2, 2},
	{"FROM a\nENV =1\n", "dockerfile parse error on line 2: ENV names can not be blank", 2, 2},
	{"FROM a\nARG =1\n", "dockerfile parse error on line 2: ARG names can not be blank", 2, 2},
	{"FROM a\nCMD [\"a\", 1]\n",
	 "dockerfile parse error on line 2: When using JSON array syntax, arrays must be comprised "
	 "of "
	 "strings only.",
	 2, 2},
	{"FROM a\nSHELL /bin/sh\n",
	 "dockerfile parse error on line 2: SHELL requires the arguments to be in JSON form", 2, 2},
	{"FROM a\nUSER\n", "dockerfile parse error on line 2: USER requires exactly one argument",
	 2, 2},
	{"FROM a\nRUN --foo=1 b\n", "dockerfile parse error on line 2: unknown flag: --foo", 2, 2},
	{"FROM a\nCOPY --from=a --from=b c d\n",
	 "dockerfile parse error on line 2: duplicate flag specified: --from", 2, 2},
	{"FROM a\nCOPY --chown c d\n",
	 "dockerfile parse error on line 2: missing a value on flag: --chown", 2, 2},
	{"FROM a\nCOPY --link=x c d\n",
	 "dockerfile parse error on line 2: expecting boolean value for flag --link, not: x", 2, 2},
	{"FROM a\nRUN <<EOF\nb\n", "dockerfile parse error on line 2: unterminated heredoc", 2, 3},
	{"# escape=x\nFROM a\n",
	 "dockerfile parse error on line 1: invalid ESCAPE 'x'. Must be ` or \\", 1, 1},
	{"# escape=`\n# escape=`\nFROM a\n",
	 "dockerfile parse error on line 2: only one escape parser directive can be used", 2, 2},
	{"FROM a\nONBUILD ONBUILD RUN x\n",
	 "dockerfile parse error on line 2: Chaining ONBUILD via `ONBUILD ONBUILD` isn't allowed",
	 2, 2},
	{"FROM a\nONBUILD from x\n",
	 "dockerfile parse error on line 2: FROM isn't allowed as an ONBUILD trigger", 2, 2},
	{"FROM a\nHEALTHCHECK x\n",
	 "dockerfile parse error on line 2: Unknown type \"X\" in HEALTHCHECK (try CMD)", 2, 2},
	{"FROM a\nHEALTHCHECK --interval=5 CMD x\n",
	 "dockerfile parse error on line 2: time: invalid duration \"5\"", 2, 2},
	{"FROM a\nHEALTHCHECK CMD\n",
	 "dockerfile parse error on line 2: Missing command after HEALTHCHECK CMD", 2, 2},
};

static void test_files(void)
{
	for (size_t n = 0; n < sizeof(files) / sizeof(files[0]); n++) {
		_dockerfile_ struct dockerfile d = {0};
		_strbuf_ struct strbuf out = STRBUF_INIT;
		struct dockerfile_place place;
		struct err e = ERR_INIT;

		if (dockerfile_parse(files[n].text, strlen(files[n].text), &d, &place, &e) < 0)
			strbuf_addstr(&out, e.msg);
		show(&d, &out);
		is_str(strbuf_str(&out), files[n].want, "%s", files[n].what);
	}
}

static void test_errors(void)
{
	for (size_t n = 0; n < sizeof(errors) / sizeof(errors[0]); n++) {
		_dockerfile_ struct dockerfile d = {0};
		struct dockerfile_place place;
		struct err e = ERR_INIT;

		dockerfile_parse(errors[n].text, strlen(errors[n].text), &d, &place, &e);
		is_str(e.msg, errors[n].want, "error %zu", n);
		is_int(place.line, errors[n].line, "line of error %zu", n);
		is_int(place.end_line, errors[n].end_line, "last line of error %zu", n);
	}
}

static void test_place(void)
{
	static const char text[] = "FROM a\nRUN b\nFOO \\\n c\nRUN d\nRUN e\nRUN f\n";
	_strbuf_ struct strbuf out = STRBUF_INIT;
	const struct dockerfile_place place = {3, 4};

	dockerfile_show_place("Dockerfile", text, sizeof(text) - 1, &place, &out);
	is_str(strbuf_str(&out),
	       "Dockerfile:3\n--------------------\n"
	       "   1 |     FROM a\n   2 |     RUN b\n   3 | >>> FOO \\\n   4 | >>>  c\n"
	       "   5 |     RUN d\n   6 |     RUN e\n--------------------\n",
	       "the place is shown");
}

static void test_long(void)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	_dockerfile_ struct dockerfile d = {0};
	struct dockerfile_place place;
	struct err e = ERR_INIT;

	strbuf_addstr(&text, "FROM a\nRUN ");
	while (text.len < 80000)
		strbuf_addstr(&text, "xxxxxxxx");
	dockerfile_parse(text.data, text.len, &d, &place, &e);
	is_str(e.msg,
	       "dockerfile parse error on line 2: dockerfile line greater than maximum allowed "
	       "size "
	       "of 65535",
	       "a line too long");
}

static void test_mount(const char *text, const char *want)
{
	_strv_ struct strv env = STRV_INIT;
	const struct expand x = {.env = &env, .escape = '\\'};
	struct run_mount m;
	struct err e = ERR_INIT;
	_free_ char *got = NULL;

	strv_add(&env, "D=/d");
	if (run_mount_parse(text, &x, &m, &e) < 0) {
		is_str(e.msg, want, "%s", text);
		return;
	}
	got = str_printf("%d %s %s %s%s", m.kind, m.target ? m.target : "-", m.id ? m.id : "-",
			 m.from ? m.from : "-", m.readonly ? " ro" : "");
	is_str(got, want, "%s", text);
	run_mount_free(&m);
}

int main(void)
{
	test_files();
	test_errors();
	test_place();
	test_long();
	test_mount("type=cache,target=$D/x,id=a,sharing=locked", "1 /d/x a -");
	test_mount("target=/x,from=b,ro", "0 /x - b ro");
	test_mount("type=secret,id=s", "3 - s -");
	test_mount("type=tmpfs,dst=/t,size=1m,mode=0700", "2 /t - -");
	test_mount("type=foo", "unsupported mount type \"foo\"");
	test_mount("type=cache", "target is required");
	test_mount("type=cache,target=/x,foo=1", "unexpected key 'foo' in 'foo=1'");
	test_mount("bla", "invalid field 'bla' must be a key=value pair");
	test_mount("type=bind,target=/x,size=1m", "unexpected key 'size' for mount type 'bind'");
	return done_testing();
}
