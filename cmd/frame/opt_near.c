/* SPDX-License-Identifier: Apache-2.0 */

/* "Did you mean": the nearest name by edit distance, adjacent swaps counted as one edit. */

#include <string.h>

#include "cmd/frame/opt.h"
#include "runtime/base/str.h"

#define WORD_MAX 40

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

static size_t distance(const char *a, const char *b)
{
	size_t n = strlen(a), k = strlen(b);
	size_t d[WORD_MAX + 1][WORD_MAX + 1];

	if (n > WORD_MAX || k > WORD_MAX)
		return WORD_MAX;
	for (size_t i = 0; i <= n; i++)
		d[i][0] = i;
	for (size_t j = 0; j <= k; j++)
		d[0][j] = j;
	for (size_t i = 1; i <= n; i++) {
		for (size_t j = 1; j <= k; j++) {
			size_t cost = a[i - 1] != b[j - 1];

			d[i][j] = min3(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + cost);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    d[i - 2][j - 2] + 1 < d[i][j])
				d[i][j] = d[i - 2][j - 2] + 1;
		}
	}
	return d[n][k];
}

const char *opt_nearest(const char *word, const char *const *names)
{
	size_t len = strlen(word), limit = len < 4 ? 1 : len < 9 ? 2 : 3, best = limit + 1;
	const char *near = NULL;

	if (!len)
		return NULL;
	for (; *names; names++) {
		/* A beginning typed in full ("--mem") is nearer than any misspelling. */
		size_t d = len > 2 && str_has_prefix(*names, word) ? 0 : distance(word, *names);

		/* Words are seldom misspelt in their first letter: "up" is not "cp". */
		d += d && *word != **names;
		if (d < best) {
			best = d;
			near = *names;
		}
	}
	return near;
}
