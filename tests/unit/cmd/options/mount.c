/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/options/mount_spec.h"

#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "runtime/spec/spec.h"
#include "tests/unit/tap.h"

typedef int parser(const char *text, struct mount_spec *ret, struct err *e);

static void clear(struct mount_spec *m)
{
	free(m->source);
	free(m->target);
	free(m->asked);
	*m = (struct mount_spec){0};
}

/* "bind /src /dst ro,one" or "error: text": what a spec parses to. */
static const char *told(parser *parse, const char *text)
{
	static char out[1024];
	struct mount_spec m = {0};
	struct err e = ERR_INIT;
	int n;

	if (parse(text, &m, &e) < 0) {
		ok(!m.source && !m.target && !m.asked, "%s: nothing left behind", text);
		snprintf(out, sizeof(out), "error: %s", e.msg);
		return out;
	}
	is_str(m.asked, text, "%s: remembered as written", text);
	n = snprintf(out, sizeof(out), "%s %s %s",
		     m.kind == MOUNT_BIND    ? "bind"
		     : m.kind == MOUNT_TMPFS ? "tmpfs"
					     : "device",
		     m.source ? m.source : "-", m.target);
	n += snprintf(out + n, sizeof(out) - (size_t)n, "%s%s%s%s", m.readonly ? " ro" : "",
		      m.non_recursive ? " one" : "", m.exec_off ? " noexec" : "",
		      m.optional ? " nofail" : "");
	if (m.tmpfs_bytes || m.tmpfs_mode)
		snprintf(out + n, sizeof(out) - (size_t)n, " size=%llu mode=%o",
			 (unsigned long long)m.tmpfs_bytes, m.tmpfs_mode);
	clear(&m);
	return out;
}

static void test_short_forms(void)
{
	is_str(told(mount_parse, "/src"), "bind /src /src", "the same place");
	is_str(told(mount_parse, "/src:/dst"), "bind /src /dst", "another place");
	is_str(told(mount_parse, "dir:/dst"), "bind dir /dst", "a relative source");
	is_str(told(mount_parse, "/src:/dst:ro"), "bind /src /dst ro", "docker's read-only");
	is_str(told(mount_parse, "/src:/dst:ro,noexec"), "bind /src /dst ro noexec", "two words");
	is_str(told(mount_parse, "/src:ro"), "bind /src /src ro", "enroot's source and options");
	is_str(told(mount_parse, "/src:/dst:none"), "bind /src /dst", "a type");
	is_str(told(mount_parse, "/src:/dst:bind"), "bind /src /dst one", "an option");
	is_str(told(mount_parse, "/src:/dst:rbind,ro"), "bind /src /dst ro", "recursive");
	is_str(told(mount_parse, "/src:/dst:bind,ro"), "bind /src /dst ro one", "not recursive");
	is_str(told(mount_parse, "/src:/dst:ro,rw"), "bind /src /dst", "the last word counts");
	is_str(told(mount_parse, "/src:/dst:nofail,x-create=dir"), "bind /src /dst nofail",
	       "enroot's words");
	is_str(told(mount_parse, "/src//a/:/dst//b/"), "bind /src//a/ /dst/b",
	       "slashes of the target");
	is_str(told(mount_parse, "/a\\040b:/c\\072d"), "bind /a b /c:d", "escapes");
	is_str(told(mount_parse, "/a\\134040"), "bind /a\\040 /a\\040", "an escaped backslash");
	is_str(told(mount_parse, "tmpfs:/t"), "tmpfs - /t", "tmpfs");
	is_str(told(mount_parse, "tmpfs:/t:size=64m,mode=700"), "tmpfs - /t size=67108864 mode=700",
	       "sized tmpfs");
	is_str(told(mount_parse, "tmpfs:/t:tmpfs:size=1k,ro"), "tmpfs - /t ro size=1024 mode=0",
	       "tmpfs as an fstab line");
	is_str(told(mount_parse, "none:/t:tmpfs"), "tmpfs - /t", "none as its source");
}

