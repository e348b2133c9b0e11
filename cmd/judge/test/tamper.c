/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/test/tamper.h"

#include <string.h>
#include <strings.h>

#include "cmd/judge/test/report.h"
#include "cmd/judge/test/verdict.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_one_of(const char *name, const char *const *list)
{
	while (*list && !str_eq(*list, name))
		list++;
	return *list;
}

/* NAME.py, or what Python imports in its place: a package or a library of that name. */
static bool is_module(const char *path, const char *name, const char *module)
{
	size_t before = (size_t)(name - path), len = strlen(module);
	bool is_code = str_has_suffix(name, ".py") || str_has_suffix(name, ".pyc") ||
		       str_has_suffix(name, ".so");

	if (!is_code)
		return false;
	if (!strncmp(name, module, len) && name[len] == '.')
		return true;
	return str_has_prefix(name, "__init__.") && before > len && name[-1] == '/' &&
	       !strncmp(name - len - 1, module, len) &&
	       (before == len + 1 || name[-(long)len - 2] == '/');
}

/* Files that the interpreter or the runner reads by itself. NULL: an ordinary one. */
static const char *kind_of_file(const char *path)
{
	static const char *const config[] = {"pytest.ini",     ".pytest.ini", "pytest.toml",
					     ".pytest.toml",   "tox.ini",     "setup.cfg",
					     "pyproject.toml", ".coveragerc", NULL};
	const char *name = file_name(path);

	if (is_module(path, name, "conftest"))
		return "conftest";
	if (is_one_of(name, config))
		return "pytest_config";
	if (is_module(path, name, "sitecustomize") || is_module(path, name, "usercustomize") ||
	    str_eq(name, "pyvenv.cfg") || str_has_suffix(name, ".pth"))
		return "startup";
	if (str_eq(name, "entry_points.txt"))
		return "entry_points";
	return NULL;
}

/* d/__pycache__/x.cpython-311.pyc is what is run in the place of d/x.py; NULL: no such file. */
static char *compiled_from(const char *path)
{
	const char *name = file_name(path), *dot = strchr(name, '.');
	size_t cache = strlen("__pycache__/"), before = (size_t)(name - path);

	if (!str_has_suffix(name, ".pyc") || !dot || before < cache ||
	    strncmp(name - cache, "__pycache__/", cache) != 0)
		return NULL;
	return str_printf("%.*s%.*s.py", (int)(before - cache), path, (int)(dot - name), name);
}

static bool is_of_test_patch(const struct test_report *r, const char *path)
{
	for (size_t i = 0; i < r->changed.n; i++) {
		if ((r->changed.items[i].flags & CHANGED_BY_TESTS) &&
		    str_eq(r->changed.items[i].what, path))
			return true;
	}
	return false;
}

/* The end of the file of an id: "tests/test_a.py::test_b" -> 15; 0: its name has no file. */
static size_t file_length(const char *id)
{
	const char *end = strstr(id, "::");
	size_t len = end ? (size_t)(end - id) : strlen(id);

	return end || str_has_suffix(id, ".py") ? len : 0;
}

/*
 * True when the file is the one with the test, or one that Python imports in its place: d/test_a.py
 * is also d/test_a.so and d/test_a/__init__.py.
 */
static bool is_file_of(const char *path, const char *id, size_t len)
{
	if (str_has_suffix(id, ".py") || strncmp(id + len, "::", 2) == 0) {
		size_t stem = len > 3 && !strncmp(id + len - 3, ".py", 3) ? len - 3 : len;

		if (strncmp(path, id, stem) != 0)
			return false;
		return !path[stem] || path[stem] == '.' || path[stem] == '/';
	}
	return false;
}

/* True when a dotted name begins with the path, from its component `from` on, as a module's
 * name. */
static bool is_module_of(const char *from, const char *name, size_t len)
{
	size_t i = 0;

	while (i < len && from[i] && from[i] != '.' &&
	       (from[i] == name[i] || (from[i] == '/' && name[i] == '.')))
		i++;
	if (i == len || name[i] == '.')
		return from[i] == '.' || !strncmp(from + i, "/__init__.", strlen("/__init__."));
	return false;
}

/*
 * unittest's ids are names with dots, relative to any directory: `package.module.Class.test`, or
 * `test (package.module.Class)`.
 */
static bool is_file_of_dotted(const char *path, const char *id)
{
	const char *open = strstr(id, " ("), *name = open ? open + 2 : id;
	size_t len = strcspn(name, ")");

	for (const char *from = path; from; from = strchr(from, '/')) {
		from += *from == '/';
		if (is_module_of(from, name, len))
			return true;
	}
	return false;
}

/* True when a listed id lies in the file. */
static bool holds_tests(const struct test_lists *lists, const char *path)
{
	for (int list = 0; list < 2; list++) {
		for (size_t i = 0; i < lists->ids[list].n; i++) {
			const char *id = lists->ids[list].items[i];
			size_t len = file_length(id);

			if (len ? is_file_of(path, id, len) : is_file_of_dotted(path, id))
				return true;
		}
	}
	return false;
}

/* Tests, by the names that runners look for. */
static bool is_test_module(const char *path)
{
	const char *name = file_name(path);

	return str_has_suffix(name, ".py") &&
	       (str_has_prefix(name, "test") || str_has_suffix(name, "_test.py"));
}

static bool is_usual(const char *name, size_t n)
{
	return (n == 4 || n == 5) && !strncasecmp(name, "tests", n);
}

