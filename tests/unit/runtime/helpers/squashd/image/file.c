/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The data of a file in images made here: blocks that are not compressed and lie about their size
 * or place, and frames of zstd that no writer of images makes. After each damaged block a good one
 * is read with what the decompressor has kept.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "runtime/helpers/squashd/image/sqahead.h"
#include "runtime/helpers/squashd/image/sqimage.h"
#include "runtime/helpers/squashd/image/sqsuper.h"
#include "tests/unit/tap.h"

#define BLOCK 4096u
#define STORED (1u << 24)
#define META_STORED 0x8000u
#define ZSTD 6
#define BLOCKS_MAX 4
#define DATA SQSUPER_BYTES /* where it begins */

/* One file, inode 0; its fragment, if it has one, is the image's only one. */
struct made {
	unsigned char data[5 * BLOCK];
	size_t data_bytes;
	uint64_t start, size;
	uint32_t headers[BLOCKS_MAX];
	unsigned n_headers;
	uint64_t fragment_start;
	uint32_t fragment_header, fragment_offset; /* header 0: it has none */
};

static unsigned char image[16 * BLOCK], content[BLOCKS_MAX * BLOCK];
static size_t image_bytes;

static void put(unsigned bytes, uint64_t v)
{
	while (bytes--) {
		image[image_bytes++] = (unsigned char)v;
		v >>= 8;
	}
}

static void put_inode(const struct made *m)
{
	put(2, (16 + 40 + 4 * m->n_headers) | META_STORED);
	put(2, 9); /* a file, in the long form */
	put(2, 0644);
	put(4, 0); /* owners */
	put(4, 0);
	put(4, 1);
	put(8, m->start);
	put(8, m->size);
	put(8, 0);
	put(4, 1);
	put(4, m->fragment_header ? 0 : SQNO_FRAGMENT);
	put(4, m->fragment_offset);
	put(4, SQNO_XATTRS);
	for (unsigned i = 0; i < m->n_headers; i++)
		put(4, m->headers[i]);
}

/* An entry in a metadata block, the list of one block behind it; returns where the list is. */
static uint64_t begin_table(unsigned entry_bytes)
{
	put(2, entry_bytes | META_STORED);
	return image_bytes + entry_bytes;
}

static void put_super(const struct made *m, const uint64_t tables[4])
{
	size_t end = image_bytes;

	image_bytes = 0;
	put(4, 0x73717368);
	put(4, 1);
	put(4, 0);
	put(4, BLOCK);
	put(4, m->fragment_header ? 1 : 0);
	put(2, ZSTD);
	put(2, 12);
	put(2, 0);
	put(2, 1);
	put(4, 4);
	put(8, 0);
	put(8, end);
	put(8, tables[0]);
	put(8, UINT64_MAX);
	for (int i = 1; i < 4; i++)
		put(8, tables[i]);
	put(8, UINT64_MAX);
	image_bytes = end;
}

static void make_image(const struct made *m)
{
	uint64_t tables[4]; /* ids, inodes, directories, fragments */
	uint64_t block;

	memcpy(image + DATA, m->data, m->data_bytes);
	image_bytes = DATA + m->data_bytes;
	tables[1] = image_bytes;
	put_inode(m);
	tables[2] = image_bytes;
	put(2, 1 | META_STORED);
	put(1, 0);
	block = image_bytes;
	tables[3] = begin_table(16);
	put(8, m->fragment_start);
	put(4, m->fragment_header);
	put(4, 0);
	put(8, block);
	block = image_bytes;
	tables[0] = begin_table(4);
	put(4, 0);
	put(8, block);
	put_super(m, tables);
}

static int open_image(const struct made *m, struct sqimage **img, struct sqnode *file)
{
	int fd = memfd_create("image", MFD_CLOEXEC);

	make_image(m);
	if (fd < 0 || write(fd, image, image_bytes) != (ssize_t)image_bytes ||
	    sqimage_open(fd, img, NULL) < 0 || sqimage_node(*img, 0, file) < 0) {
		printf("Bail out! no image\n");
		exit(1);
	}
	return fd;
}

