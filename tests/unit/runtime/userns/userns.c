/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/userns/userns.h"

#include "runtime/base/err.h"
#include "tests/unit/tap.h"

static struct subid_list parse(const char *text, const char *name, uint32_t id)
{
	struct subid_list l;

	subid_parse(text, strlen(text), name, id, &l);
	return l;
}

static void test_subid(void)
{
	struct subid_list l = parse("alice:100000:65536\nbob:200000:65536\n", "bob", 1001);

	ok(l.n == 1 && l.items[0].start == 200000 && l.items[0].count == 65536, "by name");
	l = parse("1001:300000:1000", "bob", 1001);
	ok(l.n == 1 && l.items[0].start == 300000, "by number, no newline at the end");
	l = parse("bob:1:2\n1001:3000:4\nbob:5000:6\n", "bob", 1001);
	ok(l.n == 3 && l.items[1].start == 3000 && l.items[2].count == 6, "several, in order");
	l = parse("bobby:100000:65536\nbo:200000:65536\n:300000:1\n", "bob", 1001);
	is_int(l.n, 0, "a name is compared whole");
	l = parse("100:100000:65536\n", NULL, 100);
	is_int(l.n, 1, "without a name the number still matches");
	l = parse("bob:100000\nbob::5\nbob:5:\nbob\n\n:::\nbob:x:5\nbob:5:5x\nbob:-1:5\nbob:5:+5\n",
		  "bob", 7);
	is_int(l.n, 0, "malformed lines are passed over");
	l = parse("bob:0:65536\nbob:100000:0\n", "bob", 7);
	is_int(l.n, 0, "root of the machine and empty ranges are not given");
	l = parse("bob:4294967290:5\n", "bob", 7);
	is_int(l.n, 1, "up to the last id");
	l = parse("bob:4294967290:6\nbob:4294967295:1\nbob:4294967296:1\nbob:1:99999999999\n",
		  "bob", 7);
	is_int(l.n, 0, "past the last id");
	l = parse("bob:1000:10\n", "bob", 1005);
	is_int(l.n, 0, "a range with the owner's own id would alias him");
	l = parse("bob:1:1:1\n", "bob", 7);
	is_int(l.n, 0, "a fourth field");
}

static uint32_t find_free(const char *text, uint32_t from)
{
	return subid_find_free(text, strlen(text), from, 65536);
}

static void test_free_range(void)
{
	is_int(find_free("", 100000), 100000, "an empty file");
	is_int(find_free("a:100000:65536\n", 100000), 165536, "behind the one there is");
	is_int(find_free("b:165536:65536\na:100000:65536\n", 100000), 231072, "in any order");
	is_int(find_free("a:120000:10\n", 100000), 120010, "one that begins in the middle");
	is_int(find_free("a:0:4294967295\n", 100000), 0, "there is none");
	is_int(find_free("junk\na:x:1\na:100000:0\n:100000:5\n", 100000), 100005,
	       "lines without a range are passed over");
}

static void test_subid_is_bounded(void)
{
	char text[64 * 40];
	struct subid_list l;
	size_t len = 0;

	for (int i = 0; i < 40; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "bob:%d:10\n",
					1000 + 100 * i);
	subid_parse(text, len, "bob", 7, &l);
	is_int(l.n, SUBID_RANGES_MAX, "no more ranges than there is room for");
	subid_parse("bob:5000:1junk", 10, "bob", 7, &l);
	ok(l.n == 1 && l.items[0].count == 1, "reads only len bytes");
}

static void test_login_name(void)
{
	static const char text[] =
		"root:x:0:0:root:/root:/bin/sh\nbob:x:1001:1001::/home/bob:\nx:y:1002";
	size_t len = 0;
	const char *name = subid_login_name(text, sizeof(text) - 1, 1001, &len);

	ok(name && len == 3 && !memcmp(name, "bob", 3), "name of an id");
	name = subid_login_name(text, sizeof(text) - 1, 1002, &len);
	ok(name && len == 1, "a line cut after the id");
	ok(!subid_login_name(text, sizeof(text) - 1, 7, &len), "no such id");
	ok(!subid_login_name(":x:7:7::/:\n", 11, 7, &len), "an empty name is none");
}

static struct userns_facts facts_with(uint32_t start, uint32_t count)
{
	struct userns_facts f = {.caller_uid = 1001, .caller_gid = 1002, .can_use_ranges = true};

	if (count) {
		f.uid = (struct subid_list){.n = 1, .items = {{start, count}}};
		f.gid = f.uid;
	}
	return f;
}

static bool extent_is(const struct id_extent *x, uint32_t inside, uint32_t outside, uint32_t count)
{
	return x->inside == inside && x->outside == outside && x->count == count;
}

static void test_plan_one(void)
{
	struct userns_facts f = facts_with(0, 0);
	struct err e = ERR_INIT;
	struct id_map m;

	is_int(userns_map_plan(&f, 0, 0, USERNS_AUTO, &m, &e), 0, "auto without ranges");
	ok(id_map_is_one(&m) && extent_is(m.uid, 0, 1001, 1) && extent_is(m.gid, 0, 1002, 1),
	   "is one id");
	f = facts_with(100000, 65536);
	is_int(userns_map_plan(&f, 500, 600, USERNS_ONE, &m, &e), 0,
	       "one, though there are ranges");
	ok(id_map_is_one(&m) && extent_is(m.uid, 500, 1001, 1) && extent_is(m.gid, 600, 1002, 1),
	   "maps the main user");
	f.can_use_ranges = false;
	f.why_not = "because";
	is_int(userns_map_plan(&f, 0, 0, USERNS_AUTO, &m, &e), 0, "auto with useless ranges");
	ok(id_map_is_one(&m), "is one id as well");
	is_int(userns_map_plan(&f, 0, 0, USERNS_SUBUID, &m, &e), -EPERM, "subuid is refused then");
	ok(strstr(e.msg, "because"), "with the reason");
	f = facts_with(0, 0);
	is_int(userns_map_plan(&f, 0, 0, USERNS_SUBUID, &m, &e), -EPERM, "subuid without ranges");
	is_int(userns_map_plan(&f, UINT32_MAX, 0, USERNS_ONE, &m, &e), -EINVAL, "no id is no user");
}

