/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_TEST_OWN_H
#define CSBX_CMD_TEST_OWN_H

#include "runtime/spec/spec.h"

struct err;

/*
 * Whether each file of a directory belongs to a user and a group that exist in the container: an
 * overlay cannot change one of another's, as it would have to make one (EOVERFLOW). A directory
 * that cannot be read has files that nothing inside can read either. -errno: the directory itself
 * cannot be looked at.
 */
int test_tree_is_own(const char *dir, enum userns_mode mode, struct err *e);

#endif
