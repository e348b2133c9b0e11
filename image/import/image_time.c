/* SPDX-License-Identifier: Apache-2.0 */
#include "image/import/image_time.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

uint64_t image_time_parse(const char *text)
{
	struct tm tm = {0};
	const char *p = text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &tm) : NULL;
	int hours, minutes;
	time_t t;
	char sign;

	if (!p)
		return 0;
	if (*p == '.')
		p += 1 + strspn(p + 1, "0123456789");
	t = timegm(&tm);
	if (sscanf(p, "%c%2d:%2d", &sign, &hours, &minutes) == 3 && (sign == '+' || sign == '-'))
		t -= (sign == '+' ? 60 : -60) * (hours * 60 + minutes);
	return t > 0 ? (uint64_t)t : 0;
}
