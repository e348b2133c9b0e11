/* SPDX-License-Identifier: Apache-2.0 */
#include "image/credentials/credentials.h"

#include <stdlib.h>

#include "image/table/ref.h"
#include "runtime/base/fd.h"

void credentials_free(struct credentials *c)
{
	/* A core file or a reused page should not tell. */
	if (c->password)
		explicit_bzero(c->password, strlen(c->password));
	if (c->identity_token)
		explicit_bzero(c->identity_token, strlen(c->identity_token));
	free(c->user);
	free(c->password);
	free(c->identity_token);
	free(c->from);
	*c = (struct credentials){0};
}

const char *credentials_canonical(const char *registry)
{
	if (str_eq(registry, REF_HUB) || str_eq(registry, "index.docker.io"))
		return "docker.io";
	return registry;
}
