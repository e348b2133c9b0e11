/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One program after the other in a container that is kept (INIT_LANE, runtime/start/lane.h). The
 * next one must find nothing of the last: no process, no id of a process that tells how many there
 * were, no System V object. The supervisor looks at files, sockets and queues.
 *
 * All processes of the namespace are pid 1's descendants, so none is left when it has no child. Where
 * it has one, kill(-1) reaches them all in one step that no fork can slip through; for that the kernel
 * looks at every process of the host.
 *
 * The kernel numbers System V objects in the order in which they are made, and does not take a
 * number back when one is removed. So init makes one of each kind itself and removes it: where the
 * number is not the one behind the last, something was made in between. A number is a place in a
 * table, of which the kernel uses 64 in turn, and above it how often it has been around.
 *
 * Where it is given a frozen interpreter it has that in its own memory, and a fork of it goes on
 * there when it has come to its execve. It is the memory of pid 1, which no program can see, write
 * or trace; a program has a copy, and with it what this program itself consists of.
 */
#include "runtime/helpers/init/init.h"
#include "runtime/helpers/init/abi/mem.h"
#include "runtime/helpers/init/abi/msg_check.h"
#include "runtime/helpers/init/warm.h"
#include "runtime/helpers/thaw/abi/image.h"

#define OBJECT_BYTES 4096
#define OBJECT_MODE 0600
#define LAST_PLACE 63u /* the kernel's ipc_min_cycle, less one */
#define PLACE_BITS 15
#define GET_AUXV 0x41555856 /* PR_GET_AUXV, since Linux 6.4 */
#define AUXV_WORDS 128
#define AT_SYSINFO_EHDR_ 33
#define OBJECT_REMOVE 0 /* IPC_RMID of <sys/ipc.h> */

static void make_objects(int ids[LANE_SYSV])
{
	ids[0] = (int)SYS_CALL(__NR_shmget, 0, OBJECT_BYTES, OBJECT_MODE, 0, 0, 0);
	ids[1] = (int)SYS_CALL(__NR_semget, 0, 1, OBJECT_MODE, 0, 0, 0);
	ids[2] = (int)SYS_CALL(__NR_msgget, 0, OBJECT_MODE, 0, 0, 0, 0);
	if (ids[0] >= 0)
		(void)SYS_CALL(__NR_shmctl, ids[0], OBJECT_REMOVE, 0, 0, 0, 0);
	if (ids[1] >= 0)
		(void)SYS_CALL(__NR_semctl, ids[1], 0, OBJECT_REMOVE, 0, 0, 0);
	if (ids[2] >= 0)
		(void)SYS_CALL(__NR_msgctl, ids[2], OBJECT_REMOVE, 0, 0, 0, 0);
}

/* A kernel without System V objects has none to leave. */
static bool follows(int last, int next)
{
	unsigned round = (unsigned)last >> PLACE_BITS, place = (unsigned)last % (1u << PLACE_BITS);

	if (last < 0 || next < 0)
		return last == -ENOSYS && next == -ENOSYS;
	return next == last + 1 ||
	       (place == LAST_PLACE && (unsigned)next == (round + 1) << PLACE_BITS);
}

static bool has_made_objects(struct init *in)
{
	int ids[LANE_SYSV];
	bool any = false;

	make_objects(ids);
	for (int i = 0; i < LANE_SYSV; i++) {
		any = any || !follows(in->lane_ids[i], ids[i]);
		in->lane_ids[i] = ids[i];
	}
	return any;
}

void lane_begin(struct init *in)
{
	make_objects(in->lane_ids);
	in->last_pid_fd = sys_openat(INIT_FD_PROC, "sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
}

static bool set_last_pid(const struct init *in)
{
	return SYS_CALL(__NR_pwrite64, in->last_pid_fd, "1", 1, 0, 0, 0) == 1;
}

void lane_empty(struct init *in, int waited)
{
	struct init_event *ev = &in->lane_end;
	struct rusage ru;
	int status;

	/* The others may take their time. */
	if (waited != -ECHILD && ev->type) {
		loop_send(in, ev, NULL);
		ev->type = 0;
	}
	while (waited >= 0 || waited == -EINTR) {
		(void)sys_kill(-1, SIGKILL);
		waited = sys_wait4(-1, &status, __WALL, &ru);
		if (waited > 0)
			child_changed(in, waited, status, &ru);
	}
	if (!ev->type)
		*ev = (struct init_event){.type = INIT_EV_EMPTIED};
	ev->arg = INIT_LANE_EMPTIED;
	if (has_made_objects(in) || !set_last_pid(in) || waited != -ECHILD || in->main_pid)
		ev->arg |= INIT_LANE_TOUCHED;
	loop_send(in, ev, NULL);
	ev->type = 0;
}

/*
 * --- a copy instead of an execve ------------------------------------------------------------------
 */

static uint64_t own_vdso(void)
{
	uint64_t auxv[AUXV_WORDS] = {0};
	long n = SYS_CALL(__NR_prctl, GET_AUXV, auxv, sizeof(auxv), 0, 0, 0);

	for (int i = 0; n > 0 && i + 1 < AUXV_WORDS && auxv[i]; i += 2) {
		if (auxv[i] == AT_SYSINFO_EHDR_)
			return auxv[i + 1];
	}
	return 0;
}

#if defined(__x86_64__)
void lane_warm(struct init *in, int fd)
{
	static struct thaw_image image;
	static bool is_tried; /* what was mapped then is in the way */

	if (!(in->flags & INIT_LANE) || in->main_pid || is_tried)
		return;
	is_tried = true;
	if (warm_read(fd, &image) >= 0 && warm_map(fd, &image, own_vdso()) >= 0 &&
	    warm_fill(&image) >= 0)
		in->warm = &image;
}

static int copy_words(const struct init_msg *m, struct warm_words *w)
{
	int r = 0;
	char *words = sys_mmap(m->argv.len + m->env.len, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, &r);

	if (!words)
		return r;
	memcpy(words, init_msg_at(m, m->argv), m->argv.len);
	memcpy(words + m->argv.len, init_msg_at(m, m->env), m->env.len);
	w->args = (uint64_t)words;
	w->env = w->args + m->argv.len;
	return 0;
}

/*
 * What execve(2) would do: its words, its one thread, its name, its descriptors. Words in memory
 * that is a file's are not shown in /proc.
 */
int lane_program(const struct payload *p)
{
	const struct init_msg *m = p->m;
	struct warm_words w = {
		.stack = p->warm->regs.rsp,
		.args = (uint64_t)init_msg_at(m, m->argv),
		.env = (uint64_t)init_msg_at(m, m->env),
	};
	int r = p->is_sent ? 0 : copy_words(m, &w);

	if (r < 0)
		return r;
	w.args_end = w.args + m->argv.len;
	w.env_end = w.env + m->env.len;
	r = warm_set_memory(p->warm, &w);
	if (r >= 0)
		r = warm_register(p->warm);
	if (r >= 0)
		r = sys_prctl(PR_SET_DUMPABLE, 1, 0);
	if (r < 0)
		return r;
	sys_prctl(PR_SET_NAME, (unsigned long)"python3", 0);
	/* The image's descriptor, and the status pipe, whose end says that the program runs. */
	(void)close_from(2 + m->n_keep_fds);
	warm_go_on(&p->warm->regs);
}
#else
void lane_warm(struct init *in, int fd)
{
	(void)in;
	(void)fd;
	(void)own_vdso;
}

int lane_program(const struct payload *p)
{
	(void)p;
	return -ENOSYS;
}
#endif
