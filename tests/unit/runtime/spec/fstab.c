/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/spec/fstab.h"

#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "tests/unit/tap.h"

#define ROOT "/run/hooks/root"

/* "bind /src /dst ro": what a line parses to. */
static const char *told(const char *line)
{
	static const char *const kinds[] = {
		[MOUNT_BIND] = "bind", [MOUNT_TMPFS] = "tmpfs", [MOUNT_SELF] = "self"};
	static const char *const what[] = {
		[FSTAB_MOUNT] = "", [FSTAB_REMOUNT] = "remount ", [FSTAB_UMOUNT] = "umount "};
	static char out[1024];
	struct fstab_entry x;
	struct err e = ERR_INIT;
	int n, r = fstab_parse_line(line, strlen(line), ROOT, &x, &e);
	const struct mount_spec *m = &x.mount;

	if (r <= 0) {
		snprintf(out, sizeof(out), r ? "error: %s" : "nothing%s", r ? e.msg : "");
		return out;
	}
	n = snprintf(out, sizeof(out), "%s%s%s %s %s", what[x.kind], x.is_kernel ? "kernel " : "",
		     kinds[m->kind], m->source ? m->source : "-", m->target);
	n += snprintf(out + n, sizeof(out) - (size_t)n, "%s%s%s%s%s%s", m->readonly ? " ro" : "",
		      m->non_recursive ? " one" : "", m->exec_off ? " noexec" : "",
		      m->optional ? " nofail" : "", x.silent ? " silent" : "",
		      m->kind == MOUNT_BIND && !m->devices ? " nodev" : "");
	if (m->tmpfs_bytes || m->tmpfs_mode)
		n += snprintf(out + n, sizeof(out) - (size_t)n, " size=%llu mode=%o",
			      (unsigned long long)m->tmpfs_bytes, m->tmpfs_mode);
	if (x.pass)
		snprintf(out + n, sizeof(out) - (size_t)n, " pass %d", x.pass);
	fstab_entry_free(&x);
	return out;
}

static void test_guesses(void)
{
	is_str(told("/src"), "bind /src /src", "one field");
	is_str(told("/src\t/dst"), "bind /src /dst", "two");
	is_str(told("/src ro,nodev"), "bind /src /src ro nodev", "source and options");
	is_str(told(". mnt"), "bind . /mnt", "a relative target is one of the root");
	is_str(told("./a ./b//c/"), "bind ./a /b/c", "in its normal form");
	is_str(told("/src ro/x"), "bind /src /ro/x", "what only looks like an option");
	is_str(told("/src /dst ro"), "bind /src /dst ro", "docker's third field");
	is_str(told("/src /dst x-create=dir,bind,nosuid"), "bind /src /dst one", "options third");
	is_str(told("/src /dst none"), "bind /src /dst", "a type third");
	is_str(told("tmpfs /dst"), "tmpfs - /dst", "tmpfs");
	is_str(told("none /dst tmpfs"), "tmpfs - /dst", "tmpfs by its type");
	is_str(told("tmpfs /dst size=1m,mode=700"), "tmpfs - /dst size=1048576 mode=700",
	       "tmpfs with options");
	is_str(told("tmpfs"), "error: the target is missing", "tmpfs without a target");
	is_str(told("src ro"), "error: a relative source needs a target", "of one word");
}

static void test_lines(void)
{
	is_str(told("/src /dst none rbind,rw,nosuid,nodev,noexec,private 0 -1"),
	       "bind /src /dst noexec nodev pass -1", "a full line");
	is_str(told("/a\\040b /c\\011d\\134 none bind"), "bind /a b /c\td\\ one", "escapes");
	is_str(told("# /a /b"), "nothing", "a comment");
	is_str(told(" \t"), "nothing", "blanks");
	is_str(told("/a /b none bind 0 0\r"), "bind /a /b one", "the end of a DOS line");
	is_str(told("proc /proc proc defaults 0 0"), "kernel bind - /proc", "a kernel's type");
	is_str(told("none /x none remount,bind,ro"), "remount bind - /x ro one", "remount");
	is_str(told("umount /x none x-detach,nofail,silent"), "umount bind - /x nofail silent",
	       "detach");
	is_str(told("/a /b none bind,nofail,silent"), "bind /a /b one nofail silent", "nofail");
}

static void test_own_root(void)
{
	is_str(told(ROOT "/data /data none bind,rw"), "self /data /data one", "a volume");
	is_str(told(ROOT " /data none bind"), "self / /data one", "all of it");
	is_str(told(ROOT "x/data /data none bind"), "bind " ROOT "x/data /data one",
	       "a name that begins alike");
	is_str(told(ROOT "/../../etc /data none bind"),
	       "error: '.' or '..' in the source '" ROOT "/../../etc'", "no way out");
}

static void test_refusals(void)
{
	is_str(told("/a /b none frobnicate"), "error: unknown mount option 'frobnicate'",
	       "an unknown word");
	is_str(told("/a /b none shared"),
	       "error: mount option 'shared': mounts of a container do not propagate to the host",
	       "propagation");
	is_str(told("/a /../b none bind"), "error: '.' or '..' in the target '/../b'", "'..'");
	is_str(told("/a /b ext4 ro"),
	       "error: 'ext4' is neither an option nor a type that can be mounted (none, bind, "
	       "tmpfs)",
	       "a type that cannot be mounted");
	is_str(told("none /b"), "error: 'none' can only be the source of a tmpfs", "none");
	is_str(told("/a /b none bind x"), "error: 'x' is no number of a mount table", "freq");
	is_str(told("/a /b none bind 0 -2"), "error: '-2' is no number of a mount table", "pass");
	is_str(told("/a /b none bind 0 0 0"), "error: more than 6 fields", "seven fields");
	is_str(told("/a /b none size=1m"), "error: size= is for a tmpfs", "size");
	is_str(told("tmpfs /b tmpfs size=0"), "error: size=0: must be a size above 0, such as 64m",
	       "no size");
}

int main(void)
{
	test_guesses();
	test_lines();
	test_own_root();
	test_refusals();
	return done_testing();
}
