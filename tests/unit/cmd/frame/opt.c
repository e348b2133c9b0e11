/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/frame/opt.h"

#include "cmd/frame/cmd.h"
#include "cmd/frame/frame.h"
#include "cmd/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "runtime/settings/config.h"
#include "tests/unit/tap.h"

struct args {
	bool all, brief;
	const char *name;
	struct strv list;
	int mode;
	uint64_t number, bytes, time_ms;
	int calls;
	char called[64], maybe[64];
};

static int set_called(void *target, const char *value, struct err *e)
{
	struct args *a = target;

	if (str_eq(value, "bad"))
		return err_set(e, EINVAL, "not liked");
	a->calls++;
	snprintf(a->called, sizeof(a->called), "%s", value);
	return 0;
}

static int set_maybe(void *target, const char *value, struct err *e)
{
	struct args *a = target;

	(void)e;
	snprintf(a->maybe, sizeof(a->maybe), "%s", value ? value : "(bare)");
	return 0;
}

static const struct opt opts[] = {
	{OPT_FLAG, 'a', "all", .offset = offsetof(struct args, all), .help = "all",
	 .has_key = true},
	{OPT_FLAG, 'b', "brief", .offset = offsetof(struct args, brief), .help = "brief"},
	{OPT_STR, 'n', "name", "NAME", offsetof(struct args, name), .help = "name",
	 .has_key = true},
	{OPT_LIST, 'l', "list", "ITEM", offsetof(struct args, list), .help = "l", .has_key = true},
	{OPT_CHOICE, 0, "mode", "MODE", offsetof(struct args, mode), .choices = "none|host|n",
	 .help = "mode"},
	{OPT_NUMBER, 0, "number", "N", offsetof(struct args, number), .max = 100, .help = "n"},
	{OPT_BYTES, 0, "bytes", "SIZE", offsetof(struct args, bytes), .help = "size",
	 .has_key = true},
	{OPT_DURATION, 0, "time", "TIME", offsetof(struct args, time_ms), .help = "time"},
	{OPT_CALL, 'c', "call", "X", 0, set_called, .help = "call", .repeats = true,
	 .has_key = true},
	{OPT_MAYBE, 't', "tty", "yes|no", 0, set_maybe, .help = "tty"},
	{0},
};
static const struct opt_table table = {"Options", opts};
static const struct opt_use uses[] = {{&table, 0}, {0}};

struct keys {
	const char *pairs[8][2];
};

static int lookup(void *ctx, const char *key, size_t i, const char **ret_value,
		  const char **ret_place)
{
	const struct keys *k = ctx;

	for (size_t n = 0; n < 8 && k->pairs[n][0]; n++) {
		if (!str_eq(k->pairs[n][0], key) || i--)
			continue;
		*ret_value = k->pairs[n][1];
		*ret_place = "file:1";
		return 1;
	}
	return 0;
}

static struct args args;
static struct err error;
static char *words[32];

/* Splits "a b 'c'" at blanks; '_' stands for an empty word. Leaves the words in words[]. */
static int parse_with(const char *line, bool ends, struct keys *keys)
{
	static char buf[512];
	struct opt_parser p = {.uses = uses,
			       .first_operand_ends = ends,
			       .args = &args,
			       .lookup = keys ? lookup : NULL,
			       .lookup_ctx = keys};
	int argc = 0;
	char *save = NULL;

	strv_free(&args.list);
	memset(&args, 0, sizeof(args));
	memset(&error, 0, sizeof(error));
	snprintf(buf, sizeof(buf), "verb %s", line);
	for (char *w = strtok_r(buf, " ", &save); w; w = strtok_r(NULL, " ", &save))
		words[argc++] = str_eq(w, "_") ? w + 1 : w;
	words[argc] = NULL;
	return opt_parse(&p, argc, words, &error);
}

static int parse(const char *line)
{
	return parse_with(line, false, NULL);
}

