/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tests of streams once more with the other gzip engine: HAVE_LIBISAL is defined for the
 * library's object alone, so what is compiled here is zlib's half, and the linker takes it.
 */
#include "image/bytes/decoder_gzip.c"
#include "tests/unit/image/bytes/stream.c"
