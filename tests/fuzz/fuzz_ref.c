/* SPDX-License-Identifier: Apache-2.0 */
/*
 * References and source URIs. A reference that is accepted can be written from its parts and read
 * again; the names made of either are one path component.
 */
#include "image/table/ref.h"

#include <stdlib.h>
#include <string.h>

#include "image/model/digest.h"
#include "image/oci/source_uri.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "tests/fuzz/fuzz.h"

static void check_ref(const char *text)
{
	_image_ref_ struct image_ref r = {0}, again = {0};
	_free_ char *name = NULL, *written = NULL;
	char digest[DIGEST_TEXT_MAX];
	bool pinned;

	if (image_ref_parse(text, &r, NULL) < 0)
		return;
	name = image_ref_output_name(&r);
	FUZZ_ASSERT(name && *name && !strchr(name, '/') && *name != '.' && *name != '-');
	FUZZ_ASSERT(strcspn(r.registry, "/@# ") == strlen(r.registry) &&
		    !strstr(r.repository, ".."));
	pinned = digest_is_set(&r.digest);
	written = str_printf("%s%s%s#%s:%s%s%s", r.user ? r.user : "", r.user ? "@" : "",
			     r.registry, r.repository, r.tag, pinned ? "@" : "",
			     pinned ? digest_format(&r.digest, digest) : "");
	FUZZ_ASSERT(written && !image_ref_parse(written, &again, NULL));
	FUZZ_ASSERT(str_eq(again.registry, r.registry) && str_eq(again.repository, r.repository));
	FUZZ_ASSERT(str_eq(again.tag, r.tag) && !again.user == !r.user &&
		    image_ref_same(text, written));
	FUZZ_ASSERT(pinned ? digest_equal(&r.digest, &again.digest)
			   : !digest_is_set(&again.digest));
	FUZZ_ASSERT(!r.user || str_eq(r.user, again.user));
}

/* A path exists here when its length is even: enough to take every branch. */
static bool exists(const char *path)
{
	return !(strlen(path) & 1);
}

static void check_uri(const char *text)
{
	_source_uri_ struct source_uri u = {0};
	_free_ char *name = NULL;

	if (source_uri_parse(text, exists, &u, NULL) < 0)
		return;
	FUZZ_ASSERT(u.path && *u.path && strstr(text, u.path));
	FUZZ_ASSERT((u.select == SELECT_REF) == (u.ref != NULL));
	name = source_uri_name(&u, "base");
	FUZZ_ASSERT(name && *name && !strchr(name, '/') && !str_is_dots(name));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_free_ char *text = strndup((const char *)data, size);

	check_ref(text);
	check_uri(text);
	return 0;
}
