/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/spank/plugstack.h"

#include "runtime/base/err.h"
#include "runtime/base/path.h"

static int set_flag(bool *at, const char *value, struct err *e)
{
	if (!str_eq(value, "0") && !str_eq(value, "1"))
		return err_set(e, EINVAL, "must be 0 or 1, is \"%.200s\"", value);
	*at = *value == '1';
	return 0;
}

static int set_path(const char **at, const char *value, struct err *e)
{
	if (!path_is_clean_absolute(value) || strlen(value) > 2048)
		return err_set(e, EINVAL,
			       "must be an absolute path without . and .., is \"%.200s\"", value);
	*at = value;
	return 0;
}

static int set_scope(struct spank_plugstack *p, const char *value, struct err *e)
{
	if (!str_eq(value, "global") && !str_eq(value, "job"))
		return err_set(e, EINVAL, "must be \"global\" or \"job\", is \"%.200s\"", value);
	p->job_scope = str_eq(value, "job");
	return 0;
}

/* pyxis's choice of how an image is unpacked: nothing is ever unpacked here. */
static int take_unused(struct spank_plugstack *p, const char *key, const char *value, struct err *e)
{
	bool on;

	if (set_flag(&on, value, e) < 0)
		return -EINVAL;
	strv_add(&p->ignored, key);
	return strv_check(&p->ignored, e);
}

static int take_word(struct spank_plugstack *p, const char *key, const char *value, struct err *e)
{
	if (str_eq(key, "runtime_path"))
		return set_path(&p->runtime_path, value, e);
	if (str_eq(key, "importer"))
		return set_path(&p->importer, value, e);
	if (str_eq(key, "csbx_path"))
		return set_path(&p->csbx_path, value, e);
	if (str_eq(key, "execute_entrypoint"))
		return set_flag(&p->execute_entrypoint, value, e);
	if (str_eq(key, "sbatch_support"))
		return set_flag(&p->sbatch_support, value, e);
	if (str_eq(key, "container_scope"))
		return set_scope(p, value, e);
	if (str_eq(key, "use_enroot_load") || str_eq(key, "use_squashfuse"))
		return take_unused(p, key, value, e);
	return err_set(e, EINVAL, "unknown configuration option");
}

int spank_plugstack_parse(struct spank_plugstack *ret, int argc, char *const *argv, struct err *e)
{
	*ret = (struct spank_plugstack){.runtime_path = SPANK_RUNTIME_DIR, .sbatch_support = true};
	for (int i = 0; i < argc; i++) {
		const char *equals = argv[i] ? strchr(argv[i], '=') : NULL;
		char key[32] = "";
		int r;

		if (equals && (size_t)(equals - argv[i]) < sizeof(key))
			memcpy(key, argv[i], (size_t)(equals - argv[i]));
		r = take_word(ret, key, equals ? equals + 1 : "", e);
		if (r < 0)
			return err_wrap(e, "plugstack.conf: %.200s", argv[i] ? argv[i] : "(null)");
	}
	return 0;
}

void spank_plugstack_free(struct spank_plugstack *p)
{
	strv_free(&p->ignored);
}
