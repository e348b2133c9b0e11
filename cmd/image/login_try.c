/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/image/login_try.h"

#include "cmd/frame/cmd.h"
#include "cmd/image/registry_opts.h"
#include "image/credentials/credentials.h"
#include "image/registry/registry.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"

int login_try(struct cmd *c, struct registry_opts *registry_opts, const char *name,
	      const struct credentials *who, struct err *e)
{
	_registry_ struct registry *registry = NULL;
	struct registry_options o;
	_strv_ struct strv given = STRV_INIT;
	int r = registry_opts_get(c, registry_opts, &o, e);

	strv_take(&given, str_printf("%s=%s:%s", name, who->user, who->password));
	if (r >= 0)
		r = strv_check(&given, e);
	o.auth = &given;
	if (r >= 0)
		r = registry_open_host(&registry, name, &o, e);
	if (r >= 0)
		r = registry_ping(registry, e);
	if (given.n)
		explicit_bzero(given.items[0], strlen(given.items[0]));
	return r;
}
