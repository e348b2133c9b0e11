/* SPDX-License-Identifier: Apache-2.0 */
#include "image/source/engine_priv.h"

#include "runtime/base/str.h"

const char *engine_name(enum engine_kind kind)
{
	return kind == ENGINE_DOCKER ? "docker" : "podman";
}

bool engine_is_id(const char *text)
{
	if (str_has_prefix(text, "sha256:"))
		text += strlen("sha256:");
	return strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64;
}
