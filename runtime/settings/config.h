/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_CONFIG_H
#define CSBX_RUNTIME_CONFIG_H

/*
 * The room runtime/settings. The settings of a site, a user and the environment.
 *
 * In: files, variables. Out: values with the place they came from, directories, a tightened
 * specification.
 *
 *	config.h		KEY VALUE files and CSBX_* variables
 *	paths.h			where csbx keeps things
 *	policy.h		what a site forbids or forces
 *	bundle_self.h		the running program as a bundle
 *
 * Must: refuse what it does not understand, with file and line.
 * Mustn't: loosen what a policy says.
 */

/*
 * Settings from files and environment (docs/cli.md 5). Files hold `KEY VALUE` lines; the keys
 * are the names of the environment variables (CSBX_SHM_SIZE 2g), `#` starts a comment line, and a
 * value may be put in double quotes to keep blanks at its ends. csbx expands nothing in a value.
 * Unknown keys are errors, in files with file:line, in the environment too: a typo must not lose a
 * limit.
 *
 * Order: $(sysconfdir)/csbx/csbx.conf, csbx.conf.d/[name].conf by name, then
 * $XDG_CONFIG_HOME/csbx/csbx.conf (~/.config). A later file wins; values of a list key add up.
 * A CSBX_* variable wins over all files (lists: newlines between items); an empty one hides them.
 * The environment is not looked at in a set-id program (secure_getenv(3)).
 */

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/str.h"

struct err;

enum config_kind {
	CONFIG_TEXT, /* one value; the last one counts */
	CONFIG_FLAG, /* yes/no, true/false, on/off, 1/0 */
	CONFIG_LIST, /* values add up */
};

struct config_key {
	const char *name;   /* "CSBX_PIDS_LIMIT" */
	const char *option; /* long option it stands in for, "pids-limit"; NULL: no option has it */
	enum config_kind kind;
	bool of_image;  /* of import and its kin, not of start and run */
	bool is_secret; /* its value is never shown */
};

/* The one table of keys: paths, then every run option. */
const struct config_key *config_keys(size_t *ret_n);
const struct config_key *config_key_find(const char *name);
const struct config_key *config_key_of_option(const char *option);

struct config_entry {
	const struct config_key *key;
	char *value;
	char *place; /* "/etc/csbx/csbx.conf:3", "CSBX_USER in the environment" */
	bool from_env;
};

struct config {
	struct config_entry *entries; /* in the order read, the environment's last */
	size_t n, cap;
};
#define CONFIG_INIT \
	{           \
		0   \
	}

/* The places of the files; config_load() uses the installed places. */
struct config_files {
	const char *system_dir; /* holds csbx.conf, csbx.conf.d; NULL = none */
	const char *user_file;  /* NULL = none */
	unsigned user_names;    /* its last names that are csbx's choice, path_open_believed() */
	const char *const *env; /* NAME=value strings, NULL = none */
};

/* Reads all files and the environment. A missing file costs one failed open. */
int config_load(struct config *c, struct err *e);
int config_load_from(struct config *c, const struct config_files *files, struct err *e);
void config_free(struct config *c);

/*
 * Adds one value; takes ownership of place, also on error (-ENOMEM, also for a NULL place).
 * For the readers of files and environment.
 */
int config_add(struct config *c, const struct config_key *key, const char *value, size_t len,
	       char *place, bool from_env);

/*
 * Reads a file that steers csbx: 1, 0 where there is none, an error where it is no regular file
 * or anyone could have written it. `shown` is its name for messages.
 */
int config_read_file(int dirfd, const char *name, const char *shown, struct strbuf *ret,
		     struct err *e);
/* The same of a file that is open. */
int config_read_open(int fd, const char *shown, struct strbuf *ret, struct err *e);

/* Adds the lines of one file's text: a pure function of (buf, len). */
int config_parse(struct config *c, const char *file, const char *buf, size_t len, struct err *e);

/* Value of a known key: environment, else the last file; NULL where both are silent or empty. */
const char *config_get(const struct config *c, const char *key);
/*
 * Value number i of a key (a key that is no list has at most one) and where it is from. 1, or 0
 * when there are no more.
 */
int config_get_nth(const struct config *c, const char *key, size_t i, const char **ret_value,
		   const char **ret_place);

/* The words of CONFIG_FLAG; 0/1 or -EINVAL. */
int config_parse_flag(const char *word);

#endif
