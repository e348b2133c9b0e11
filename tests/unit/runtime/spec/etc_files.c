/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/spec/etc_files.h"

#include "runtime/base/err.h"
#include "tests/unit/tap.h"

static const char passwd[] = "root:x:0:0:root:/root:/bin/bash\nuser:x:5:5::/:\nuser1000:x:6:6::/:";
static const char group[] = "root:x:0:\nuser:x:5:\n";

static void has(const struct etc_file *f, const char *want, bool if_absent, const char *what)
{
	ok(f->wanted, "%s: wanted", what);
	is_str(strbuf_str(&f->content), want, "%s", what);
	is_int(f->only_if_absent, if_absent, "%s: only if absent", what);
}

static void test_passwd(void)
{
	struct etc_request q = {.image = {passwd, group, sizeof(passwd) - 1, sizeof(group) - 1},
				.uid = 1000,
				.gid = 1000,
				.home = "/home/me",
				.hostname = "box"};
	struct etc_file f[ETC_FILES];

	is_int(etc_files_make(&q, f, NULL), 0, "made");
	has(&f[ETC_PASSWD],
	    "root:x:0:0:root:/root:/bin/bash\nuser:x:5:5::/:\nuser1000:x:6:6::/:\n"
	    "user1000_:x:1000:1000::/home/me:/bin/sh\n",
	    false, "a name that is still free");
	has(&f[ETC_GROUP], "root:x:0:\nuser:x:5:\nuser1000:x:1000:\n", false, "group");
	etc_files_free(f);

	q.user_name = "ann";
	q.home = "/a\nroot2::0:0::/:";
	is_int(etc_files_make(&q, f, NULL), 0, "made");
	ok(str_has_suffix(strbuf_str(&f[ETC_PASSWD].content), "\nann:x:1000:1000::/:/bin/sh\n"),
	   "a newline in the home adds no line");
	etc_files_free(f);

	q.user_name = "a:0";
	is_int(etc_files_make(&q, f, NULL), 0, "made");
	ok(!strstr(strbuf_str(&f[ETC_PASSWD].content), "a:0"), "a colon in the name adds no field");
	etc_files_free(f);

	q.uid = 5;
	q.gid = 0;
	is_int(etc_files_make(&q, f, NULL), 0, "made");
	ok(!f[ETC_PASSWD].wanted && !f[ETC_GROUP].wanted, "an image that has both is left alone");
	etc_files_free(f);
}

static void test_no_files(void)
{
	struct etc_request q = {.uid = 0, .gid = 0, .hostname = "box"};
	struct etc_file f[ETC_FILES];

	is_int(etc_files_make(&q, f, NULL), 0, "made");
	has(&f[ETC_PASSWD], "root:x:0:0:root:/root:/bin/sh\n", true, "root alone");
	has(&f[ETC_GROUP], "root:x:0:\n", true, "group");
	has(&f[ETC_HOSTS],
	    "127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n127.0.0.1\tbox\n",
	    false, "hosts");
	has(&f[ETC_HOSTNAME], "box\n", false, "hostname");
	has(&f[ETC_RESOLV_CONF], "# this container has no name server\n", false, "resolv.conf");
	is_str(f[ETC_RESOLV_CONF].path, "/etc/resolv.conf", "path");
	etc_files_free(f);

	q = (struct etc_request){.uid = 7,
				 .gid = 8,
				 .host_network = true,
				 .host_resolv = "nameserver 10.0.0.1",
				 .host_resolv_len = 19,
				 .host_hosts = "10.0.0.2 a\n",
				 .host_hosts_len = 11};
	is_int(etc_files_make(&q, f, NULL), 0, "made");
	has(&f[ETC_PASSWD], "root:x:0:0:root:/root:/bin/sh\nuser:x:7:8::/:/bin/sh\n", true,
	    "a number");
	has(&f[ETC_HOSTS], "10.0.0.2 a\n", false, "the host's hosts");
	has(&f[ETC_RESOLV_CONF], "nameserver 10.0.0.1\n", false, "the host's name server");
	ok(!f[ETC_HOSTNAME].wanted, "no hostname");
	etc_files_free(f);
}

int main(void)
{
	test_passwd();
	test_no_files();
	return done_testing();
}
