/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/frame/names.h"

#include <sys/random.h>

#include "runtime/base/err.h"
#include "runtime/base/str.h"

static const char *const manners[] = {
	"amber",  "bold",  "brisk",  "calm",  "clever", "crisp",   "deft",  "eager",
	"fair",   "fleet", "gentle", "glad",  "happy",  "jolly",   "keen",  "kind",
	"lively", "lucid", "mellow", "merry", "nimble", "patient", "plain", "polite",
	"prompt", "quick", "quiet",  "ready", "sharp",  "steady",  "swift", "witty",
};

static const char *const things[] = {
	"acorn",  "anchor",  "aspen",   "badger", "basalt",  "beacon", "birch",   "bridge",
	"canyon", "cedar",   "comet",   "copper", "crane",   "delta",  "ember",   "falcon",
	"fern",   "fjord",   "flint",   "garnet", "glacier", "harbor", "hazel",   "heron",
	"island", "juniper", "kestrel", "lagoon", "lantern", "larch",  "maple",   "marsh",
	"meadow", "mesa",    "moss",    "oak",    "orchid",  "otter",  "pebble",  "pine",
	"quartz", "raven",   "reed",    "ridge",  "river",   "saddle", "sparrow", "spruce",
	"summit", "thistle", "tide",    "topaz",  "tundra",  "valley", "willow",  "yarrow",
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

int docker_name_make(unsigned attempt, char **ret, struct err *e)
{
	uint32_t x[3];

	if (getrandom(x, sizeof(x), 0) != sizeof(x))
		return err_sys(e, "random name");
	*ret = attempt ? str_printf("%s_%s%u", manners[x[0] % COUNT(manners)],
				    things[x[1] % COUNT(things)], x[2] % 100000u)
		       : str_printf("%s_%s", manners[x[0] % COUNT(manners)],
				    things[x[1] % COUNT(things)]);
	return *ret ? 0 : err_oom(e);
}

bool docker_name_is_valid(const char *name)
{
	static const char first[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	static const char rest[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
	size_t n;

	name += *name == '/';
	n = strlen(name);
	return n > 1 && strspn(name, first) && strspn(name, rest) == n;
}
