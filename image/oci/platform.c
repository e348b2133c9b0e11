/* SPDX-License-Identifier: Apache-2.0 */
#include "image/oci/platform.h"

#include <stdio.h>
#include <sys/utsname.h>

#include "image/oci/json.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"

/* uname(2)'s machine names beside Go's; a name of ours maps to itself. */
static const struct {
	const char *machine, *arch, *variant;
} machines[] = {
	{"x86_64", "amd64", ""},
	{"amd64", "amd64", ""},
	{"aarch64", "arm64", ""},
	{"arm64", "arm64", ""},
	{"armv8l", "arm", "v7"},
	{"armv7l", "arm", "v7"},
	{"armv6l", "arm", "v6"},
	{"armhf", "arm", "v7"},
	{"armel", "arm", "v5"},
	{"arm", "arm", "v7"},
	{"i386", "386", ""},
	{"i686", "386", ""},
	{"386", "386", ""},
	{"ppc64le", "ppc64le", ""},
	{"s390x", "s390x", ""},
	{"riscv64", "riscv64", ""},
	{"loongarch64", "loong64", ""},
	{"loong64", "loong64", ""},
	{"mips64le", "mips64le", ""},
};

static int copy_word(char *dst, size_t size, const char *s, size_t len, struct err *e)
{
	if (!len || len >= size)
		return err_set(e, EINVAL, "malformed");
	memcpy(dst, s, len);
	dst[len] = 0;
	return 0;
}

int platform_from_arch(const char *arch, struct platform *ret, struct err *e)
{
	for (unsigned i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		if (!str_eq(arch, machines[i].machine))
			continue;
		*ret = (struct platform){.os = "linux"};
		snprintf(ret->arch, sizeof(ret->arch), "%s", machines[i].arch);
		snprintf(ret->variant, sizeof(ret->variant), "%s", machines[i].variant);
		return 0;
	}
	return err_set(e, EINVAL, "%s: unknown architecture", arch);
}

/* os/arch[/variant] */
static int parse(const char *text, struct platform *ret, struct err *e)
{
	struct platform p = {0};
	size_t os = strcspn(text, "/"), arch, variant;
	const char *s = text + os + (text[os] == '/');
	char word[sizeof(p.arch)];
	int r;

	arch = strcspn(s, "/");
	r = copy_word(p.os, sizeof(p.os), text, os, e);
	if (r >= 0)
		r = copy_word(word, sizeof(word), s, arch, e);
	if (r >= 0)
		r = platform_from_arch(word, &p, e);
	if (r < 0)
		return err_wrap(e, "platform %s", text);
	snprintf(p.os, sizeof(p.os), "%.*s", (int)os, text);
	s += arch;
	if (*s == '/') {
		variant = strlen(++s);
		if (strchr(s, '/') || copy_word(p.variant, sizeof(p.variant), s, variant, NULL) < 0)
			return err_set(e, EINVAL, "platform %s: malformed", text);
	}
	if (!str_eq(p.os, "linux"))
		return err_set(e, EOPNOTSUPP, "platform %s: only linux images can run here", text);
	*ret = p;
	return 0;
}

int platform_wanted(const char *arch, const char *platform, struct platform *ret, struct err *e)
{
	struct platform by_arch, by_platform;
	struct utsname u;
	int r;

	if (!arch && !platform) {
		if (uname(&u) < 0)
			return err_sys(e, "uname");
		return platform_from_arch(u.machine, ret, e);
	}
	if (arch) {
		r = platform_from_arch(arch, &by_arch, e);
		if (r < 0)
			return r;
	}
	if (platform) {
		r = parse(platform, &by_platform, e);
		if (r < 0)
			return r;
	}
	if (arch && platform && !str_eq(by_arch.arch, by_platform.arch))
		return err_set(e, EINVAL, "architecture %s and platform %s contradict each other",
			       arch, platform);
	*ret = platform ? by_platform : by_arch;
	return 0;
}

/* "v7" -> 7; the lowest level that an architecture's images can mean where it is not said. */
static int level(const char *arch, const char *variant)
{
	if (!variant || !*variant)
		return str_eq(arch, "arm64") ? 8 : str_eq(arch, "arm") ? 7 : 1;
	if (variant[0] != 'v' || variant[1] < '1' || variant[1] > '9')
		return -1;
	/* "v8.1" is above v8, and what is above the wanted level does not serve. */
	return variant[2] ? 100 : variant[1] - '0';
}

int platform_rank(const struct platform *want, const char *os, const char *arch,
		  const char *variant)
{
	int wanted, offered;

	if ((os && *os && !str_eq(os, want->os)) || (arch && *arch && !str_eq(arch, want->arch)))
		return -1;
	if (!os || !*os || !arch || !*arch)
		return 0;
	if (variant && str_eq(variant, want->variant))
		return 100;
	wanted = level(want->arch, want->variant);
	offered = level(want->arch, variant);
	return offered < 0 || offered > wanted ? -1 : 1 + offered;
}

void platform_format(struct strbuf *b, const char *os, const char *arch, const char *variant)
{
	os = os && *os ? os : "?";
	arch = arch && *arch ? arch : "?";
	strbuf_add_escaped(b, os, strlen(os));
	strbuf_addch(b, '/');
	strbuf_add_escaped(b, arch, strlen(arch));
	if (variant && *variant) {
		strbuf_addch(b, '/');
		strbuf_add_escaped(b, variant, strlen(variant));
	}
}

static bool is_image(const struct oci_descriptor *d)
{
	return !d->attestation && !(d->os && str_eq(d->os, "unknown")) &&
	       oci_kind_of(d->media_type) >= 0;
}

static int none_fits(const struct platform *want, const struct oci_descriptor *d, size_t n,
		     struct err *e)
{
	_strbuf_ struct strbuf wanted = STRBUF_INIT, offered = STRBUF_INIT;

	platform_format(&wanted, want->os, want->arch, want->variant);
	for (size_t i = 0; i < n; i++) {
		if (!is_image(&d[i]))
			continue;
		strbuf_addstr(&offered, offered.len ? ", " : "");
		platform_format(&offered, d[i].os, d[i].arch, d[i].variant);
	}
	if (!offered.len)
		return err_set(e, ENOENT, "the index lists no image");
	return err_from(ERR_NO_PLATFORM, e,
			err_set(e, ENOENT, "no image for %s; offered: %s", strbuf_str(&wanted),
				strbuf_str(&offered)));
}

int platform_choose(const struct platform *want, const struct oci_descriptor *d, size_t n,
		    size_t *ret, struct err *e)
{
	int best = -1;

	for (size_t i = 0; i < n; i++) {
		int rank = is_image(&d[i]) ? platform_rank(want, d[i].os, d[i].arch, d[i].variant)
					   : -1;

		if (rank > best) {
			best = rank;
			*ret = i;
		}
	}
	return best < 0 ? none_fits(want, d, n, e) : 0;
}