static void test_fstab_form(void)
{
	is_str(told(mount_parse, "/src:/dst:none:bind,ro"), "bind /src /dst ro one", "bind");
	is_str(told(mount_parse, "/src:/dst:none:rbind,ro,x-create=auto:0:-1"), "bind /src /dst ro",
	       "with its numbers");
	is_str(told(mount_parse, "/s:/d:none:rbind:0:0:0"), "error: too many parts between ':'",
	       "seven");
	is_str(told(mount_parse, "/s:/d:none:rbind:x"), "error: 'x' is no number of a mount table",
	       "dump");
	is_str(told(mount_parse, "/s:/d:ext4:ro"),
	       "error: 'ext4' is neither an option nor a type that can be mounted (none, bind, "
	       "tmpfs)",
	       "a type that needs privilege");
}

static void test_bad(parser *parse, const char *const *bad, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ok(str_has_prefix(told(parse, bad[i]), "error: "), "refused: '%.60s'", bad[i]);
}

static void test_bad_colons(void)
{
	static const char *const bad[] = {
		"",
		":",
		"::",
		"a:",
		":/b",
		"/a::ro",
		"dir",
		"/a:b",
		"/a:/b:",
		"/a:/b:c:d",
		"C:\\",
		"C:\\x:/y",
		"/a:/b/../c",
		"/a:/b/.",
		"/a:/b:ro,",
		"/a:/b:,ro",
		"/a:/b:frob",
		"/a:/b:suid",
		"/a:/b:dev",
		"/a:/b:shared",
		"/a:/b:rslave",
		"/a:/b:z",
		"/a:/b:noatime",
		"/a:/b:size=1m",
		"/a:/b:mode=700",
		"tmpfs",
		"tmpfs:",
		"tmpfs:t",
		"tmpfs:/t:size=0",
		"tmpfs:/t:size=-1",
		"tmpfs:/t:size=1e3",
		"tmpfs:/t:mode=8",
		"tmpfs:/t:rbind",
		"tmpfs:/t:size=",
		"none:/x",
		"none:/x:proc",
		"/a:/b:none:",
		"/a:/b:none:bind:",
		"/a:/b:remount,ro",
		"/a:/b:x-detach",
		"/a:/b:r o",
	};

	test_bad(mount_parse, bad, sizeof(bad) / sizeof(bad[0]));
}

static void test_keys(void)
{
	is_str(told(mount_parse, "type=bind,src=/s,dst=/d,readonly"), "bind /s /d ro",
	       "docker's form");
	is_str(told(mount_parse, "type=bind,source=/s,target=/d"), "bind /s /d", "long keys");
	is_str(told(mount_parse, "src=/s,destination=/d/,ro=true"), "bind /s /d ro", "no type");
	is_str(told(mount_parse, "type=bind,src=/s,dst=/d,readonly=false"), "bind /s /d",
	       "not read-only");
	is_str(told(mount_parse, "dst=/d,tmpfs-size=1m,type=tmpfs,tmpfs-mode=1770"),
	       "tmpfs - /d size=1048576 mode=1770", "tmpfs, the type not first");
	is_str(told(mount_parse, "type=bind,\"src=/a,b\",dst=/d"), "bind /a,b /d",
	       "a quoted comma");
	is_str(told(mount_parse, "\"src=/a\"\"b\",dst=/d"), "bind /a\"b /d", "a quoted quote");
	is_str(told(mount_parse, "src=a=b,dst=/c=d"), "bind a=b /c=d", "'=' in paths");
	is_str(told(mount_parse, "src=/s,dst=/d,bind-propagation=rprivate,bind-recursive=disabled"),
	       "bind /s /d one", "propagation and recursion");
	is_str(told(mount_parse, "src=/a:b,dst=/c:d"), "bind /a:b /c:d",
	       "colons are nothing special");
	is_str(told(mount_parse, "type=volume,src=v,dst=/d"),
	       "error: type=volume: must be bind, tmpfs or copy", "volumes");
}

static void test_bad_keys(void)
{
	static const char *const bad[] = {
		"type=bind",
		"type=bind,src=/s",
		"type=bind,dst=/d",
		"type=,dst=/d",
		"type=bind,src=/s,dst=d",
		"type=bind,src=/s,dst=/d/..",
		"type=bind,src=/s,dst=/d,",
		"type=bind,,src=/s,dst=/d",
		"type=bind,src=/s,dst=/d,frob=1",
		"type=bind,src=/s,dst=/d,readonly=perhaps",
		"type=bind,src=/s,src=/t,dst=/d",
		"type=bind,src=/s,dst=/d,target=/e",
		"type=tmpfs,src=/s,dst=/d",
		"type=tmpfs,dst=/d,tmpfs-size=0",
		"type=bind,src=/s,dst=/d,tmpfs-size=1m",
		"type=bind,\"src=/s,dst=/d",
		"type=bind,src=,dst=/d",
		"type=bind,src=/s,dst=/d,bind-propagation=shared",
		"type=bind,src=/s,dst=/d,bind-recursive=x",
		"type=bind,src=/s,dst=/d,consistency=no",
	};

	test_bad(mount_parse, bad, sizeof(bad) / sizeof(bad[0]));
}

