/* SPDX-License-Identifier: Apache-2.0 */
/* Sources on disk: what opens, what is refused and with which words, and that no fd stays open. */
#include "image/source/source.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "image/model/digest.h"
#include "image/oci/json.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/path.h"
#include "tests/unit/tap.h"
#include "tests/unit/tar_writer.h"

#define CONFIG_TYPE "application/vnd.oci.image.config.v1+json"
#define LAYER_TYPE "application/vnd.oci.image.layer.v1.tar"

/* A temporary directory that is the working directory while the test runs. */
static char top[TAP_PATH_SIZE] = "image-source";
static int topfd = -1;

static void write_file(const char *path, const void *data, size_t len)
{
	char dir[256];
	int fd;

	snprintf(dir, sizeof(dir), "%s", path);
	for (char *p = dir; (p = strchr(p, '/')); *p++ = '/') {
		*p = 0;
		mkdir(dir, 0755);
	}
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || io_write_all(fd, data, len, NULL) < 0)
		abort();
	close(fd);
}

static void write_text(const char *path, const char *text)
{
	write_file(path, text, strlen(text));
}

/* Stores a blob in the layout `dir` and describes it. */
static const char *add_blob(const char *dir, const char *type, const char *data, char *desc,
			    size_t size)
{
	struct digest d;
	char path[300];

	digest_of(data, strlen(data), &d, NULL);
	snprintf(path, sizeof(path), "%s/blobs/sha256/%s", dir, d.hex);
	write_text(path, data);
	snprintf(desc, size, "\"mediaType\":\"%s\",\"digest\":\"sha256:%s\",\"size\":%zu", type,
		 d.hex, strlen(data));
	return desc;
}

struct made {
	char manifest[300]; /* its descriptor without braces */
	char layer_path[300], manifest_path[300], config_path[300];
};

static void hex_of(const char *desc, const char *dir, char *path, size_t size)
{
	snprintf(path, size, "%s/blobs/sha256/%.64s", dir, strstr(desc, "sha256:") + 7);
}

/* An image of one (not very) real layer; content makes it differ from others. */
static void add_image(const char *dir, const char *platform, const char *content, struct made *m)
{
	char config[600], layer[300], desc[300], manifest[1200];
	struct digest diff_id;

	digest_of(content, strlen(content), &diff_id, NULL);
	add_blob(dir, LAYER_TYPE, content, layer, sizeof(layer));
	snprintf(config, sizeof(config),
		 "{%s,\"rootfs\":{\"type\":\"layers\",\"diff_ids\":[\"sha256:%s\"]}}", platform,
		 diff_id.hex);
	add_blob(dir, CONFIG_TYPE, config, desc, sizeof(desc));
	hex_of(layer, dir, m->layer_path, sizeof(m->layer_path));
	hex_of(desc, dir, m->config_path, sizeof(m->config_path));
	snprintf(manifest, sizeof(manifest),
		 "{\"schemaVersion\":2,\"config\":{%s},\"layers\":[{%s}]}", desc, layer);
	add_blob(dir, OCI_MEDIA_MANIFEST, manifest, m->manifest, sizeof(m->manifest));
	hex_of(m->manifest, dir, m->manifest_path, sizeof(m->manifest_path));
}

#define AMD64 "\"os\":\"linux\",\"architecture\":\"amd64\""
#define ARM64 "\"os\":\"linux\",\"architecture\":\"arm64\""
#define NAMED(n) ",\"annotations\":{\"org.opencontainers.image.ref.name\":\"" n "\"}"
#define PLATFORM(p) ",\"platform\":{" p "}"

/* entries: pairs of descriptor and what is added to it, NULL-terminated. */
static void write_index(const char *dir, const char *const *entries)
{
	_strbuf_ struct strbuf b = STRBUF_INIT;
	char path[300];

	strbuf_addstr(&b, "{\"schemaVersion\":2,\"manifests\":[");
	for (; *entries; entries += 2)
		strbuf_addf(&b, "%s{%s%s}", str_has_suffix(b.data, "[") ? "" : ",", entries[0],
			    entries[1]);
	strbuf_addstr(&b, "]}");
	snprintf(path, sizeof(path), "%s/index.json", dir);
	write_file(path, b.data, b.len);
	snprintf(path, sizeof(path), "%s/oci-layout", dir);
	write_text(path, "{\"imageLayoutVersion\":\"1.0.0\"}");
}

static int count_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

