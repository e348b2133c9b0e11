/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/spec/name.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "runtime/base/err.h"
#include "runtime/base/str.h"

static const char alnum[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
static const char tail[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-";

bool name_is_valid(const char *name)
{
	size_t n = strspn(name, tail);

	return strspn(name, alnum) > 0 && !name[n] && n <= NAME_BYTES_MAX;
}

int name_check(const char *name, struct err *e)
{
	_strbuf_ struct strbuf shown = STRBUF_INIT;

	if (name_is_valid(name))
		return 0;
	strbuf_add_escaped(&shown, name, strnlen(name, 2 * NAME_BYTES_MAX));
	return err_set(e, EINVAL,
		       "'%s' is no container name: a letter or digit, then up to %d of a-z A-Z 0-9 "
		       "_ . + -",
		       strbuf_str(&shown), NAME_BYTES_MAX - 1);
}

static bool is_hex(const char *s, size_t digits)
{
	return strspn(s, "0123456789abcdef") == digits && !s[digits];
}

bool name_is_id(const char *s)
{
	return is_hex(s, NAME_ID_DIGITS);
}

bool name_is_container_id(const char *s)
{
	return is_hex(s, NAME_CONTAINER_ID_DIGITS);
}

int name_new_container_id(const char *instance_id, char ret_id[NAME_CONTAINER_ID_DIGITS + 1],
			  struct err *e)
{
	unsigned char random[(NAME_CONTAINER_ID_DIGITS - NAME_ID_DIGITS) / 2];

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return err_sys(e, "random id");
	snprintf(ret_id, NAME_ID_DIGITS + 1, "%s", instance_id);
	for (size_t i = 0; i < sizeof(random); i++)
		snprintf(ret_id + NAME_ID_DIGITS + 2 * i, 3, "%02x", random[i]);
	return 0;
}

int name_new_id(char ret_id[NAME_ID_DIGITS + 1], struct err *e)
{
	uint64_t random;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return err_sys(e, "random id");
	snprintf(ret_id, NAME_ID_DIGITS + 1, "%012llx",
		 (unsigned long long)(random >> (64 - 4 * NAME_ID_DIGITS)));
	return 0;
}

enum operand_kind operand_kind(const char *operand)
{
	return strchr(operand, '/') || str_has_suffix(operand, ".sqsh") ? OPERAND_PATH
									: OPERAND_NAME;
}

int name_from_image(const char *path, char **ret, struct err *e)
{
	size_t len = strlen(path), start;
	char *name;

	while (len && path[len - 1] == '/')
		len--;
	start = len;
	while (start && path[start - 1] != '/')
		start--;
	if (len - start > 5 && !memcmp(path + len - 5, ".sqsh", 5))
		len -= 5;
	name = strndup(path + start, len - start);
	if (!name)
		return err_oom(e);
	if (!name_is_valid(name)) {
		err_set(e, EINVAL,
			"the image's file name is no container name: choose one with --name");
		free(name);
		return -EINVAL;
	}
	*ret = name;
	return 0;
}
