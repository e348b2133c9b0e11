/* SPDX-License-Identifier: Apache-2.0 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/enroot/verb/process_row.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "tests/unit/tap.h"

#define SEGMENTS 1100 /* headers of 64 KiB at most: execve(2) needs milliseconds for so many */
#define CODE_OFFSET 0x10000u
#define BASE 0x10000000u
#define ROUNDS_MAX 500
#define SEEN_ENOUGH 50

/* A program that waits for a signal, of one page that is mapped very often. */
static int make_slow_program(const char *path)
{
	static const unsigned char code[] = {0xb8, 34, 0, 0, 0, 0x0f, 0x05, 0xeb, 0xf7};
	static Elf64_Phdr segments[SEGMENTS];
	const Elf64_Ehdr head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					     ELFDATA2LSB, EV_CURRENT},
				 .e_type = ET_EXEC,
				 .e_machine = EM_X86_64,
				 .e_version = EV_CURRENT,
				 .e_entry = BASE,
				 .e_phoff = sizeof(head),
				 .e_ehsize = sizeof(head),
				 .e_phentsize = sizeof(segments[0]),
				 .e_phnum = SEGMENTS};
	static char page[4096];
	_close_ int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);

	for (unsigned i = 0; i < SEGMENTS; i++)
		segments[i] = (Elf64_Phdr){.p_type = PT_LOAD,
					   .p_flags = PF_R | PF_X,
					   .p_offset = CODE_OFFSET,
					   .p_vaddr = BASE + 2 * sizeof(page) * i,
					   .p_filesz = sizeof(page),
					   .p_memsz = sizeof(page),
					   .p_align = sizeof(page)};
	memcpy(page, code, sizeof(code));
	return fd >= 0 && pwrite(fd, &head, sizeof(head), 0) == sizeof(head) &&
	       pwrite(fd, segments, sizeof(segments), sizeof(head)) == sizeof(segments) &&
	       pwrite(fd, page, sizeof(page), CODE_OFFSET) == sizeof(page);
}

static bool has_its_name(pid_t pid)
{
	_free_ char *path = str_printf("/proc/%d/comm", (int)pid);
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	char name[16] = "";

	return fd >= 0 && read(fd, name, sizeof(name) - 1) > 0 && !strcmp(name, "slow\n");
}

/* The command of the first row that there is of it; *seen where it had its name and no row yet. */
static char *first_command(pid_t pid, bool *seen)
{
	struct process_row row;

	while (process_row_read(pid, 0, &row) < 0) {
		*seen |= has_its_name(pid);
		if (waitpid(pid, NULL, WNOHANG))
			return NULL;
	}
	return row.command;
}

static void test_a_program_that_starts(const char *directory)
{
	_free_ char *path = str_printf("%s/slow", directory);
	unsigned wrong = 0, seen = 0;

	ok(make_slow_program(path), "a program that is slow to start");
	for (unsigned i = 0; i < ROUNDS_MAX && seen < SEEN_ENOUGH && !wrong; i++) {
		_free_ char *command = NULL;
		bool is_seen = false;
		pid_t pid = fork();

		if (!pid) {
			execl(path, "the", "command", NULL);
			_exit(1);
		}
		command = first_command(pid, &is_seen);
		seen += is_seen;
		wrong += !command || !str_eq(command, "the command");
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	if (!wrong && !seen)
		tap_skip("this machine was never seen between the name and the words");
	else
		is_int(wrong, 0, "no row before it has its words");
	unlink(path);
}

static void test_a_process_that_ended(void)
{
	struct process_row row;
	pid_t pid = fork();
	siginfo_t info;

	if (!pid) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	is_int(process_row_read(pid, 0, &row), 0, "one that is not waited for yet has a row");
	is_str(row.state[0] == 'Z' ? row.command : NULL, "[true]", "and a name instead of words");
	free(row.command);
	waitpid(pid, NULL, 0);
	is_int(process_row_read(pid, 0, &row), -ESRCH, "then it is gone");
}

static void test_very_many_words(void)
{
	static char script[100000];
	struct process_row row;
	int in[2];
	pid_t pid;

	memset(script, '#', sizeof(script) - 1);
	memcpy(script, "read x\n", 7);
	ok(pipe2(in, O_CLOEXEC) == 0, "a pipe for a shell to wait at");
	pid = fork();
	if (!pid) {
		dup2(in[0], 0);
		execl("/bin/sh", "sh", "-c", script, NULL);
		_exit(1);
	}
	while (process_row_read(pid, 0, &row) < 0 && !waitpid(pid, NULL, WNOHANG))
		;
	is_str(row.command, "[sh]", "of a long script the shell's name is shown");
	free(row.command);
	close(in[1]);
	close(in[0]);
	waitpid(pid, NULL, 0);
}

int main(void)
{
	char path[TAP_PATH_SIZE] = "row";

	tap_mkdtemp(path);
#ifdef __x86_64__
	test_a_program_that_starts(path);
#else
	tap_skip("the program that is slow to start is of x86_64");
#endif
	test_a_process_that_ended();
	test_very_many_words();
	rmdir(path);
	return done_testing();
}
