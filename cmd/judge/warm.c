/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/warm.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/judge/container.h"
#include "cmd/judge/job.h"
#include "cmd/judge/judge.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/log.h"
#include "runtime/settings/paths.h"
#include "runtime/helpers/thaw/abi/image.h"

#define PROGRAM_BYTES_MAX (1u << 20)
#define TIMEOUT_MS 30000u /* a machine that is emulated or very busy takes ten seconds */
/*
 * A fork compiles the text: Python keeps the syntax tree of a text that it executes to the end, and a
 * compiler leaves holes between the objects that stay.
 */
#define FROZEN_CODE                                                          \
	"import marshal, posix\n"                                            \
	"r, w = posix.pipe()\n"                                              \
	"if not posix.fork():\n"                                             \
	"    with open(4, 'rb') as f, open(w, 'wb') as out:\n"               \
	"        marshal.dump(compile(f.read(), '<string>', 'exec'), out)\n" \
	"    posix._exit(0)\n"                                               \
	"posix.close(w)\n"                                                   \
	"posix.close(4)\n"                                                   \
	"with open(r, 'rb') as f:\n"                                         \
	"    code = f.read()\n"                                              \
	"posix.wait()\n"                                                     \
	"del r, w, f\n"                                                      \
	"exec(marshal.loads(code))\n"
#define PAGE_BYTES 4096u
#define JOIN_BLOCKS_MAX 64u
#define JOIN_PAGES_MIN 64u
#define MADV_COLLAPSE_ 25 /* since Linux 6.1; Debian 12's <sys/mman.h> lacks it */
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL)

static int read_program(const struct paths *paths, struct strbuf *out, struct err *e)
{
	_free_ char *path = paths_helper(paths, "csbx-thaw");

	return path ? io_read_path(path, PROGRAM_BYTES_MAX, out, e) : err_oom(e);
}

/*
 * Makes one piece of each block of the file that has many pages: the pages of a piece are mapped,
 * copied by fork(2) and given up together. A kernel that cannot do it (before Linux 6.1) leaves
 * them as they are.
 */
static void join_pages(int fd)
{
	static unsigned char pages[THAW_BLOCK_BYTES / PAGE_BYTES];
	struct stat st;
	uint64_t size = fstat(fd, &st) < 0 ? 0 : (uint64_t)st.st_size;
	char *space = mmap(NULL, 2 * (size_t)THAW_BLOCK_BYTES, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	char *block = (char *)(((uintptr_t)space + THAW_BLOCK_BYTES - 1) &
			       ~(uintptr_t)(THAW_BLOCK_BYTES - 1));

	if (space == MAP_FAILED)
		return;
	for (uint64_t i = 1; i < JOIN_BLOCKS_MAX && (i + 1) * THAW_BLOCK_BYTES <= size; i++) {
		unsigned n = 0;

		if (mmap(block, THAW_BLOCK_BYTES, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd,
			 (off_t)(i * THAW_BLOCK_BYTES)) != block ||
		    mincore(block, THAW_BLOCK_BYTES, pages) < 0)
			break;
		for (size_t k = 0; k < sizeof(pages); k++)
			n += pages[k] & 1u;
		if (n >= JOIN_PAGES_MIN && madvise(block, THAW_BLOCK_BYTES, MADV_COLLAPSE_) < 0)
			break;
	}
	munmap(space, 2 * (size_t)THAW_BLOCK_BYTES);
}

/* It ends by a signal of its own when it is done; only the head shows success. */
static bool freeze(const struct eval_warm *w, const struct eval_container *container)
{
	_close_ int text = eval_harness_fd(container->paths, EVAL_HARNESS_FROZEN, NULL);
	_close_ int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	_strv_ struct strv argv = STRV_INIT;
	const struct file_spec program = eval_warm_program(w);
	int fds[3 + EVAL_HARNESSES] = {nothing, text, w->fd};
	const struct eval_start start = {
		.argv = &argv,
		.files = &program,
		.n_files = 1,
		.keep_fds = fds,
		.n_keep_fds = sizeof(fds) / sizeof(fds[0]),
		.timeout_ms = TIMEOUT_MS,
	};
	struct eval_ended ended;
	uint64_t magic = 0;

	if (text < 0 || nothing < 0)
		return false;
	memcpy(fds + 3, w->harness_fds, sizeof(w->harness_fds));
	strv_add(&argv, "/" EVAL_WARM_PROGRAM);
	strv_add(&argv, "--freeze");
	strv_add(&argv, "5");
	strv_add(&argv, "python3");
	strv_add(&argv, "-c");
	strv_add(&argv, FROZEN_CODE);
	eval_start(container, &start, &ended);
	eval_ended_free(&ended);
	if (pread(w->fd, &magic, sizeof(magic), 0) != sizeof(magic) || magic != THAW_MAGIC ||
	    fcntl(w->fd, F_ADD_SEALS, SEALS) < 0)
		return false;
	join_pages(w->fd);
	return true;
}

/* A script that comes to its last statement, from it. */
static bool is_good(const struct eval_warm *w, const struct eval_container *container)
{
	struct eval_container warm = *container;
	struct eval_job job = {.has_code = true};
	struct eval_verdict verdict = {0};
	bool is_good;

	warm.warm = w;
	strbuf_add(&job.code, "import os\n", 10);
	is_good = eval_judge(&warm, &job, &verdict, NULL) >= 0 && verdict.completed == 1 &&
		  verdict.ended.result.status == RUN_EXITED && !verdict.ended.result.exit_code;
	eval_verdict_free(&verdict);
	eval_job_free(&job);
	return is_good;
}

static bool try_it(const struct eval_warm *w, const struct eval_container *container)
{
	struct container_spec spec = *container->spec;
	const struct eval_container own = {
		.paths = container->paths, .spec = &spec, .end_fd = container->end_fd};

	spec.limits.timeout_ms = TIMEOUT_MS;
	spec.capture_output = true;
	return freeze(w, &own) && is_good(w, &own);
}

void eval_warm_make(struct eval_warm *w, const struct eval_container *container)
{
	int status = 1;
	pid_t pid;

	if (!container->spec->proc.close_stdin ||
	    read_program(container->paths, &w->program, NULL) < 0)
		return;
	for (int i = 0; i < EVAL_HARNESSES; i++) {
		w->harness_fds[i] = eval_harness_fd(container->paths, (enum eval_harness)i, NULL);
		if (w->harness_fds[i] < 0)
			return;
	}
	w->fd = memfd_create("csbx-warm", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	pid = w->fd < 0 ? -1 : fork();
	if (!pid)
		_exit(!try_it(w, container));
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid < 0 || status) {
		log_trace("no warm interpreter: each run starts its own");
		fd_close(&w->fd);
	}
}

int eval_warm_adopt(struct eval_warm *w, const struct paths *paths, int fds[EVAL_WARM_ADOPT_FDS],
		    struct err *e)
{
	w->fd = take_fd(&fds[0]);
	for (int i = 0; i < EVAL_HARNESSES; i++)
		w->harness_fds[i] = take_fd(&fds[1 + i]);
	return read_program(paths, &w->program, e);
}

void eval_warm_free(struct eval_warm *w)
{
	fd_close(&w->fd);
	for (int i = 0; i < EVAL_HARNESSES; i++)
		fd_close(&w->harness_fds[i]);
	strbuf_free(&w->program);
}
