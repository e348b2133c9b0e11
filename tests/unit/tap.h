/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_TESTS_TAP_H
#define CSBX_TESTS_TAP_H

/*
 * Unit tests speak TAP (https://testanything.org). A test program calls ok() and its relatives
 * and ends with `return done_testing();`. Included by one .c file a program, hence the state here.
 * A crash or an early exit prints no plan, which the runner counts as a failure.
 */

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tap_count, tap_failed;

#define ok(cond, ...) tap_ok((cond), #cond, __FILE__, __LINE__, __VA_ARGS__)
#define is_int(got, want, ...) \
	tap_is_int((long long)(got), (long long)(want), __FILE__, __LINE__, __VA_ARGS__)
#define is_str(got, want, ...) tap_is_str((got), (want), __FILE__, __LINE__, __VA_ARGS__)
#define is_mem(got, got_len, want, want_len, ...) \
	tap_is_mem((got), (got_len), (want), (want_len), __FILE__, __LINE__, __VA_ARGS__)

__attribute__((format(printf, 2, 0))) static inline void tap_line(bool pass, const char *fmt,
								  va_list ap)
{
	printf("%sok %d - ", pass ? "" : "not ", ++tap_count);
	vprintf(fmt, ap);
	putchar('\n');
	fflush(stdout); /* so that a fork does not print it twice */
	tap_failed += !pass;
}

__attribute__((format(printf, 5, 6))) static inline bool
tap_ok(bool pass, const char *what, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tap_line(pass, fmt, ap);
	va_end(ap);
	if (!pass)
		printf("# %s:%d: false: %s\n", file, line, what);
	return pass;
}

__attribute__((format(printf, 5, 6))) static inline bool
tap_is_int(long long got, long long want, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tap_line(got == want, fmt, ap);
	va_end(ap);
	if (got != want)
		printf("# %s:%d: got %lld, expected %lld\n", file, line, got, want);
	return got == want;
}

__attribute__((format(printf, 5, 6))) static inline bool
tap_is_str(const char *got, const char *want, const char *file, int line, const char *fmt, ...)
{
	bool pass = got && want ? !strcmp(got, want) : got == want;
	va_list ap;

	va_start(ap, fmt);
	tap_line(pass, fmt, ap);
	va_end(ap);
	if (!pass)
		printf("# %s:%d: got \"%s\", expected \"%s\"\n", file, line, got ? got : "(null)",
		       want ? want : "(null)");
	return pass;
}

__attribute__((format(printf, 7, 8))) static inline bool
tap_is_mem(const void *got, size_t got_len, const void *want, size_t want_len, const char *file,
	   int line, const char *fmt, ...)
{
	bool pass = got_len == want_len && (!got_len || !memcmp(got, want, got_len));
	va_list ap;

	va_start(ap, fmt);
	tap_line(pass, fmt, ap);
	va_end(ap);
	if (!pass)
		printf("# %s:%d: %zu bytes differ from the expected %zu\n", file, line, got_len,
		       want_len);
	return pass;
}

/* Reports one test that this machine cannot run. */
__attribute__((format(printf, 1, 2))) static inline void tap_skip(const char *fmt, ...)
{
	va_list ap;

	printf("ok %d # SKIP ", ++tap_count);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
}

#define TAP_PATH_SIZE 128

/* A fresh directory below TMPDIR, whose name replaces the prefix in path. The runner looks there
 * for what stays. */
static inline char *tap_mkdtemp(char path[TAP_PATH_SIZE])
{
	const char *tmp = getenv("TMPDIR");
	char name[TAP_PATH_SIZE];

	snprintf(name, sizeof(name), "%s", path);
	snprintf(path, TAP_PATH_SIZE, "%s/%.40s-XXXXXX", tmp ? tmp : "/tmp", name);
	return mkdtemp(path);
}

static inline int done_testing(void)
{
	printf("1..%d\n", tap_count);
	return fflush(stdout) || tap_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
