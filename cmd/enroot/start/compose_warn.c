/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/enroot/start/compose_priv.h"

#include <stdio.h>

#include "runtime/server/image_meta.h"

#define WARNINGS_MAX 16u /* an image can make any number of them */

bool compose_is_enroot_image(const struct image_meta *m)
{
	return m->rc && !m->has_config;
}

void compose_warn(struct compose *c, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!c->q->warnings || c->q->warnings->n > WARNINGS_MAX)
		return;
	strv_add(c->q->warnings,
		 c->q->warnings->n == WARNINGS_MAX ? "more of the kind are not told" : text);
}