static int open_source(struct image_source *s, const char *uri, const char *arch, struct err *e)
{
	struct source_options o = {.arch = arch ? arch : "amd64", .tmp_dirfd = topfd};

	return source_open(s, uri, &o, e);
}

/* The content of the only layer, or the error. */
static void gives(const char *uri, const char *arch, const char *want)
{
	struct image_source s;
	struct err e = ERR_INIT;
	char text[64] = "";
	int before = count_fds(), r = open_source(&s, uri, arch, &e);

	if (!ok(r >= 0 && s.n_layers == 1, "%s opens", uri)) {
		printf("# %s\n", e.msg);
		return;
	}
	if (pread(s.layers[0].fd, text, s.layers[0].length < 60 ? s.layers[0].length : 60,
		  (off_t)s.layers[0].offset) < 0)
		abort();
	is_str(text, want, "and is the right image");
	source_close(&s);
	is_int(count_fds(), before, "and leaves no descriptor");
}

static void fails(const char *uri, const char *arch, const char *why)
{
	struct image_source s;
	struct err e = ERR_INIT;
	int before = count_fds();

	ok(open_source(&s, uri, arch, &e) < 0, "%s is refused", uri);
	ok(strstr(e.msg, why), "for \"%s\": %s", why, e.msg);
	is_int(count_fds(), before, "and leaves no descriptor");
}

static void test_choice(void)
{
	char nested[2048], index[300];
	struct made a, b, c;

	add_image("l", AMD64, "one", &a);
	write_index("l", (const char *[]){a.manifest, NAMED("v1"), NULL});
	gives("oci:l", NULL, "one");
	gives("l", NULL, "one");
	gives("oci:l:v1", NULL, "one");
	gives("oci:l@0", NULL, "one");
	fails("oci:l:v2", NULL, "it has: v1");
	fails("oci:l@1", NULL, "no such image");
	fails("oci:l", "arm64", "is for linux/amd64, not for linux/arm64");

	add_image("l", AMD64, "two", &b);
	write_index("l", (const char *[]){a.manifest, NAMED("v1"), b.manifest, NAMED("v2"), NULL});
	fails("oci:l", NULL, "choose one of: v1, v2");
	gives("oci:l:v2", NULL, "two");
	write_index("l",
		    (const char *[]){a.manifest, NAMED("v1"), a.manifest, NAMED("also"), NULL});
	gives("oci:l", NULL, "one");
	write_index("l", (const char *[]){a.manifest, "", b.manifest, NAMED("\\u001b[2J"), NULL});
	fails("oci:l", NULL, "choose one of: @0, \\x1b[2J");

	add_image("l", ARM64, "arm", &c);
	write_index("l", (const char *[]){c.manifest, PLATFORM(ARM64), a.manifest, PLATFORM(AMD64),
					  NULL});
	gives("oci:l", NULL, "one");
	gives("oci:l", "aarch64", "arm");
	fails("oci:l", "s390x", "offered: linux/arm64, linux/amd64");
	write_index("l", (const char *[]){b.manifest, PLATFORM(AMD64), a.manifest, PLATFORM(AMD64),
					  NULL});
	fails("oci:l", NULL, "several images");

	snprintf(nested, sizeof(nested), "{\"schemaVersion\":2,\"manifests\":[{%s%s},{%s%s}]}",
		 c.manifest, PLATFORM(ARM64), a.manifest, PLATFORM(AMD64));
	add_blob("l", OCI_MEDIA_INDEX, nested, index, sizeof(index));
	write_index("l", (const char *[]){index, NAMED("multi"), NULL});
	gives("oci:l:multi", NULL, "one");
	gives("oci:l", "arm64", "arm");
	snprintf(nested, sizeof(nested), "oci:l@sha256:%.64s", strstr(a.manifest, "sha256:") + 7);
	gives(nested, NULL, "one");
}

/* Indexes inside indexes; the innermost would be an image. */
static void test_nesting(void)
{
	char desc[300], doc[700];
	struct made a;

	add_image("n", AMD64, "deep", &a);
	snprintf(desc, sizeof(desc), "%s", a.manifest);
	for (int depth = 1; depth <= 5; depth++) {
		snprintf(doc, sizeof(doc), "{\"schemaVersion\":2,\"manifests\":[{%s%s}]}", desc,
			 PLATFORM(AMD64));
		add_blob("n", OCI_MEDIA_INDEX, doc, desc, sizeof(desc));
		write_index("n", (const char *[]){desc, "", NULL});
		if (depth < 4)
			gives("oci:n", NULL, "deep");
	}
	fails("oci:n", NULL, "nested more than");
}