static void test_forms(void)
{
	is_int(parse("--name=x op"), 1, "--name=V");
	is_str(args.name, "x", "value behind '='");
	is_int(parse("--name x op"), 1, "--name V");
	is_str(args.name, "x", "value in the next word");
	is_int(parse("-n x"), 0, "-n V");
	is_str(args.name, "x", "short value");
	is_int(parse("-nx"), 0, "-nV");
	is_str(args.name, "x", "short value in the same word");
	is_int(parse("--name= op"), 1, "--name= is an empty value");
	is_str(args.name, "", "empty");
	is_int(parse("--name _ op"), 1, "an empty word is a value");
	is_str(args.name, "", "empty word");
	is_int(parse("--name --all"), 0, "a value may look like an option");
	is_str(args.name, "--all", "taken as it is");
	ok(!args.all, "and not parsed again");
	is_int(parse("-abn x -"), 1, "bundled flags, the last with a value; '-' is an operand");
	ok(args.all && args.brief && str_eq(args.name, "x"), "all three");
	is_str(words[1], "-", "operand");
	is_int(parse("--name a --name b"), 0, "twice");
	is_str(args.name, "b", "the last one counts");
	is_int(parse("-l a --list=b -lc"), 0, "list");
	is_int(args.list.n, 3, "three items");
	is_str(args.list.items[2], "c", "in order");
}

static void test_flags(void)
{
	is_int(parse("--all=no"), 0, "--flag=no");
	ok(!args.all, "off");
	is_int(parse("--all --all=false"), 0, "on, then off");
	ok(!args.all, "the last one counts");
	is_int(parse("--all=maybe"), -EINVAL, "a flag is yes or no");
	is_int(parse("--tty op"), 1, "an optional value is not the next word");
	is_str(args.maybe, "(bare)", "bare");
	is_int(parse("--tty=no"), 0, "an optional value behind '='");
	is_str(args.maybe, "no", "given");
	is_int(parse("-ta"), 0, "a short flag with an optional value bundles");
	ok(args.all && str_eq(args.maybe, "(bare)"), "both");
}

static void test_operands(void)
{
	is_int(parse("x --all y"), 2, "options may follow operands");
	ok(args.all && str_eq(words[1], "x") && str_eq(words[2], "y"), "operands in order");
	is_int(parse("x -- --all -- y"), 4, "-- ends the options, a second one is an operand");
	ok(!args.all && str_eq(words[2], "--all") && str_eq(words[3], "--"), "taken as they are");
	is_int(parse_with("-a x --all --name", true, NULL), 3,
	       "the first operand ends the options");
	is_str(words[2], "--all", "the command's own option");
	is_int(parse_with("-- -a x", true, NULL), 2, "-- before the operand");
	is_str(words[1], "-a", "an operand that looks like an option");
	is_int(parse_with("x -- y", true, NULL), 3, "-- behind the operand belongs to the command");
	is_str(words[2], "--", "kept");
	is_int(parse("_"), 1, "an empty operand is one");
}

static void test_errors(void)
{
	is_int(parse("--nmae x"), -EINVAL, "unknown");
	is_str(error.msg, "unknown option '--nmae' (did you mean '--name'?)", "nearest");
	is_int(parse("--zzzzzz"), -EINVAL, "unknown, nothing near");
	is_str(error.msg, "unknown option '--zzzzzz'", "no guess");
	is_int(parse("--al"), -EINVAL, "no abbreviations");
	is_int(parse("-az"), -EINVAL, "unknown letter in a bundle");
	is_str(error.msg, "unknown option '-z'", "names the letter");
	is_int(parse("--name"), -EINVAL, "value missing");
	is_str(error.msg, "option '--name' needs a value (NAME)", "says so");
	is_int(parse("-n"), -EINVAL, "short value missing");
	is_int(parse("--call bad"), -EINVAL, "a setter refuses");
	is_str(error.msg, "--call bad: not liked", "named with its value");
	is_int(parse("--help"), OPT_HELP, "help");
	is_int(parse("--help --nonsense"), -EINVAL, "help does not hide errors");
	is_int(parse("-ah"), OPT_HELP, "short help");
}

