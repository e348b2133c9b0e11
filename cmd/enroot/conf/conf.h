/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_ENROOT_CONF_H
#define CSBX_CMD_ENROOT_CONF_H

/*
 * The room cmd/enroot/conf. enroot's settings.
 *
 * In: files, variables, --conf scripts. Out: values with their places.
 *
 *	conf.h, keys.c		settings
 *	load.c, set.c, conf_expand.c: files and the part of the shell's language in them
 *	dropin.h, expand.h	directories of small files
 *	script.h		--conf
 *
 * Must: understand what such files are written with.
 * Mustn't: run a shell to read a setting.
 */

/*
 * enroot's settings: ENROOT_SYSCONF_PATH/enroot.conf (/etc/enroot), enroot.conf.d/[name].conf by
 * name, the environment, and `#ENROOT_X=value` lines of a --conf script; the later wins.
 *
 * A line of a file is `KEY VALUE` or `KEY=VALUE`. enroot hands the value to a shell; here nothing
 * runs, and of the shell's language only what such files are written with is understood:
 *
 *	'literal'  "quoted"  \c		quotes and backslash
 *	$VAR ${VAR} ${VAR:-word} ${VAR-word}	the environment, then lines before this one
 *	$(id -u) $(id -un)		the caller's uid and name, literally these words
 *	# at the beginning of a word	a comment
 *
 * Blanks outside quotes become one. Anything else that a shell would run or expand ($( `), an
 * unknown ${...} form, a quote without its end is an error with file:line. An unknown key is a
 * warning with file:line, and passed over.
 *
 * "no", "false", "n", "f" in any of the usual cases, and "0", are false: as if not set.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/str.h"

struct err;

/* The values that the words of a file may refer to. */
struct enroot_conf_env {
	const char *(*get)(void *ctx, const char *name); /* NULL: not set */
	/* The caller's name; NULL: there is none. Asked only where a file wants it. */
	const char *(*user)(void *ctx);
	void *ctx;
	uint32_t uid;
};

struct enroot_setting {
	char *key, *value;
	char *place; /* "/etc/enroot/enroot.conf:3", "the environment" */
};

struct enroot_conf {
	struct enroot_setting *items; /* in the order read: the last one of a key counts */
	size_t n, cap;
	struct strv warnings; /* of files: unknown keys */
};
#define ENROOT_CONF_INIT \
	{                \
		0        \
	}

/* The caller's environment, uid and name. */
struct enroot_conf_env enroot_conf_environment(void);

/* Files and environment. */
int enroot_conf_load(struct enroot_conf *c, struct err *e);
void enroot_conf_free(struct enroot_conf *c);
#define _enroot_conf_ __attribute__((cleanup(enroot_conf_free)))

/* Adds the lines of one file's text: a pure function of (buf, len) and env. */
int enroot_conf_parse(struct enroot_conf *c, const struct enroot_conf_env *env, const char *file,
		      const char *buf, size_t len, struct err *e);

/* Expands one value as a file's; shown: its place in messages. */
int enroot_conf_expand(const struct enroot_conf_env *env, const char *shown, const char *text,
		       size_t len, struct strbuf *ret, struct err *e);

/* Adds one value that wins over all before it (`#ENROOT_X=` lines, options). */
int enroot_conf_set(struct enroot_conf *c, const char *key, const char *value, const char *place,
		    struct err *e);

/* The value that counts; NULL where none is set, or it is empty or false. */
const char *enroot_conf_get(const struct enroot_conf *c, const char *key);
/* The same with its place (may be NULL), and false values as they were written. */
const struct enroot_setting *enroot_conf_find(const struct enroot_conf *c, const char *key);

/* True where something other than a false word is set; `silent` where nothing is. */
bool enroot_conf_flag(const struct enroot_conf *c, const char *key, bool silent);
bool enroot_conf_is_false(const char *word);

/* True when files may set this key: one that csbx knows (keys.c). */
bool enroot_conf_key_is_known(const char *key, size_t len);

/* ENROOT_SYSCONF_PATH, ENROOT_CONFIG_PATH: never NULL but when out of memory. Caller frees. */
char *enroot_sysconf_dir(const struct enroot_conf *c);
char *enroot_config_dir(const struct enroot_conf *c);
/* How many of its last names are csbx's choice: of a directory by HOME or XDG_CONFIG_HOME, with that one's own. */
unsigned enroot_config_names(const char *dir);

/* All keys that csbx gives a meaning to, for `info`; ends with a NULL name. */
struct enroot_key {
	const char *name;
	const char *initial; /* the default as info shows it; NULL: none */
};
extern const struct enroot_key enroot_keys[];

#endif