static ssize_t read_once(const struct made *m, uint64_t offset, size_t len)
{
	static unsigned char buf[BLOCKS_MAX * BLOCK];
	struct sqimage *img;
	struct sqnode file;
	int fd = open_image(m, &img, &file);
	ssize_t n = sqimage_read(img, &file, offset, buf, len);

	sqimage_close(img);
	close(fd);
	if (n > 0 && memcmp(buf, content + offset, (size_t)n) != 0)
		return -EILSEQ; /* something, but not the file */
	return n;
}

static void fill_content(void)
{
	for (size_t i = 0; i < sizeof(content); i++)
		content[i] = (unsigned char)(i % 251 + i / BLOCK);
}

/* Two blocks and a part of a third, as they are. */
static struct made stored_file(void)
{
	struct made m = {.data_bytes = 2 * BLOCK + 100,
			 .start = DATA,
			 .size = 2 * BLOCK + 100,
			 .headers = {BLOCK | STORED, BLOCK | STORED, 100 | STORED},
			 .n_headers = 3};

	memcpy(m.data, content, m.data_bytes);
	return m;
}

static void stored_good(void)
{
	static const uint64_t offsets[] = {0, 1, 4095, 4096, 4097, 8191, 8192, 8291, 8292};
	static const size_t lens[] = {1, 99, 4095, 4096, 4097, 10000};
	struct made m = stored_file();
	unsigned wrong = 0;

	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		for (size_t j = 0; j < sizeof(lens) / sizeof(lens[0]); j++) {
			size_t left = (size_t)(m.size - offsets[i]);

			wrong += read_once(&m, offsets[i], lens[j]) !=
				 (ssize_t)(lens[j] < left ? lens[j] : left);
		}
	}
	is_int(wrong, 0, "stored blocks: any part of the file");
	m.headers[2] = 101 | STORED;
	is_int(read_once(&m, 2 * BLOCK, 100), 100, "a tail whose block has a byte more");
	m = stored_file();
	m.headers[1] = STORED;
	memset(content + BLOCK, 0, BLOCK);
	memcpy(m.data + BLOCK, m.data + 2 * BLOCK, 100);
	is_int(read_once(&m, 100, 9000), 2 * BLOCK, "a hole between them");
	fill_content();
}

static void stored_lies(void)
{
	struct made m = stored_file();

	m.headers[1] = (BLOCK + 1) | STORED;
	is_int(read_once(&m, BLOCK, 1), -EIO, "a stored block larger than a block");
	m.headers[1] = (BLOCK - 1) | STORED;
	is_int(read_once(&m, BLOCK, 1), -EIO, "smaller than the file needs");
	is_int(read_once(&m, 0, BLOCK), BLOCK, "the one before it is as it was");
	m.headers[1] = 0xffffffu | STORED;
	is_int(read_once(&m, 2 * BLOCK, 1), -EIO, "so large that the next is beyond the end");
	m = stored_file();
	m.start = 95;
	is_int(read_once(&m, 10, 1), -EIO, "in the super block");
	make_image(&m);
	m.start = image_bytes;
	is_int(read_once(&m, 0, 1), -EIO, "at the end");
	m.start = image_bytes - BLOCK + 1;
	is_int(read_once(&m, BLOCK - 1, 1), -EIO, "its last byte beyond the end");
	is_int(read_once(&m, 0, 1), -EIO, "nor is its first byte read");
	m.start = UINT64_MAX - 9;
	is_int(read_once(&m, 20, 1), -EIO, "at a place that wraps around");
	is_int(read_once(&m, BLOCK, 1), -EIO, "before one that does");
}