static bool is_other(const char *name, size_t n)
{
	static const char *const names[] = {"testing",  "t",         "spec",     "specs",
					    "unittest", "unittests", "testsuite"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == n && !strncasecmp(name, names[i], n))
			return true;
	return n > 5 &&
	       (!strncasecmp(name, "test_", 5) || !strncasecmp(name, "tests_", 6) ||
		!strncasecmp(name + n - 5, "_test", 5) || !strncasecmp(name + n - 6, "_tests", 6));
}

/*
 * The length of "a/tests/" in "a/tests/b/c.py": where the first directory ends that has such a name;
 * 0: none.
 */
static size_t directory_named(const char *path, bool (*is_it)(const char *name, size_t n))
{
	for (const char *p = path, *slash; (slash = strchr(p, '/')); p = slash + 1)
		if (is_it(p, (size_t)(slash - p)))
			return (size_t)(slash + 1 - path);
	return 0;
}

static size_t tests_directory(const char *path)
{
	size_t n = directory_named(path, is_usual);

	return n ? n : directory_named(path, is_other);
}

/* `tests.test_unit.TestCase.test`, or `test (tests.test_unit.TestCase)`, lies below tests/. */
static bool is_dotted_below(const char *id, const char *path, size_t dir)
{
	const char *spoken = strstr(id, " (");

	id = spoken ? spoken + 2 : id;
	for (size_t i = 0; i < dir; i++) {
		if (!id[i] || (id[i] == '.' ? '/' : id[i]) != path[i])
			return false;
	}
	return true;
}

/*
 * True when listed tests lie below the directory that the path begins with. Names with dots may be
 * of any directory for tests, which may be where Python looks for modules.
 */
static bool has_listed_tests(const struct test_lists *lists, const char *path, size_t dir)
{
	for (int list = 0; list < 2; list++) {
		for (size_t i = 0; i < lists->ids[list].n; i++) {
			const char *id = lists->ids[list].items[i];

			if (file_length(id)
				    ? !strncmp(id, path, dir)
				    : is_dotted_below(id, path, dir) || tests_directory(path))
				return true;
		}
	}
	return false;
}

/* A new file of that name above listed tests, but not in the repository's own directory. */
static bool is_new_above_tests(const struct test_lists *lists, const struct test_note *file,
			       const char *name)
{
	size_t dir = (size_t)(file_name(file->what) - file->what);

	return (file->flags & CHANGED_NEW) && dir && str_eq(file_name(file->what), name) &&
	       has_listed_tests(lists, file->what, dir);
}

/*
 * The files that tests are run with and compare with: a file that was there, or what makes them a
 * package.
 */
static bool is_support(const struct test_lists *lists, const struct test_note *file)
{
	size_t dir = tests_directory(file->what);

	if (is_new_above_tests(lists, file, "__init__.py"))
		return true;
	if (!dir || is_test_module(file->what) || !has_listed_tests(lists, file->what, dir))
		return false;
	return !(file->flags & CHANGED_NEW) || str_eq(file_name(file->what), "__init__.py");
}

/* A file that the test patch wrote is the tester's, whatever a patch before did to it. */
static int look_at_file(struct test_report *r, const struct test_note *file,
			const struct test_lists *lists, struct err *e)
{
	_free_ char *source = compiled_from(file->what);
	const char *path = file->what, *meant = source ? source : path;
	const char *kind = kind_of_file(meant);
	bool is_listed = holds_tests(lists, meant);
	int ret = 0;

	if ((file->flags & CHANGED_BY_TESTS) || is_of_test_patch(r, path))
		return 0;
	/* pytest takes its directory for the root, and no conftest.py above it. */
	if (!kind && is_new_above_tests(lists, file, "setup.py"))
		kind = "pytest_config";
	if (kind)
		ret = test_notes_add(&r->tamper, kind, path, e);
	if (ret >= 0 && (file->flags & CHANGED_INSTALLED))
		ret = test_notes_add(&r->tamper, "installed_package", path, e);
	if (ret >= 0 && (file->flags & CHANGED_SHADOW))
		ret = test_notes_add(&r->tamper, "shadow", path, e);
	if (ret >= 0 && is_listed)
		ret = test_notes_add(&r->tamper, "test_file", path, e);
	if (ret >= 0 && !kind && !is_listed && is_support(lists, file))
		ret = test_notes_add(&r->tamper, "test_support", path, e);
	return ret;
}

static int look_at_counts(struct test_report *r, struct err *e)
{
	_free_ char *text = NULL;
	uint64_t failed = 0;

	if (!r->is_finished)
		return 0;
	for (size_t i = 0; i < r->n; i++) {
		enum test_outcome o = test_case_outcome(&r->cases[i]);

		failed += o == TEST_FAILED || o == TEST_ERROR;
	}
	if (r->n > r->collected && !r->is_full)
		text = str_printf("%zu tests were reported, the session has %llu", r->n,
				  (unsigned long long)r->collected);
	else if (r->failed != r->session_failed)
		text = str_printf("%llu failures were reported, the session counts %llu",
				  (unsigned long long)r->failed,
				  (unsigned long long)r->session_failed);
	else if (!r->status && failed + r->collect_errors.n)
		text = str_printf("%llu tests failed, the session says all passed",
				  (unsigned long long)failed);
	else
		return 0;
	return text ? test_notes_add(&r->tamper, "counts", text, e) : err_oom(e);
}

int test_tamper_look(struct test_report *r, const struct test_lists *lists, struct err *e)
{
	int ret = 0;

	for (size_t i = 0; i < r->changed.n && ret >= 0; i++)
		ret = look_at_file(r, &r->changed.items[i], lists, e);
	return ret < 0 ? ret : look_at_counts(r, e);
}
