/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/options.h"

#include <stddef.h>

#include "cmd/build/build.h"
#include "cmd/docker/image/tar_image.h"
#include "image/oci/platform.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

#define AT(member) offsetof(struct build_args, member)

static const struct opt build_opts[] = {
	{OPT_LIST, 0, "add-host", "list", AT(hosts),
	 .help = "Add a custom host-to-IP mapping (format: \"host:ip\")"},
	{OPT_LIST, 0, "build-arg", "list", AT(build_args), .help = "Set build-time variables"},
	{OPT_STR, 0, "builder", "string", AT(builder),
	 .help = "Override the configured builder instance; \"default\" is the only one"},
	{OPT_LIST, 0, "cache-from", "list", AT(cache_from),
	 .help = "Images whose steps are used where csbx's own cache has lost them (see --cache-to)"},
	{OPT_LIST, 0, "cache-to", "list", AT(cache_to),
	 .help = "\"type=inline\": the image tells its steps, for --cache-from"},
	{OPT_STR, 'f', "file", "string", AT(file), .offers = "file",
	 .help = "Name of the Dockerfile (default: \"PATH/Dockerfile\")"},
	{OPT_FLAG, 0, "force-rm", .offset = AT(force_rm),
	 .help = "Always remove intermediate containers, which csbx does"},
	{OPT_STR, 0, "iidfile", "string", AT(iidfile), .offers = "file",
	 .help = "Write the image ID to a file"},
	{OPT_LIST, 0, "label", "list", AT(labels), .help = "Set metadata for an image"},
	{OPT_FLAG, 0, "load", .offset = AT(load),
	 .help = "Put the image into the image store, which csbx does"},
	{OPT_STR, 'm', "memory", "bytes", AT(memory), .help = "Memory limit of a RUN"},
	{OPT_STR, 0, "network", "string", AT(network), .initial = "default",
	 .help = "Set the networking mode for the \"RUN\" instructions during build"},
	{OPT_FLAG, 0, "no-cache", .offset = AT(no_cache),
	 .help = "Do not use cache when building the image"},
	{OPT_LIST, 'o', "output", "list", AT(outputs),
	 .help = "Output destination; \"type=docker\" is the only one"},
	{OPT_STR, 0, "platform", "string", AT(platform),
	 .help = "Set target platform for build; it is this machine's"},
	{OPT_STR, 0, "progress", "string", AT(progress), .initial = "auto",
	 .offers = "words:auto plain quiet tty",
	 .help = "Set type of progress output (\"auto\", \"plain\", \"quiet\", \"tty\")"},
	{OPT_STR, 0, "provenance", "string", AT(provenance),
	 .help = "Provenance attestation; csbx makes none: \"false\""},
	{OPT_FLAG, 0, "pull", .offset = AT(pull),
	 .help = "Always attempt to pull all referenced images"},
	{OPT_FLAG, 0, "push", .offset = AT(push),
	 .help = "Push the image under all its tags (see docker push)"},
	{OPT_FLAG, 'q', "quiet", .offset = AT(quiet),
	 .help = "Suppress the build output and print image ID on success"},
	{OPT_FLAG, 0, "rm", .offset = AT(rm),
	 .help = "Remove intermediate containers, which csbx does; \"--rm=false\": the files of a RUN that fails become an image"},
	{OPT_STR, 0, "sbom", "string", AT(sbom),
	 .help = "SBOM attestation; csbx makes none: \"false\""},
	{OPT_LIST, 0, "secret", "list", AT(secrets),
	 .help = "Secret to expose to the build (format: \"id=mysecret[,src=/local/secret]\", or \"id=mysecret,env=NAME\")"},
	{OPT_STR, 0, "shm-size", "bytes", AT(shm_size), .help = "Shared memory size for RUN"},
	{OPT_LIST, 0, "ssh", "list", AT(ssh),
	 .help = "SSH agent for the build, which csbx does not do: give the key with --secret"},
	{OPT_LIST, 't', "tag", "list", AT(tags),
	 .help = "Image identifier (format: \"[registry/]repository[:tag]\")"},
	{OPT_STR, 0, "target", "string", AT(target), .help = "Set the target build stage to build"},
	{OPT_LIST, 0, "ulimit", "list", AT(ulimits), .help = "Ulimit options for RUN"},
	{0},
};
const struct opt_table build_table = {"Options", build_opts};