static void stored_fragment(void)
{
	struct made m = {.data_bytes = 2 * BLOCK,
			 .start = DATA,
			 .size = BLOCK + 100,
			 .headers = {BLOCK | STORED},
			 .n_headers = 1,
			 .fragment_start = DATA + BLOCK,
			 .fragment_header = 200 | STORED,
			 .fragment_offset = 100};

	memcpy(m.data, content, BLOCK);
	memcpy(m.data + BLOCK + 100, content + BLOCK, 100);
	is_int(read_once(&m, BLOCK - 1, 5000), 101, "a block and a fragment");
	m.fragment_offset = 101;
	is_int(read_once(&m, BLOCK, 1), -EIO, "a tail that ends behind its fragment");
	m.fragment_offset = UINT32_MAX;
	is_int(read_once(&m, BLOCK, 1), -EIO, "begins behind it");
	m.fragment_offset = 100;
	m.fragment_header = (BLOCK + 1) | STORED;
	is_int(read_once(&m, BLOCK, 1), -EIO, "a fragment larger than a block");
	m.fragment_header = 200 | STORED;
	m.fragment_start = 0;
	is_int(read_once(&m, BLOCK, 1), -EIO, "in the super block");
	m.fragment_start = UINT64_MAX - 9;
	is_int(read_once(&m, BLOCK, 1), -EIO, "at a place that wraps around");
}

/*
 * --- frames of zstd ----------------------------------------------------------------------------
 */

struct frame {
	unsigned char bytes[BLOCK];
	size_t n;
};

static struct frame compressed(const void *from, size_t n)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();
	struct frame f;

	ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
	f.n = ZSTD_compress2(c, f.bytes, sizeof(f.bytes), from, n);
	ZSTD_freeCCtx(c);
	return f;
}

static void append(struct frame *f, const void *bytes, size_t n)
{
	memcpy(f->bytes + f->n, bytes, n);
	f->n += n;
}

/* A header by hand and one block of it, n bytes of the content as they are (RFC 8878, 3.1.1). */
static struct frame by_hand(const char *header, size_t header_bytes, size_t n)
{
	uint32_t block = (uint32_t)n << 3 | 1;
	struct frame f = {.n = 0};

	append(&f, "\x28\xb5\x2f\xfd", 4);
	append(&f, header, header_bytes);
	append(&f, (unsigned char[]){block & 0xff, block >> 8 & 0xff, block >> 16}, 3);
	append(&f, content, n);
	return f;
}

/* A block of a file of that size; behind it a good one, which the file has afterwards. */
static void expect(const struct frame *f, size_t size, ssize_t want, const char *what)
{
	static unsigned char buf[BLOCK];
	struct frame good = compressed(content + BLOCK, 1000);
	struct made m = {.data_bytes = f->n + good.n,
			 .start = DATA,
			 .size = BLOCK + 1000,
			 .headers = {(uint32_t)f->n, (uint32_t)good.n},
			 .n_headers = 2};
	struct sqimage *img;
	struct sqnode file;
	int fd;

	memcpy(m.data, f->bytes, f->n);
	memcpy(m.data + f->n, good.bytes, good.n);
	fd = open_image(&m, &img, &file);
	file.size = size;
	is_int(sqimage_read(img, &file, 0, buf, sizeof(buf)), want, "zstd: %s", what);
	file.size = m.size;
	ok(want < 0 || !memcmp(buf, content, (size_t)want), "its content");
	ok(sqimage_read(img, &file, BLOCK, buf, 1000) == 1000 &&
		   !memcmp(buf, content + BLOCK, 1000),
	   "a good block after it");
	sqimage_close(img);
	close(fd);
}

static void damaged_frames(void)
{
	struct frame f = compressed(content, BLOCK);

	expect(&f, BLOCK, BLOCK, "a frame as it should be");
	f.n--;
	expect(&f, BLOCK, -EIO, "cut in its checksum");
	f.n = 20;
	expect(&f, BLOCK, -EIO, "cut in a block");
	f.n = 5;
	expect(&f, BLOCK, -EIO, "cut in the header");
	f = compressed(content, BLOCK);
	f.bytes[f.n - 1] ^= 1;
	expect(&f, BLOCK, -EIO, "a wrong checksum");
	f = compressed(content, BLOCK);
	f.bytes[0] ^= 1;
	expect(&f, BLOCK, -EIO, "not zstd");
	f = compressed(content, sizeof(content));
	expect(&f, BLOCK, -EIO, "more than a block");
	f = compressed(content, BLOCK - 1);
	expect(&f, BLOCK, -EIO, "less than the file needs");
}

