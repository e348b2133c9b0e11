/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/image/image_event.h"

#include "cmd/docker/show/events.h"
#include "runtime/base/str.h"

void image_event(const struct paths *p, const char *action, const char *id, const char *name)
{
	_strv_ struct strv attributes = STRV_INIT;

	strv_take(&attributes, str_printf("name=%s", name));
	if (!attributes.failed)
		docker_event(p, "image", action, id, &attributes);
}
