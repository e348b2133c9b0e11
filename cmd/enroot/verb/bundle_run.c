/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A bundle that is run: `./py.run [options] [--] [COMMAND] [ARG...]` starts the image in it. The
 * image server reads the image where it lies in the file.
 */

#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/enroot/frame/argv.h"
#include "cmd/enroot/verb/bundle_files.h"
#include "cmd/enroot/frame/enroot.h"
#include "cmd/enroot/start/args.h"
#include "cmd/frame/frame.h"
#include "runtime/base/crc32.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/path.h"
#include "runtime/settings/bundle_self.h"
#include "runtime/spec/name.h"
#include "runtime/server/client.h"

#define CHUNK_BYTES (1u << 20)

struct run_args {
	bool info, keep, quiet, verify, extract;
	struct enroot_start_args start;
};

#define AT(member) offsetof(struct run_args, member)

static const struct opt rows[] = {
	{OPT_FLAG, 'i', "info", .offset = AT(info), .help = "Say what is in this bundle"},
	{OPT_FLAG, 'k', "keep", .offset = AT(keep),
	 .help = "Keep what is written with --rw for the next time"},
	{OPT_FLAG, 'q', "quiet", .offset = AT(quiet), .help = "Show nothing but errors"},
	{OPT_FLAG, 'v', "verify", .offset = AT(verify),
	 .help = "See whether the image is as it was bundled"},
	{OPT_FLAG, 'x', "extract", .offset = AT(extract),
	 .help = "Write the image's files to a directory, and run nothing"},
	{0},
};

static const struct opt_table table = {"Options", rows};
static const struct opt_use uses[] = {{&table, 0}, {&enroot_start_table, AT(start)}, {0}};

struct running {
	struct enroot x;
	struct bundle_self self;
	struct bundle_config config;
	struct run_args args;
	char path[PATH_MAX]; /* of the bundle */
};

static int show_usage(int code)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	const struct enroot_verb v = {.name = "", .uses = uses};

	enroot_help_options(&v,
			    "Usage: BUNDLE [options] [--] [COMMAND] [ARG...]\n\n"
			    "Run a command in the image of this bundle.\n",
			    &out);
	return enroot_print(&out) ? ENROOT_EXIT_FAILED : code;
}

static int show_info(const struct running *r)
{
	const struct bundle_config *c = &r->config;
	_strbuf_ struct strbuf out = STRBUF_INIT;

	strbuf_addstr(&out, "Image:       ");
	strbuf_add_escaped(&out, c->name, strlen(c->name));
	strbuf_addstr(&out, "\nDescription: ");
	strbuf_add_escaped(&out, c->description, strlen(c->description));
	strbuf_addf(&out, "\nSize:        %llu bytes\nTarget:      ",
		    (unsigned long long)r->self.parts.parts[BUNDLE_IMAGE].bytes);
	strbuf_add_escaped(&out, c->target, strlen(c->target));
	if (c->has_crc)
		strbuf_addf(&out, "\nChecksum:    crc32 %08x", c->crc);
	strbuf_addf(&out, "\nKeeps in:    " BUNDLE_LAYER "%s", c->id);
	strbuf_addf(&out, "\nMade by:     csbx " CSBX_VERSION "\n");
	return enroot_print(&out);
}

static int verify(const struct running *r, struct err *e)
{
	struct bundle_extent x = r->self.parts.parts[BUNDLE_IMAGE];
	_strbuf_ struct strbuf buf = STRBUF_INIT;
	uint32_t crc = 0;

	if (!r->config.has_crc)
		return err_set(e, ENODATA, "The bundle has no checksum (enroot bundle --checksum)");
	if (!strbuf_reserve(&buf, CHUNK_BYTES))
		return err_oom(e);
	while (x.bytes) {
		size_t n = x.bytes < CHUNK_BYTES ? x.bytes : CHUNK_BYTES;

		if (io_pread_exact(r->self.fd, buf.data, n, x.offset, e) < 0)
			return err_wrap(e, "read the bundle");
		crc = crc32_add(crc, buf.data, n);
		x.offset += n;
		x.bytes -= n;
	}
	if (crc != r->config.crc)
		return err_set(e, EBADMSG, "Checksum mismatch: %08x, should be %08x", crc,
			       r->config.crc);
	return 0;
}