static void test_values(void)
{
	static const char *const bad[] = {
		"--number 0",
		"--number -1",
		"--number 101",
		"--number 1e3",
		"--number 0x1",
		"--number +1",
		"--number _",
		"--number 99999999999999999999",
		"--bytes 0",
		"--bytes -1",
		"--bytes nan",
		"--bytes 1e3",
		"--bytes 9999999999999g",
		"--bytes _",
		"--time 0",
		"--time -1s",
		"--time inf",
		"--mode no",
		"--mode _",
		"--mode none|host",
		"--mode Host",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		is_int(parse(bad[i]) < 0, 1, "refused: %s", bad[i]);
		ok(str_has_prefix(error.msg, "--"), "names the option: %s", error.msg);
	}
	is_int(parse("--number 100 --bytes 1.5g --time 250ms --mode host"), 0, "good values");
	ok(args.number == 100 && args.bytes == 3 * (UINT64_C(1) << 29) && args.time_ms == 250 &&
		   args.mode == 1,
	   "taken");
	is_int(parse("--mode n"), 0, "a choice that begins another");
	is_int(args.mode, 2, "told apart");
}

static void test_configuration(void)
{
	struct keys k = {{{"CSBX_NAME", "conf"},
			  {"CSBX_LIST", "one"},
			  {"CSBX_LIST", "two"},
			  {"CSBX_ALL", "yes"},
			  {"CSBX_CALL", "x"},
			  {"CSBX_CALL", "y"}}};
	struct keys bad = {{{"CSBX_BYTES", "lots"}}};

	is_int(parse_with("", false, &k), 0, "configuration alone");
	ok(str_eq(args.name, "conf") && args.all && args.list.n == 2, "values taken");
	is_int(args.calls, 2, "a repeated key is applied as often as it is there");
	is_int(parse_with("--name x --all=no -l three -c z", false, &k), 0, "with options");
	is_str(args.name, "x", "the option wins");
	ok(!args.all, "a flag can be taken back");
	is_int(args.list.n, 3, "lists add up");
	is_str(args.list.items[2], "three", "the command line's last");
	is_str(args.called, "z", "in that order for setters too");
	is_int(parse_with("", false, &bad), -EINVAL, "a bad value");
	is_str(error.msg, "file:1: CSBX_BYTES lots: must be a size above 0, such as 512m or 2g",
	       "named by its place");
	is_int(parse_with("--bytes 1m", false, &bad), 0, "not looked at when the option is given");
	is_int(parse_with("--help", false, &bad), OPT_HELP, "help works with a bad configuration");
}

static int apply(const char *const *named, struct keys *keys)
{
	static struct strv list; /* what args points to */
	const struct opt_parser p = {
		.uses = uses, .args = &args, .lookup = lookup, .lookup_ctx = keys};

	strv_free(&args.list);
	strv_free(&list);
	memset(&args, 0, sizeof(args));
	memset(&error, 0, sizeof(error));
	for (; *named; named++)
		strv_add(&list, *named);
	return opt_apply(&p, &list, &error);
}

static void test_named_values(void)
{
	struct keys keys = {{{"CSBX_NAME", "of the file"}, {"CSBX_LIST", "of the file"}}};
	const char *const all[] = {"list", "--all", "all", "yes", "call", "x", "list", "b", NULL};
	const char *const name[] = {"name", "-n given", NULL};
	const char *const unknown[] = {"nam", "x", NULL};
	const char *const bad[] = {"number", "many", NULL};

	is_int(apply(all, &keys), 0, "named values");
	ok(args.all && args.calls == 1, "a flag and a call");
	is_str(args.name, "of the file", "what is not named is the configuration's");
	is_int((int)args.list.n, 3, "a list adds to the configuration's");
	is_str(args.list.items[1], "--all", "a value is not parsed as an option");
	is_int(apply(name, &keys), 0, "one value");
	is_str(args.name, "-n given", "what is named stands in the configuration's place");
	is_int(apply(unknown, &keys), -EINVAL, "an unknown name");
	is_int(apply(bad, &keys), -EINVAL, "a bad value");
	ok(strstr(error.msg, "--number many"), "is named: %s", error.msg);
}

