/* SPDX-License-Identifier: Apache-2.0 */
#include "image/source/engine_priv.h"

#include <stdlib.h>

#include "runtime/base/json/json.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"

int engine_parse_id(const char *text, size_t len, char **ret, struct err *e)
{
	_json_ struct json *doc = NULL;
	const char *id = NULL;
	int r = json_parse(text, len, JSON_MANIFEST_MAX, &doc, e);

	if (r >= 0 && !json_is_object(doc))
		r = err_set(e, EBADMSG, "not an object");
	if (r >= 0)
		r = json_get_str(doc, "Id", &id, e);
	if (r < 0)
		return r;
	if (!id || !engine_is_id(id))
		return err_set(e, EBADMSG, "Id: not an image's");
	*ret = strdup(id);
	return *ret ? 0 : err_oom(e);
}

char *engine_parse_message(const char *text, size_t len)
{
	_json_ struct json *doc = NULL;
	const char *message = NULL;

	if (json_parse(text, len, JSON_MANIFEST_MAX, &doc, NULL) < 0 || !json_is_object(doc) ||
	    json_get_str(doc, "message", &message, NULL) < 0 || !message || !*message)
		return NULL;
	return strdup(message);
}