/* Into a directory that is not there yet; of a half-made one nothing stays. */
static int extract(struct running *r, struct err *e)
{
	const char *dir = r->config.target;
	char name[PATH_MAX];
	_close_ int parent = path_open_nearest(dir, name, e), fd = -1;
	size_t n;
	int k;

	if (parent < 0)
		return parent;
	n = strcspn(name, "/");
	if (!n)
		return err_set(e, EEXIST, "File already exists: %s", dir);
	if (name[n + strspn(name + n, "/")])
		return err_code(e, ENOENT, "%s", dir);
	name[n] = 0;
	if (mkdirat(parent, name, 0755) < 0)
		return errno == EEXIST ? err_set(e, EEXIST, "File already exists: %s", dir)
				       : err_sys(e, "%s", dir);
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	k = fd < 0 ? err_sys(e, "%s", dir)
		   : squashd_unpack(&r->x.cmd.paths, r->self.fd, fd, false, e);
	if (k < 0)
		(void)path_remove_tree_at(parent, name, NULL);
	return k;
}

static int start(struct running *r, int argc, char **argv)
{
	_free_ char **words = calloc((size_t)argc + 2, sizeof(*words));
	_free_ char *layer = str_printf(BUNDLE_LAYER "%s", r->config.id);

	if (!words || !layer)
		return enroot_error("Out of memory");
	words[0] = r->path;
	memcpy(words + 1, argv, (size_t)argc * sizeof(*words));
	if (r->args.keep && name_is_valid(layer))
		r->args.start.layer = layer;
	return enroot_start(&r->x, &r->args.start, argc + 1, words);
}

static int act(struct running *r, int argc, char **argv)
{
	struct err e = ERR_INIT;
	int code = 0;

	if (r->args.info)
		return show_info(r);
	if (r->args.verify && verify(r, &e) < 0)
		return enroot_fail(&e);
	if (r->args.extract)
		return extract(r, &e) < 0 ? enroot_fail(&e) : 0;
	if (!r->args.verify)
		code = start(r, argc, argv);
	return code;
}

static int find_self(struct running *r, struct err *e)
{
	ssize_t n = readlink("/proc/self/exe", r->path, sizeof(r->path) - 1);

	if (n < 0)
		return err_sys(e, "/proc/self/exe");
	r->path[n] = 0;
	return bundle_self_config(&r->self, &r->config, e);
}

static int run_bundle(struct running *r, int argc, char **argv)
{
	struct err e = ERR_INIT;
	int first;

	if (cmd_begin(&e) < 0)
		return enroot_fail(&e);
	first = enroot_argv_parse(uses, &r->args, argc, argv, &e);
	if (first == ENROOT_ARGV_HELP)
		return show_usage(0);
	if (first < 0) {
		enroot_error("%s", e.msg);
		return show_usage(ENROOT_EXIT_FAILED);
	}
	if (find_self(r, &e) < 0 || enroot_load_state(&r->x, &e) < 0)
		return enroot_fail(&e);
	r->x.cmd.paths.bundle = &r->self;
	if (enroot_bundle_unpack(&r->x, r->config.id, &r->config.files, &e) < 0)
		return enroot_fail(&e);
	return act(r, argc - first, argv + first);
}

int enroot_bundle_personality(int argc, char **argv)
{
	static const char *const own[] = {"csbx", "docker", "enroot"};
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;
	const char *name = slash ? slash + 1 : argc ? argv[0] : "csbx";
	struct running r = {.x = {.self = PROGRAM_CSBX, .cmd = {.argv = argv}}};
	struct err e = ERR_INIT;
	int code = -1, found;

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		if (str_eq(name, own[i]))
			return -1;
	}
	found = bundle_self_open(&r.self, &e);
	if (found > 0)
		code = run_bundle(&r, argc, argv);
	else if (found == -EBADMSG)
		code = enroot_fail(&e);
	bundle_config_free(&r.config);
	enroot_free_state(&r.x);
	bundle_self_close(&r.self);
	enroot_start_done(&r.args.start);
	return code;
}
