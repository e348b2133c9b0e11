/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_ENROOT_CONF_SCRIPT_H
#define CSBX_ENROOT_CONF_SCRIPT_H

/*
 * A --conf file (or a batch file): a bash script of which two things count,
 *
 *	#ENROOT_X=value		settings that win over the environment; #ENROOT_ROOTFS in batch
 *	environ() mounts() hooks() rc()	functions whose output, or effect, is part of the start
 *
 * The text is looked through without running it. bash runs only if the text defines one of the
 * functions: environ() and mounts() as the caller, before anything is set up; hooks() with the
 * other hooks.
 */

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/str.h"

struct err;

enum conf_function { CONF_ENVIRON, CONF_MOUNTS, CONF_HOOKS, CONF_RC, CONF_FUNCTIONS };

struct conf_script {
	char *path; /* absolute */
	struct strbuf text;
	struct strv settings; /* "ENROOT_X=value", in order, the value as it is written */
	bool has[CONF_FUNCTIONS];
};
#define CONF_SCRIPT_INIT \
	{                \
		0        \
	}

#define CONF_SCRIPT_MAX (1u << 20)

/* Reads and looks through a file. -EINVAL: not a regular file, larger than CONF_SCRIPT_MAX. */
int conf_script_read(const char *path, struct conf_script *ret, struct err *e);
/* The part that looks through: a pure function of (buf, len). */
int conf_script_scan(const char *buf, size_t len, struct conf_script *ret, struct err *e);
void conf_script_free(struct conf_script *s);

/*
 * Runs one function and appends what it prints. `args` are the script's $1, $2...; `env` is
 * bash's environment. Its standard error is the caller's. A status other than 0 is an error:
 * "FILE: environ() exited with return code N".
 */
int conf_script_call(const struct conf_script *s, enum conf_function f, char *const *args,
		     char *const *env, struct strbuf *out, struct err *e);
/* The body of rc(), empty where the script turns out to have none. */
int conf_script_rc(const struct conf_script *s, char *const *args, char *const *env,
		   struct strbuf *out, struct err *e);
/* The command that runs a function, to be run elsewhere: argv[0] is bash's path. */
int conf_script_argv(const struct conf_script *s, enum conf_function f, char *const *args,
		     struct strv *argv, struct err *e);

#endif
