/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/spec/user.h"

#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "tests/unit/tap.h"

static const char passwd[] = "root:x:0:0:root:/root:/bin/bash\n"
			     "# comment:x:5:5::/:\n"
			     "daemon:x:1:1::/usr/sbin:/usr/sbin/nologin\n"
			     "app:x:1000:1001:App,,,:/home/app:/bin/sh\n"
			     "toor:x:0:7::/toor:\n"
			     "huge:x:4294967296:0::/h:\n"
			     "wrap:x:4294967295:4294967295::/h:\n"
			     "nogid:x:77:x::/h:\n"
			     "4294967295:x:5:5::/h:\n"
			     "nl:x:88:88::relative:\n"
			     "short:x:99\n"
			     "last:x:90:91::/last:/bin/sh";
static const char group[] = "root:x:0:\n"
			    "daemon:x:1:\n"
			    "app:x:1001:app\n"
			    "video:x:44:other,app\n"
			    "audio:x:63:app,app\n"
			    "video2:x:44:app\n"
			    "apple:x:45:apple,applet,\n"
			    "bad:x:-1:app\n"
			    "neg:x:99999999999:app\n"
			    "shared:x:5000:root,app,daemon";

static const struct user_db db = {passwd, group, sizeof(passwd) - 1, sizeof(group) - 1};

/* "uid:gid:groups:name:home:shell" or the error. */
static const char *show(const struct user_db *d, const char *spec)
{
	static struct strbuf b;
	struct user u;
	struct err e = ERR_INIT;

	strbuf_reset(&b);
	if (user_resolve(d, spec, &u, &e) < 0) {
		strbuf_addf(&b, "error: %s", e.msg);
		return strbuf_str(&b);
	}
	strbuf_addf(&b, "%u:%u:", u.uid, u.gid);
	for (size_t i = 0; i < u.n_groups; i++)
		strbuf_addf(&b, "%s%u", i ? "," : "", u.groups[i]);
	strbuf_addf(&b, ":%s:%s:%s", u.name ? u.name : "-", u.home, u.shell ? u.shell : "-");
	user_free(&u);
	return strbuf_str(&b);
}

static void test_found(void)
{
	is_str(show(&db, NULL), "0:0:5000:root:/root:/bin/bash", "nothing asked is root");
	is_str(show(&db, ""), "0:0:5000:root:/root:/bin/bash", "empty is root");
	is_str(show(&db, "0"), "0:0:5000:root:/root:/bin/bash", "0");
	is_str(show(&db, "app"), "1000:1001:44,63,5000:app:/home/app:/bin/sh", "name");
	is_str(show(&db, "1000"), "1000:1001:44,63,5000:app:/home/app:/bin/sh", "its number");
	is_str(show(&db, "0001000"), "1000:1001:44,63,5000:app:/home/app:/bin/sh",
	       "decimal, not octal");
	is_str(show(&db, "app:"), "1000:1001:44,63,5000:app:/home/app:/bin/sh", "empty group");
	is_str(show(&db, "app:video"), "1000:44::app:/home/app:/bin/sh", "group by name");
	is_str(show(&db, "app:9"), "1000:9::app:/home/app:/bin/sh", "group by number");
	is_str(show(&db, "1234"), "1234:0::-:/:-", "a number nobody has");
	is_str(show(&db, "1234:5"), "1234:5::-:/:-", "with a group");
	is_str(show(&db, "2147483646"), "2147483646:0::-:/:-", "the largest id");
	is_str(show(&db, "toor"), "0:7::toor:/toor:-", "another name of 0");
	is_str(show(&db, "nl"), "88:88::nl:/:-", "a relative home");
	is_str(show(&db, "last"), "90:91::last:/last:/bin/sh", "last line without newline");
	is_str(show(&(struct user_db){0}, "33:44"), "33:44::-:/:-", "no files, numbers");
	is_str(show(&(struct user_db){0}, NULL), "0:0::-:/:-", "no files, nothing asked");
}

static void test_refused(void)
{
	static const char *const bad[] = {
		"4294967295",
		"4294967296",
		"2147483648",
		"2147483647",
		"-1",
		"0x0",
		"+0",
		" 0",
		"0 ",
		"\t0",
		"0x1",
		"1e3",
		"99999999999:0",
		"1:-1",
		"1:4294967296",
		"1:0x0",
		"1: 0",
		"00000000000000000000000x",
		"18446744073709551616",
		"1::1",
		"1:1:1",
	};
	struct user u;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(user_resolve(&db, bad[i], &u, NULL) < 0, "refused: '%s'", bad[i]);
	is_str(show(&db, "-1"), "error: user '-1': not a user id (decimal, at most 2147483646)",
	       "text");
	is_str(show(&db, "nobody"), "error: user 'nobody': no such user in the image's /etc/passwd",
	       "name");
	is_str(show(&db, "app:nobody"),
	       "error: user 'app:nobody': no such group in the image's /etc/group", "group");
	is_str(show(&db, ":"), "error: user ':': neither a user nor a group", "nobody");
	is_str(show(&db, "huge"),
	       "error: user 'huge': its line in the image's /etc/passwd has no valid ids", "2^32");
	is_str(show(&db, "wrap"),
	       "error: user 'wrap': its line in the image's /etc/passwd has no valid ids",
	       "2^32 - 1");
	is_str(show(&db, "nogid"),
	       "error: user 'nogid': its line in the image's /etc/passwd has no valid ids",
	       "no gid");
	is_str(show(&db, "77"),
	       "error: user '77': its line in the image's /etc/passwd has no valid ids",
	       "by number");
	is_str(show(&db, "short"),
	       "error: user 'short': its line in the image's /etc/passwd has no valid ids",
	       "cut line");
	is_str(show(&db, "app:neg"),
	       "error: user 'app:neg': the group's line in the image's /etc/group has no valid id",
	       "group");
	is_str(show(&db, "a\x1b[31m"),
	       "error: user 'a\\x1b[31m': no such user in the image's /etc/passwd",
	       "shown escaped");
}

static void test_hostile_files(void)
{
	static const char nul[] = "a\0pp:x:0:0::/:\nb:x:5:6::/ho\nme:\n\n::::::\n:x:0:0::/:\n";
	struct user_db d = {.passwd = nul, .passwd_len = sizeof(nul) - 1};
	struct strbuf big = STRBUF_INIT;

	is_str(show(&d, "app"), "error: user 'app': no such user in the image's /etc/passwd",
	       "a line with NUL is none");
	is_str(show(&d, "b"), "5:6::b:/ho:-", "a newline ends the home");
	strbuf_addstr(&big, "u:x:5:5::/:\n");
	for (int i = 0; i < 100000; i++)
		strbuf_addstr(&big, "a:::\n");
	strbuf_addstr(&big, "end:x:6:7::/e:\n");
	d = (struct user_db){strbuf_str(&big), strbuf_str(&big), big.len, big.len};
	is_str(show(&d, "end"), "6:7::end:/e:-", "100,000 lines");
	strbuf_reset(&big);
	for (int i = 0; i < 2000; i++)
		strbuf_addf(&big, "g%d:x:%d:u\n", i, i + 100);
	d = (struct user_db){"u:x:5:5::/:", strbuf_str(&big), 11, big.len};
	is_str(show(&d, "u"), "error: user 'u': in more than 1024 groups", "2,000 groups");
	strbuf_free(&big);
}

int main(void)
{
	test_found();
	test_refused();
	test_hostile_files();
	return done_testing();
}