static void test_named_volume(void)
{
	struct container_spec s;
	struct mount_spec m = {0};

	is_int(volume_parse("data:/b:ro", &m, NULL), 0, "a named volume");
	ok(m.volume && str_eq(m.volume, "data") && !m.source && m.copy_up && m.readonly &&
		   str_eq(m.target, "/b"),
	   "it has a name, no source yet, and is filled");
	spec_init(&s);
	*spec_add_mount(&s) = m;
	spec_free(&s);
}

static void test_volume(void)
{
	static const char *const bad[] = {
		"", "/a", "/a:b", "/a:/b:ro:x", "/a:/b:U", "/a:/b:", "na%me:/b:ro", ":/b",
	};

	is_str(told(volume_parse, "/a:/b"), "bind /a /b", "volume");
	is_str(told(volume_parse, "./a:/b:ro"), "bind ./a /b ro", "relative, read-only");
	is_str(told(volume_parse, ".:/b:cached"), "bind . /b",
	       "here, with a word that means nothing");
	test_named_volume();
	is_str(told(volume_parse, "-x:/b"),
	       "error: '-x' is neither a path nor the name of a volume", "no name");
	test_bad(volume_parse, bad, sizeof(bad) / sizeof(bad[0]));
}

static void test_others(void)
{
	static const char *const bad_tmpfs[] = {"",    "t",       "/t:size=x", "/t:ro:rw",
						"/t:", "/t:bind", "/t/.."};
	static const char *const bad_device[] = {"",
						 "null",
						 "/dev/null:null",
						 "/dev/null:/dev/x:r",
						 "/dev/null:r",
						 "/dev/null:/x:rw:y"};

	is_str(told(tmpfs_parse, "/t"), "tmpfs - /t", "tmpfs");
	is_str(told(tmpfs_parse, "/t:rw,size=1g,mode=1777,noexec,nosuid"),
	       "tmpfs - /t noexec size=1073741824 mode=1777", "tmpfs with docker's words");
	is_str(told(device_parse, "/dev/kvm"), "device /dev/kvm /dev/kvm", "device");
	is_str(told(device_parse, "/dev/kvm:/dev/x:rwm"), "device /dev/kvm /dev/x",
	       "device elsewhere");
	is_str(told(device_parse, "/dev/kvm:rwm"), "device /dev/kvm /dev/kvm",
	       "device with rights");
	test_bad(tmpfs_parse, bad_tmpfs, sizeof(bad_tmpfs) / sizeof(bad_tmpfs[0]));
	test_bad(device_parse, bad_device, sizeof(bad_device) / sizeof(bad_device[0]));
}

static void test_long(void)
{
	static char text[20000];

	memset(text, 'a', sizeof(text) - 1);
	text[0] = '/';
	ok(str_has_prefix(told(mount_parse, text), "error: longer"), "20,000 bytes are refused");
}

static void test_absolute(void)
{
	static const char *const cases[][3] = {
		{"a", "/cwd", "/cwd/a"}, {"./a/b", "/cwd", "/cwd/a/b"}, {".", "/cwd", "/cwd"},
		{"./", "/cwd", "/cwd"},  {"../a", "/cwd", "/cwd/../a"}, {"/a", "/cwd", "/a"},
		{"a", "/", "/a"},        {"././a", "/c", "/c/a"},       {".a", "/c", "/c/.a"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mount_spec m = {.source = strdup(cases[i][0])};

		is_int(mount_make_absolute(&m, cases[i][1], NULL), 0, "made absolute");
		is_str(m.source, cases[i][2], "%s in %s", cases[i][0], cases[i][1]);
		clear(&m);
	}
}

int main(void)
{
	test_short_forms();
	test_fstab_form();
	test_bad_colons();
	test_keys();
	test_bad_keys();
	test_volume();
	test_others();
	test_long();
	test_absolute();
	return done_testing();
}
