/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/spank/home.h"

#include <pwd.h>

#include "runtime/base/err.h"
#include "runtime/base/str.h"

int spank_home(uid_t uid, char **ret_assignment, gid_t *ret_gid, struct err *e)
{
	struct passwd entry, *p = NULL;
	char buf[16384];

	if (getpwuid_r(uid, &entry, buf, sizeof(buf), &p) != 0 || !p)
		return err_set(e, ENOENT, "uid %u is unknown on this node", uid);
	*ret_gid = p->pw_gid;
	*ret_assignment = str_printf("HOME=%s", p->pw_dir);
	return *ret_assignment ? 0 : err_set(e, ENOMEM, "could not allocate memory");
}