void build_args_init(void *args)
{
	((struct build_args *)args)->rm = true;
}

void build_args_done(void *args)
{
	struct build_args *a = args;

	strv_free(&a->tags);
	strv_free(&a->build_args);
	strv_free(&a->labels);
	strv_free(&a->secrets);
	strv_free(&a->hosts);
	strv_free(&a->ulimits);
	strv_free(&a->cache_from);
	strv_free(&a->cache_to);
	strv_free(&a->ssh);
	strv_free(&a->outputs);
}

static bool is_word_of(const char *word, const char *const *words)
{
	for (; *words; words++) {
		if (str_eq(word, *words))
			return true;
	}
	return false;
}

static int check_platform(const char *asked, struct err *e)
{
	struct platform here, wanted;
	int r = platform_wanted(NULL, NULL, &here, e);

	if (r >= 0)
		r = platform_wanted(NULL, asked, &wanted, e);
	if (r < 0)
		return err_wrap(e, "--platform %s", asked);
	if (str_eq(here.arch, wanted.arch))
		return 0;
	return err_set(e, EOPNOTSUPP,
		       "--platform %s: steps of another machine cannot run here, which is linux/%s",
		       asked, here.arch);
}

/* Words that ask for what csbx does not make, and those that ask for none of it. */
static int check_refused(const struct build_args *a, struct err *e)
{
	const char *const asked[][2] = {{"provenance", a->provenance}, {"sbom", a->sbom}};

	for (size_t i = 0; i < 2; i++) {
		if (asked[i][1] && !str_eq(asked[i][1], "false"))
			return err_set(e, EOPNOTSUPP,
				       "--%s %s: csbx makes no attestations: --%s=false",
				       asked[i][0], asked[i][1], asked[i][0]);
	}
	if (a->ssh.n)
		return err_set(e, EOPNOTSUPP,
			       "--ssh %s: an agent is not passed on: --secret id=key,src=FILE and "
			       "RUN --mount=type=secret,id=key give a step the key",
			       a->ssh.items[0]);
	if (a->builder && *a->builder && !str_eq(a->builder, "default"))
		return err_set(e, EINVAL, "no builder \"%s\" found: \"default\" is the only one",
			       a->builder);
	if (a->push && !a->tags.n)
		return err_set(e, EINVAL, "tag is needed when pushing to registry");
	return 0;
}

int build_args_check(const struct build_args *a, struct err *e)
{
	static const char *const shows[] = {"auto", "plain", "quiet", "tty", "rawjson", NULL};
	static const char *const outputs[] = {"type=docker", "type=image", "docker", NULL};

	if (a->progress && (!is_word_of(a->progress, shows) || str_eq(a->progress, "rawjson")))
		return err_set(e, EINVAL, "--progress %s: auto, plain, quiet and tty are done",
			       a->progress);
	for (size_t i = 0; i < a->tags.n; i++) {
		_free_ char *name = NULL;
		int r = tar_image_name(a->tags.items[i], &name, e);

		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < a->hosts.n; i++) {
		const char *host = a->hosts.items[i];

		if (!strpbrk(host, ":=") || strchr(":=", *host) || !host[strcspn(host, ":=") + 1])
			return err_set(e, EINVAL, "bad format for add-host: \"%s\"", host);
	}
	for (size_t i = 0; i < a->outputs.n; i++) {
		if (!is_word_of(a->outputs.items[i], outputs))
			return err_set(e, EOPNOTSUPP,
				       "--output %s: type=docker is the only one that is done; "
				       "docker save writes an archive",
				       a->outputs.items[i]);
	}
	if (cache_words_check(a, e) < 0 || check_refused(a, e) < 0)
		return -EINVAL;
	return a->platform && *a->platform ? check_platform(a->platform, e) : 0;
}