static void test_nearest(void)
{
	static const char *const names[] = {"start", "stop", "remove", "list", NULL};

	is_str(opt_nearest("strat", names), "start", "swapped letters");
	is_str(opt_nearest("sta", names), "start", "a beginning");
	is_str(opt_nearest("lst", names), "list", "a letter missing");
	is_str(opt_nearest("x", names), NULL, "nothing near a single letter");
	is_str(opt_nearest("", names), NULL, "nothing near nothing");
	is_str(opt_nearest("explode", names), NULL, "nothing near");
}

/* Every option of a verb that says it has a key is known to the configuration, kind and all. */
static void check_keys(const struct verb *v)
{
	for (const struct opt_use *u = v->uses; u->table; u++) {
		for (const struct opt *o = u->table->opts; o->kind; o++) {
			_strbuf_ struct strbuf name = STRBUF_INIT;
			const struct config_key *key = config_key_of_option(o->name);

			ok(o->has_key == (key != NULL), "%s --%s: has a key: %d", v->name, o->name,
			   o->has_key);
			ok(o->kind == OPT_FLAG || o->arg, "%s --%s: names its value", v->name,
			   o->name);
			ok(o->help[strlen(o->help) - 1] != '.', "%s --%s: no full stop", v->name,
			   o->name);
			if (!key)
				continue;
			opt_key_name(o, &name);
			is_str(strbuf_str(&name), key->name, "--%s: name of the key", o->name);
			is_int(o->repeats || o->kind == OPT_LIST, key->kind == CONFIG_LIST,
			       "--%s: a list in both", o->name);
		}
	}
}

/* No name or letter twice, every letter names an option, every row can be found. */
static void check_rows(const struct verb *v)
{
	struct opt_parser p = frame_parser(v);

	for (const struct opt_letter *l = v->letters; l && l->letter; l++)
		ok(opt_find(&p, l->name, strlen(l->name), NULL), "%s -%c: there is --%s", v->name,
		   l->letter, l->name);
	for (const struct opt_use *u = v->uses; u->table; u++) {
		for (const struct opt *o = u->table->opts; o->kind; o++) {
			char letter = opt_letter_of(&p, o);

			ok(opt_find(&p, o->name, strlen(o->name), NULL) == o, "%s --%s: once",
			   v->name, o->name);
			if (letter)
				ok(opt_find_letter(&p, letter, NULL) == o, "%s -%c: once", v->name,
				   letter);
		}
	}
}

static void test_texts(void)
{
	_strbuf_ struct strbuf help = STRBUF_INIT;
	size_t column = 0, widest = 0;

	help_format_verb(&verb_start, &help);
	for (size_t i = 0; i < help.len; i++) {
		column = help.data[i] == '\n' ? 0 : column + 1;
		widest = column > widest ? column : widest;
	}
	ok(widest <= 80, "help fits 80 columns (%zu)", widest);
	ok(strstr(help.data, "-m, --mount SPEC"), "a verb's letter is shown");
	ok(strstr(help.data, "[=yes|no]"), "an optional value is shown");
}

int main(void)
{
	test_forms();
	test_flags();
	test_operands();
	test_errors();
	test_values();
	test_configuration();
	test_named_values();
	test_nearest();
	check_keys(&verb_start);
	check_keys(&verb_run);
	check_rows(&verb_start);
	check_rows(&verb_run);
	test_texts();
	strv_free(&args.list);
	return done_testing();
}
