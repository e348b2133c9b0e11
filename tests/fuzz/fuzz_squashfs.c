/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A whole image through the reader: every name, every attribute, the start and the end of every
 * file. The reader must say nothing beyond the bounds of the image's header; sanitizers watch the
 * rest.
 */
#include "runtime/helpers/squashd/image/sqimage.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/helpers/squashd/image/originals.h"
#include "tests/fuzz/fuzz.h"

#define NODES_MAX 300
#define TODO_MAX 64
#define READ_BYTES 70000

struct visit {
	struct sqimage *img;
	struct originals originals;
	uint64_t todo[TODO_MAX]; /* directories */
	unsigned n_todo, n_nodes;
	char buf[READ_BYTES];
};

static void read_attributes(struct visit *v, const struct sqnode *node)
{
	static char value[SQXATTR_VALUE_MAX];
	char name[SQXATTR_NAME_MAX + 1];
	struct sqxattr x;

	if (sqxattr_open(v->img, node, &x) < 0)
		return;
	for (int i = 0; i < 20 && sqxattr_next(&x, name) > 0; i++) {
		FUZZ_ASSERT(!strncmp(name, "user.", 5) && strncmp(name, "user.overlay.", 13));
		FUZZ_ASSERT(sqxattr_value(&x, value) <= SQXATTR_VALUE_MAX);
	}
}

static void read_node(struct visit *v, uint64_t id)
{
	char target[SQLINK_MAX + 1];
	struct sqnode node;
	ssize_t n;

	if (v->n_nodes++ > NODES_MAX || sqimage_node(v->img, id, &node) < 0)
		return;
	read_attributes(v, &node);
	n = sqimage_readlink(v->img, &node, target);
	FUZZ_ASSERT(n <= SQLINK_MAX && (n < 0 || S_ISLNK(node.mode)));
	n = sqimage_read(v->img, &node, 0, v->buf, sizeof(v->buf));
	FUZZ_ASSERT(n <= (ssize_t)sizeof(v->buf) && (n < 0 || S_ISREG(node.mode)));
	(void)sqimage_read(v->img, &node, node.size / 2, v->buf, 3000);
	if (node.size > 1000)
		(void)sqimage_read(v->img, &node, node.size - 1000, v->buf, 2000);
	if (S_ISDIR(node.mode) && v->n_todo < TODO_MAX)
		v->todo[v->n_todo++] = id;
}

static void read_directory(struct visit *v, uint64_t id)
{
	struct sqentry ent;
	struct sqnode node, seen;
	struct sqdir it;
	uint64_t found;

	if (sqimage_node(v->img, id, &node) < 0 || sqdir_open(v->img, &node, 0, &it) < 0)
		return;
	while (v->n_nodes <= NODES_MAX && sqdir_next(&it, &ent) > 0) {
		FUZZ_ASSERT(ent.name_len <= SQNAME_MAX && strlen(ent.name) == ent.name_len);
		FUZZ_ASSERT(!strchr(ent.name, '/') && strcmp(ent.name, "..") != 0);
		(void)sqimage_lookup(v->img, &node, ent.name, &found);
		(void)originals_lookup(&v->originals, v->img, &node, ent.name, &found);
		if (originals_apply(&v->originals, id, &ent))
			(void)originals_node(&v->originals, v->img, ent.id, &seen);
		read_node(v, ent.id);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct visit v;
	int fd = memfd_create("image", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size ||
	    sqimage_open(fd, &v.img, NULL) < 0) {
		close(fd);
		return 0;
	}
	v.n_nodes = v.n_todo = 0;
	originals_find(v.img, &v.originals);
	read_node(&v, sqimage_root(v.img));
	while (v.n_todo)
		read_directory(&v, v.todo[--v.n_todo]);
	(void)sqimage_has_user_xattrs(v.img);
	sqimage_close(v.img);
	close(fd);
	return 0;
}
