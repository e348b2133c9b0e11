/* SPDX-License-Identifier: Apache-2.0 */
#include <cjson/cJSON.h>
#include <stdlib.h>

#include "image/save/image_save.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"

/* One step has the layer, the newest that had one; the others are told as empty. */
static void mark_history(cJSON *doc)
{
	cJSON *history = cJSON_GetObjectItemCaseSensitive(doc, "history"), *step, *last = NULL;

	cJSON_ArrayForEach(step, history)
	{
		if (!cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(step, "empty_layer")))
			last = step;
	}
	cJSON_ArrayForEach(step, history)
	{
		if (!cJSON_IsObject(step))
			continue;
		cJSON_DeleteItemFromObjectCaseSensitive(step, "empty_layer");
		if (step != last)
			cJSON_AddTrueToObject(step, "empty_layer");
	}
}

static bool set_layer(cJSON *doc, const char *diff_id)
{
	cJSON *rootfs = cJSON_CreateObject(), *ids;

	cJSON_DeleteItemFromObjectCaseSensitive(doc, "rootfs");
	cJSON_AddItemToObject(doc, "rootfs", rootfs);
	ids = cJSON_AddArrayToObject(rootfs, "diff_ids");
	return cJSON_AddStringToObject(rootfs, "type", "layers") &&
	       cJSON_AddItemToArray(ids, cJSON_CreateString(diff_id));
}

int squashed_config(const void *config, size_t len, const char *diff_id, struct strbuf *out,
		    struct err *e)
{
	cJSON *doc = cJSON_ParseWithLength(config, len);
	char *text = NULL;

	if (!cJSON_IsObject(doc)) {
		cJSON_Delete(doc);
		return err_set(e, EBADMSG, "the image's configuration is no JSON object");
	}
	mark_history(doc);
	if (set_layer(doc, diff_id))
		text = cJSON_PrintUnformatted(doc);
	cJSON_Delete(doc);
	if (!text)
		return err_set(e, ENOMEM, "out of memory");
	strbuf_addstr(out, text);
	cJSON_free(text);
	return strbuf_check(out, e);
}