static void odd_headers(void)
{
	struct frame f = by_hand("\x20\xc8", 2, 200);

	expect(&f, 200, 200, "a header of the least size");
	f = by_hand("\x20\xc7", 2, 200);
	expect(&f, 200, -EIO, "a content size that is too small");
	f = by_hand("\x20\xc9", 2, 200);
	expect(&f, 200, -EIO, "too large");
	f = by_hand("\xe0\xff\xff\xff\xff\xff\xff\xff\x7f", 9, 200);
	expect(&f, 200, -EIO, "absurd");
	f = by_hand("\x21\x07\xc8", 3, 200);
	expect(&f, 200, -EIO, "a dictionary");
	f = by_hand("\x28\xc8", 2, 200);
	expect(&f, 200, -EIO, "a reserved bit");
	f = by_hand("\x00\xa8", 2, 200);
	expect(&f, 200, 200, "a window of 2 GiB for 200 bytes");
	f = by_hand("\x00\xff", 2, 200);
	expect(&f, 200, -EIO, "a window that no machine has");
}

/* Frames that zstd's own library reads, and the kernel does not. */
static void odd_frames(void)
{
	struct frame f = by_hand("\x20\xc8", 2, 200), g = compressed(content + 200, 100);

	append(&f, g.bytes, g.n);
	expect(&f, 200, 200, "of two frames the first");
	expect(&f, 300, -EIO, "the second is not read");
	f = by_hand("\x20\xc8", 2, 200);
	append(&f, "junk", 4);
	expect(&f, 200, 200, "something behind the frame");
	f = (struct frame){.n = 0};
	append(&f, "\x50\x2a\x4d\x18\x03\x00\x00\x00...", 11);
	expect(&f, 200, -EIO, "a frame to skip");
	g = by_hand("\x20\xc8", 2, 200);
	append(&f, g.bytes, g.n);
	expect(&f, 200, -EIO, "with one behind it");
	f = (struct frame){.n = 0};
	append(&f, "\x27\xb5\x2f\xfd\x20\xc8\x40\x00\xc8", 9);
	append(&f, content, 200);
	append(&f, "\xc0\x00\x00", 3);
	expect(&f, 200, -EIO, "a frame of zstd 0.7");
}

/*
 * --- with the thread beside --------------------------------------------------------------------
 */

static int confined(struct err *e)
{
	(void)e;
	return 0;
}

/* Four blocks: two of zstd, one as it is, one damaged. */
static struct made mixed_file(void)
{
	struct made m = {.start = DATA, .size = sizeof(content), .n_headers = BLOCKS_MAX};

	for (unsigned i = 0; i < BLOCKS_MAX; i++) {
		struct frame f = compressed(content + i * BLOCK, BLOCK);

		if (i == 1)
			memcpy(f.bytes, content + i * BLOCK, f.n = BLOCK);
		if (i == 3)
			f.bytes[f.n - 1] ^= 1;
		m.headers[i] = (uint32_t)f.n | (i == 1 ? STORED : 0);
		memcpy(m.data + m.data_bytes, f.bytes, f.n);
		m.data_bytes += f.n;
	}
	return m;
}

/* Each has a decompressor of its own: both work at once, on good blocks and on the damaged one. */
static void with_ahead(void)
{
	struct made m = mixed_file();
	unsigned char buf[BLOCK];
	unsigned wrong = 0;

	for (int n = 0; n < 100; n++) {
		struct sqahead *a = sqahead_new(confined);
		struct sqimage *img;
		struct sqnode file;
		int fd = open_image(&m, &img, &file);

		wrong += !a || !sqahead_is_confined(a);
		sqimage_set_ahead(img, a);
		for (unsigned i = 0; i < BLOCKS_MAX; i++) {
			ssize_t got = sqimage_read(img, &file, i * BLOCK, buf, BLOCK);

			wrong += i == 3 ? got != -EIO
					: got != BLOCK ||
						  memcmp(buf, content + i * BLOCK, BLOCK) != 0;
		}
		sqahead_free(a);
		sqimage_close(img);
		close(fd);
	}
	is_int(wrong, 0, "blocks made ahead beside blocks made now");
}

int main(void)
{
	fill_content();
	stored_good();
	stored_lies();
	stored_fragment();
	damaged_frames();
	odd_headers();
	odd_frames();
	with_ahead();
	return done_testing();
}