static void with_blob(const char *path, const char *content, const char *why)
{
	char saved[2048];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, saved, sizeof(saved));

	if (n < 0)
		abort();
	close(fd);
	if (content)
		write_text(path, content);
	else
		unlink(path);
	fails("oci:d", NULL, why);
	write_file(path, saved, (size_t)n);
}

static void test_damage(void)
{
	char same_size[2048];
	struct made a;
	struct stat st;

	add_image("d", AMD64, "content", &a);
	write_index("d", (const char *[]){a.manifest, "", NULL});
	with_blob(a.manifest_path, "{}", "bytes, its descriptor says");
	with_blob(a.config_path, "{}", "bytes, its descriptor says");
	with_blob(a.layer_path, "contents", "bytes, its descriptor says");
	with_blob(a.manifest_path, NULL, "image manifest: blobs/sha256/");
	with_blob(a.config_path, NULL, "image config: blobs/sha256/");
	with_blob(a.layer_path, NULL, "layer 1: blobs/sha256/");
	stat(a.config_path, &st);
	memset(same_size, ' ', sizeof(same_size));
	same_size[st.st_size] = 0;
	with_blob(a.config_path, same_size, "sha256");
	with_blob("d/index.json", "{", "index.json: JSON");
	with_blob("d/index.json", "{\"schemaVersion\":2,\"manifests\":[]}", "holds no image");
	with_blob("d/index.json", "{\"schemaVersion\":2,\"manifests\":null}", "holds no image");
	with_blob("d/oci-layout", "{\"imageLayoutVersion\":\"9\"}",
		  "oci-layout: imageLayoutVersion");
	with_blob("d/oci-layout", NULL, "not an OCI layout");
	gives("oci:d", NULL, "content");
}

/* The source reads no file outside of the layout, and no read blocks. */
static void test_odd_files(void)
{
	struct made a;

	add_image("o", AMD64, "secret", &a);
	write_index("o", (const char *[]){a.manifest, "", NULL});
	rename(a.layer_path, "outside");
	if (symlink("../../../outside", a.layer_path) < 0)
		abort();
	fails("oci:o", NULL, "symbolic link");
	unlink(a.layer_path);
	mkfifo(a.layer_path, 0644);
	fails("oci:o", NULL, "not a regular file");
	unlink(a.layer_path);
	mkdir(a.layer_path, 0755);
	fails("oci:o", NULL, "not a regular file");
	rmdir(a.layer_path);
	rename("outside", a.layer_path);
	rename("o/blobs", "blobs-elsewhere");
	if (symlink("../blobs-elsewhere", "o/blobs") < 0)
		abort();
	fails("oci:o", NULL, "image manifest: blobs/sha256/");
}

/* An image whose config has two diff_ids for one layer. */
static void test_counts(void)
{
	char layer[300], desc[300], manifest[1200], config[400];
	struct digest d;

	digest_of("x", 1, &d, NULL);
	add_blob("c", LAYER_TYPE, "x", layer, sizeof(layer));
	snprintf(config, sizeof(config),
		 "{" AMD64
		 ",\"rootfs\":{\"type\":\"layers\",\"diff_ids\":[\"sha256:%s\",\"sha256:%s\"]}}",
		 d.hex, d.hex);
	add_blob("c", CONFIG_TYPE, config, desc, sizeof(desc));
	snprintf(manifest, sizeof(manifest),
		 "{\"schemaVersion\":2,\"config\":{%s},\"layers\":[{%s}]}", desc, layer);
	add_blob("c", OCI_MEDIA_MANIFEST, manifest, desc, sizeof(desc));
	write_index("c", (const char *[]){desc, "", NULL});
	fails("oci:c", NULL, "1 layers, but the config has 2 diff_ids");
}

/* Generation 1 of docker save; the second layer is a link to the first. */
static void docker_archive(struct strbuf *b, const char *manifest, const char *link)
{
	static const char config[] =
		"{" AMD64 ",\"rootfs\":{\"type\":\"layers\",\"diff_ids\":["
		"\"sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"]}}";

	strbuf_reset(b);
	tar_add(b, &(struct tar_member){"b/layer.tar", '2', .link = link});
	tar_add(b, &(struct tar_member){"a/layer.tar", .data = "layer"});
	tar_add(b, &(struct tar_member){"c.json", .data = config});
	tar_add(b, &(struct tar_member){"manifest.json", .data = manifest});
	tar_end(b);
	write_file("da.tar", b->data, b->len);
}