static void test_plan_ranges(void)
{
	struct userns_facts f = facts_with(100000, 65536);
	struct err e = ERR_INIT;
	struct id_map m;

	is_int(userns_map_plan(&f, 0, 0, USERNS_AUTO, &m, &e), 0, "root as main user");
	ok(m.n_uid == 2 && extent_is(&m.uid[0], 0, 1001, 1) &&
		   extent_is(&m.uid[1], 1, 100000, 65536),
	   "two extents");
	is_int(userns_map_plan(&f, 1000, 1000, USERNS_SUBUID, &m, &e), 0, "an ordinary main user");
	ok(m.n_uid == 3 && extent_is(&m.uid[0], 0, 100000, 1000) &&
		   extent_is(&m.uid[1], 1000, 1001, 1) && extent_is(&m.uid[2], 1001, 101000, 64536),
	   "three extents around it");
	is_int(userns_map_plan(&f, 100000, 65536, USERNS_AUTO, &m, &e), 0,
	       "a main user past the range");
	ok(m.n_uid == 2 && extent_is(&m.uid[0], 0, 100000, 65536) &&
		   extent_is(&m.uid[1], 100000, 1001, 1),
	   "the range, then the user");
	ok(m.n_gid == 2 && extent_is(&m.gid[1], 65536, 1002, 1), "groups likewise, adjacent");
	f.uid = (struct subid_list){.n = 2, .items = {{100000, 10}, {200000, 20}}};
	is_int(userns_map_plan(&f, 0, 0, USERNS_AUTO, &m, &e), 0, "two ranges");
	ok(m.n_uid == 3 && extent_is(&m.uid[1], 1, 100000, 10) &&
		   extent_is(&m.uid[2], 11, 200000, 20),
	   "in order");
	is_int(userns_map_plan(&f, 5, 5, USERNS_AUTO, &m, &e), 0,
	       "two ranges, the first one split");
	ok(m.n_uid == 3 && extent_is(&m.uid[0], 0, 100000, 5) && extent_is(&m.uid[1], 5, 1001, 1) &&
		   extent_is(&m.uid[2], 6, 100005, 5),
	   "as far as three extents reach");
	ok(id_extents_have(m.uid, m.n_uid, 10) && !id_extents_have(m.uid, m.n_uid, 11),
	   "what exists");
	ok(id_extents_lead_to(m.uid, m.n_uid, 1001) && id_extents_lead_to(m.uid, m.n_uid, 100009) &&
		   !id_extents_lead_to(m.uid, m.n_uid, 100010) &&
		   !id_extents_lead_to(m.uid, m.n_uid, 0),
	   "what it leads to");
}

/* Whatever the ranges are: the main user is there once, nothing overlaps, inside or outside. */
static void test_plan_properties(void)
{
	static const uint32_t ids[] = {0, 1, 2, 9, 10, 11, 29, 30, 31, 65534, UINT32_MAX - 1};
	struct userns_facts f = facts_with(0, 0);
	int bad = 0;

	f.uid = (struct subid_list){.n = 3,
				    .items = {{500, 10}, {700, 20}, {2000, UINT32_MAX - 2000}}};
	f.gid = f.uid;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		struct id_map m;
		uint32_t mains = 0;

		if (userns_map_plan(&f, ids[i], ids[i], USERNS_AUTO, &m, NULL) < 0 || m.n_uid > 3)
			bad++;
		for (uint32_t a = 0; a < m.n_uid; a++) {
			const struct id_extent *x = &m.uid[a];

			mains += ids[i] - x->inside < x->count && ids[i] >= x->inside;
			bad += !x->count || (uint64_t)x->inside + x->count > UINT32_MAX;
			for (uint32_t b = 0; b < a; b++) {
				const struct id_extent *y = &m.uid[b];

				bad += x->inside < (uint64_t)y->inside + y->count &&
				       y->inside < (uint64_t)x->inside + x->count;
				bad += x->outside < (uint64_t)y->outside + y->count &&
				       y->outside < (uint64_t)x->outside + x->count;
			}
		}
		bad += mains != 1;
	}
	is_int(bad, 0, "no overlap, no empty extent, the main user once");
}

static void test_identity_text(void)
{
	struct userns_facts f = facts_with(100000, 65536);
	char buf[128], tiny[10];
	struct id_map m;

	userns_map_plan(&f, 1000, 1000, USERNS_AUTO, &m, NULL);
	is_int(id_extents_identity(m.uid, m.n_uid, buf, sizeof(buf)), 37, "length");
	is_str(buf, "0 0 1000\n1000 1000 1\n1001 1001 64536\n", "one line an extent");
	ok(id_extents_identity(m.uid, m.n_uid, tiny, sizeof(tiny)) < sizeof(tiny),
	   "never past the end");
}

int main(void)
{
	test_subid();
	test_free_range();
	test_subid_is_bounded();
	test_login_name();
	test_plan_one();
	test_plan_ranges();
	test_plan_properties();
	test_identity_text();
	return done_testing();
}