#define ITEM(config, tags, layer) \
	"{\"Config\":\"" config "\",\"RepoTags\":" tags ",\"Layers\":[\"" layer "\"]}"

static void test_docker_archive(void)
{
	static const char zeros[] =
		"0000000000000000000000000000000000000000000000000000000000000000.json";
	_strbuf_ struct strbuf b = STRBUF_INIT;

	docker_archive(&b, "[" ITEM("c.json", "[\"x:1\"]", "b/layer.tar") "]", "../a/layer.tar");
	gives("docker-archive:da.tar", NULL, "layer");
	gives("da.tar", NULL, "layer");
	gives("docker-archive:da.tar:x:1", NULL, "layer");
	gives("docker-archive:da.tar:docker.io/library/x:1", NULL, "layer");
	fails("docker-archive:da.tar:x:2", NULL, "it has: x:1");
	fails("docker-archive:da.tar", "arm64", "is for linux/amd64");
	fails("oci-archive:da.tar", NULL, "not an OCI layout");
	fails("tar:l", NULL, "a directory");
	fails("oci:da.tar", NULL, "not a directory");
	docker_archive(&b, "[" ITEM("c.json", "[\"x:1\"]", "b/layer.tar") "]", "../../a/layer.tar");
	fails("docker-archive:da.tar", NULL, "link leaves the archive");
	docker_archive(&b, "[" ITEM("c.json", "null", "../../etc/passwd") "]", "x");
	fails("docker-archive:da.tar", NULL, "layer 1: name with '..'");
	docker_archive(&b, "[" ITEM("c.json", "null", "no") "]", "x");
	fails("docker-archive:da.tar", NULL, "layer 1: no: not in the archive");
	docker_archive(&b,
		       "[" ITEM("c.json", "[\"x:1\"]", "a/layer.tar") "," ITEM("d.json", "null",
									       "a/layer.tar") "]",
		       "x");
	fails("docker-archive:da.tar", NULL, "choose one of: x:1, @1");
	gives("docker-archive:da.tar@0", NULL, "layer");
	docker_archive(&b, "null", "x");
	fails("docker-archive:da.tar", NULL, "lists no image");
	strbuf_reset(&b);
	tar_add(&b, &(struct tar_member){zeros, .data = "{}"});
	tar_add(&b, &(struct tar_member){
			    "manifest.json",
			    .data = "[{\"Config\":"
				    "\"0000000000000000000000000000000000000000000000000000"
				    "000000000000.json\",\"Layers\":[]}]"});
	write_file("wrong.tar", b.data, b.len);
	fails("docker-archive:wrong.tar", NULL, "image config: ");
}

static void test_rootfs(void)
{
	_strbuf_ struct strbuf b = STRBUF_INIT;
	struct image_source s;
	struct err e = ERR_INIT;

	tar_add(&b, &(struct tar_member){"etc/", '5'});
	tar_add(&b, &(struct tar_member){"manifest.json", .data = "{}"});
	tar_end(&b);
	write_file("rootfs.tar", b.data, b.len);
	ok(!open_source(&s, "rootfs.tar", NULL, &e), "a bare tar of a root file system: %s", e.msg);
	ok(s.n_layers == 1 && !s.config.len && s.layers[0].length == b.len &&
		   !*s.layers[0].digest.alg,
	   "is one layer that nothing is known of");
	is_str(s.name, "rootfs", "named after the file");
	source_close(&s);
	ok(!open_source(&s, "dir:l", NULL, &e) ? false : strstr(e.msg, "use oci:l"),
	   "dir: of a layout: %s", e.msg);
	mkdir("tree", 0755);
	ok(!open_source(&s, "tree", NULL, &e) && s.layers[0].kind == LAYER_DIRECTORY,
	   "a directory");
	source_close(&s);
	write_text("empty", "");
	fails("tar:empty", NULL, "empty");
	fails("empty", NULL, "empty");
	write_text("squash", "hsqs...");
	fails("squash", NULL, "squashfs");
	fails("oci-archive:squash", NULL, "");
	fails("/dev/null", NULL, "neither a file");
	fails("./missing", NULL, "./missing: No such file");
}

int main(void)
{
	if (!tap_mkdtemp(top) || chdir(top) < 0)
		return 1;
	topfd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	test_choice();
	test_nesting();
	test_damage();
	test_odd_files();
	test_counts();
	test_docker_archive();
	test_rootfs();
	if (chdir("/") < 0 || path_remove_tree_at(AT_FDCWD, top, NULL) < 0)
		return 1;
	return done_testing();
}
