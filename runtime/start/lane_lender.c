/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lender of lanes of one key. It sleeps in poll(2); what it waits for is a borrower, what a
 * borrower says, the end of one, of a lane, of the image server or the batch step, and the time to
 * leave.
 */
#include "runtime/start/lane_loan.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/fd.h"
#include "runtime/cgroup/batch_step.h"
#include "runtime/cgroup/memory_left.h"
#include "runtime/kernel/local_socket.h"
#include "runtime/settings/paths.h"
#include "runtime/spec/name.h"
#include "runtime/start/lane.h"
#include "runtime/start/lane_loan_priv.h"
#include "runtime/start/lane_priv.h"
#include "runtime/start/spare_key.h"
#include "runtime/start/spare_place.h"

#define SEATS 4u                             /* more take memory that the user may want */
#define MEMORY_LEFT_MIN (UINT64_C(64) << 20) /* several times what one takes */
#define ASK_MS 100
#define BACKLOG 16

/* A lane, and the connection of its borrower. */
struct seat {
	struct lane *lane; /* NULL: none */
	struct container_spec spec;
	char id[NAME_ID_DIGITS + 1];
	int sock; /* -1: it is not lent */
};

struct lane_lender {
	char name[SPARE_NAME_BYTES];
	int dirfd, lock_fd, listen_fd, signal_fd, step_fd;
	int asker_fd; /* of the one that has asked it to leave: open until it has; -1: none has */
	const struct lane_stock *stock;
	struct seat seats[SEATS];
	unsigned most;   /* so many may be open; 0: none can be had */
	unsigned wanted; /* so many borrowers there have been at a time */
	bool is_leaving;
	uint64_t leave_at_ms;
};

/*
 * --- its lanes ------------------------------------------------------------------------------------
 */

static void close_seat(struct seat *s)
{
	lane_close(&s->lane);
	fd_close(&s->sock);
}

static struct seat *free_lane(struct lane_lender *m)
{
	for (unsigned i = 0; i < SEATS; i++) {
		if (m->seats[i].lane && m->seats[i].sock < 0)
			return &m->seats[i];
	}
	return NULL;
}

static int open_seat(const struct lane_stock *stock, struct seat *s)
{
	int r = name_new_id(s->id, NULL);

	s->spec = *stock->spec;
	s->spec.id = s->id;
	if (r >= 0)
		r = lane_open(&s->spec, stock->paths, stock->file, stock->warm, true, &s->lane,
			      NULL);
	/* Making containers makes it unreadable: a borrower looks into us. */
	(void)prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	return r;
}

/* Opens a lane where one has been closed, or a borrower has found none free. */
static void open_one(struct lane_lender *m)
{
	unsigned n = 0;
	struct seat *empty = NULL;

	for (unsigned i = 0; i < SEATS; i++) {
		n += m->seats[i].lane != NULL;
		if (!m->seats[i].lane)
			empty = &m->seats[i];
	}
	if (n >= m->most || n >= m->wanted || cgroup_memory_left() < MEMORY_LEFT_MIN)
		return;
	if (open_seat(m->stock, empty) < 0)
		m->most = n; /* those that are there are lent on */
}

/*
 * --- loans ----------------------------------------------------------------------------------------
 */

/* 0: so many descriptors do not go into one message. */
static size_t list_fds(const struct lane *l, int fds[FD_PASS_MAX], struct lane_reply *reply)
{
	const struct watchdog_view *v = &l->view;
	const size_t sysv = v->sysv_fds[0] >= 0 ? WATCHDOG_SYSV : 0;
	size_t n = LANE_LOAN_VIEW;

	if (n + sysv + v->n_tmpfs > FD_PASS_MAX)
		return 0;
	fds[LANE_LOAN_CONTROL] = l->c.control[0];
	fds[LANE_LOAN_PIDFD] = l->c.pid1.pidfd;
	fds[LANE_LOAN_SERVER] = l->c.link.sock;
	fds[LANE_LOAN_MESSAGE] = l->c.msg_fd;
	fds[LANE_LOAN_UPPER] = l->state.upper_fd;
	fds[LANE_LOAN_PROC] = v->proc_fd;
	for (size_t i = 0; i < sysv; i++)
		fds[n++] = v->sysv_fds[i];
	for (unsigned i = 0; i < v->n_tmpfs; i++)
		fds[n++] = v->tmpfs_fds[i];
	reply->has_lane = true;
	reply->has_sysv = sysv;
	reply->n_tmpfs = v->n_tmpfs;
	reply->init_is_file = l->c.link.init_is_file;
	reply->server_pid = l->c.link.server_pid;
	reply->pid = l->c.pid1.pid;
	reply->missed = l->c.limits.missed;
	return n;
}

static void lend(struct lane_lender *m, int sock)
{
	const struct lane_stock *stock = m->stock;
	struct lane_reply reply = {.magic = LANE_LOAN_MAGIC};
	struct seat *s = free_lane(m);
	int fds[FD_PASS_MAX];
	size_t n = s ? list_fds(s->lane, fds, &reply) : 0;

	if (fd_send(sock, &reply, sizeof(reply), fds, n, NULL) < 0 ||
	    fd_send(sock, &reply.magic, sizeof(reply.magic), stock->fds, stock->n_fds, NULL) < 0) {
		close(sock);
		if (n) /* it may have a part of it */
			close_seat(s);
		return;
	}
	if (!n) {
		close(sock);
		m->wanted += m->wanted < SEATS && !s;
		return;
	}
	fd_close(&s->lane->c.control[0]);
	s->sock = sock;
}

static void accept_one(struct lane_lender *m)
{
	static const struct timeval patience = {.tv_usec = ASK_MS * 1000};
	static char text[SPARE_KEY_MAX + 1];
	const struct strbuf *key = m->stock->key;
	const struct lane_word leave = {LANE_LOAN_MAGIC, LANE_WORD_LEAVE};
	_close_ int sock = accept4(m->listen_fd, NULL, NULL, SOCK_CLOEXEC);
	ssize_t n;

	if (sock < 0 || !lane_loan_peer_is_same(sock) ||
	    setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) < 0 ||
	    setsockopt(sock, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) < 0)
		return;
	n = recv(sock, text, sizeof(text), 0);
	if (n == sizeof(leave) && !memcmp(text, &leave, sizeof(leave)))
		m->asker_fd = take_fd(&sock);
	else if (m->asker_fd < 0 && n > 0 && (size_t)n == key->len &&
		 !memcmp(text, key->data, key->len))
		lend(m, take_fd(&sock));
}

/* What its borrower says; a lane that has not come back as it should is closed. */
static void hear(struct seat *s)
{
	struct lane_word word = {0};
	int control = -1;
	ssize_t n = fd_recv(s->sock, &word, sizeof(word), &control, 1, NULL);
	bool is_same = n == sizeof(word) && word.magic == LANE_LOAN_MAGIC &&
		       lane_state_is_same(&s->lane->state);

	if (is_same && word.type == LANE_WORD_BACK && control >= 0) {
		s->lane->c.control[0] = take_fd(&control);
		fd_close(&s->sock);
		return;
	}
	word.type = LANE_WORD_SAME;
	if (!is_same || control >= 0 ||
	    fd_try_send(s->sock, &word, sizeof(word), NULL, 0, NULL) < 0)
		close_seat(s);
	fd_close(&control);
}

/*
 * --- waiting --------------------------------------------------------------------------------------
 */

enum { WAIT_LISTEN, WAIT_SIGNAL, WAIT_STEP, WAIT_SEATS };
enum { WAIT_BORROWER, WAIT_PID1, WAIT_SERVER, WAITS_OF_A_SEAT };

static bool any_is_lent(const struct lane_lender *m)
{
	for (unsigned i = 0; i < SEATS; i++) {
		if (m->seats[i].sock >= 0)
			return true;
	}
	return false;
}

static void fill_waits(const struct lane_lender *m, struct pollfd *p)
{
	p[WAIT_LISTEN] = (struct pollfd){.fd = m->listen_fd, .events = POLLIN};
	p[WAIT_SIGNAL] = (struct pollfd){.fd = m->signal_fd, .events = POLLIN};
	p[WAIT_STEP] = (struct pollfd){.fd = m->step_fd, .events = POLLIN};
	for (unsigned i = 0; i < SEATS; i++) {
		const struct seat *s = &m->seats[i];
		struct pollfd *of = p + WAIT_SEATS + (size_t)i * WAITS_OF_A_SEAT;
		bool is_idle = s->lane && s->sock < 0; /* else its borrower sees the rest */

		of[WAIT_BORROWER] = (struct pollfd){.fd = s->sock, .events = POLLIN};
		of[WAIT_PID1] = (struct pollfd){.fd = is_idle ? s->lane->c.pid1.pidfd : -1,
						.events = POLLIN};
		of[WAIT_SERVER] = (struct pollfd){.fd = is_idle ? s->lane->c.link.sock : -1,
						  .events = POLLIN};
	}
}

static void look_at_seats(struct lane_lender *m, const struct pollfd *p)
{
	for (unsigned i = 0; i < SEATS; i++) {
		const struct pollfd *of = p + WAIT_SEATS + (size_t)i * WAITS_OF_A_SEAT;
		struct seat *s = &m->seats[i];

		m->is_leaving = m->is_leaving || of[WAIT_SERVER].revents;
		if (of[WAIT_BORROWER].revents)
			hear(s);
		else if (of[WAIT_PID1].revents)
			close_seat(s);
	}
}

/* False: time to leave. */
static bool wait_and_serve(struct lane_lender *m)
{
	struct pollfd p[WAIT_SEATS + SEATS * WAITS_OF_A_SEAT];
	const uint64_t now_ms = clock_monotonic_ms();
	bool is_lent = any_is_lent(m);

	if (!is_lent && (m->is_leaving || m->asker_fd >= 0 || now_ms >= m->leave_at_ms))
		return false;
	fill_waits(m, p);
	if (poll(p, sizeof(p) / sizeof(p[0]), is_lent ? -1 : (int)(m->leave_at_ms - now_ms)) < 0)
		return errno == EINTR;
	if (p[WAIT_SIGNAL].revents || p[WAIT_STEP].revents)
		return false;
	look_at_seats(m, p);
	if (p[WAIT_LISTEN].revents)
		accept_one(m);
	if (p[WAIT_LISTEN].revents || is_lent)
		m->leave_at_ms = clock_monotonic_ms() + m->stock->paths->linger_ms;
	open_one(m);
	return true;
}

static int begin_listening(struct lane_lender *m)
{
	_close_ int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un a;

	(void)unlinkat(m->dirfd, m->name, 0);
	if (sock < 0 || local_socket_address(NULL, m->dirfd, m->name, &a, NULL) < 0 ||
	    bind(sock, (const struct sockaddr *)&a, sizeof(a)) < 0 || listen(sock, BACKLOG) < 0)
		return -EIO;
	m->listen_fd = take_fd(&sock);
	return 0;
}

struct lane_lender *lane_lender_new(const struct strbuf *key, const struct paths *paths)
{
	struct lane_lender *m = calloc(1, sizeof(*m));
	sigset_t none;

	if (!m)
		return NULL;
	sigemptyset(&none);
	(void)prctl(PR_SET_NAME, "csbx-lanes");
	spare_key_name(key, m->name);
	m->step_fd = batch_step_open();
	fd_keep_only(&m->step_fd, m->step_fd >= 0);
	m->step_fd = m->step_fd >= 0 ? 3 : -1;
	m->listen_fd = m->lock_fd = m->signal_fd = m->asker_fd = -1;
	for (unsigned i = 0; i < SEATS; i++)
		m->seats[i].sock = -1;
	if (setsid() < 0 || chdir("/") < 0 || sigprocmask(SIG_SETMASK, &none, NULL) < 0)
		return NULL;
	m->dirfd = paths_open(paths->runtime, "lanes", NULL);
	m->lock_fd = m->dirfd < 0 ? -1 : spare_place_take(m->dirfd, m->name, NULL);
	if (m->lock_fd < 0)
		return NULL;
	(void)signal(SIGPIPE, SIG_IGN);
	m->leave_at_ms = clock_monotonic_ms() + paths->linger_ms;
	return m;
}

static void begin_leaving_by_signals(struct lane_lender *m)
{
	sigset_t leave;

	sigemptyset(&leave);
	sigaddset(&leave, SIGTERM);
	sigaddset(&leave, SIGINT);
	sigaddset(&leave, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &leave, NULL) == 0)
		m->signal_fd = signalfd(-1, &leave, SFD_CLOEXEC);
}

void lane_lender_stay(struct lane_lender *m, const struct lane_stock *stock)
{
	m->stock = stock;
	m->most = stock->warm->fd >= 0 ? SEATS : 0;
	begin_leaving_by_signals(m);
	m->leave_at_ms = clock_monotonic_ms() + stock->paths->linger_ms;
	m->wanted = 1;
	open_one(m);
	(void)prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	if (stock->warm->fd < 0 || begin_listening(m) >= 0) {
		while (wait_and_serve(m))
			;
	}
	if (m->listen_fd >= 0)
		(void)unlinkat(m->dirfd, m->name, 0);
	fd_close(&m->listen_fd);
	for (unsigned i = 0; i < SEATS; i++)
		close_seat(&m->seats[i]);
	spare_place_leave(m->dirfd, m->name);
	fd_close(&m->asker_fd);
}

/*
 * --- for gc ---------------------------------------------------------------------------------------
 */

static void ask_to_leave(int dirfd, const char *name)
{
	const struct lane_word leave = {LANE_LOAN_MAGIC, LANE_WORD_LEAVE};
	_close_ int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct pollfd p = {.fd = sock, .events = POLLIN};
	struct sockaddr_un a;

	if (sock >= 0 && local_socket_address(NULL, dirfd, name, &a, NULL) >= 0 &&
	    connect(sock, (const struct sockaddr *)&a, sizeof(a)) == 0 &&
	    lane_loan_peer_is_same(sock) &&
	    fd_send(sock, &leave, sizeof(leave), NULL, 0, NULL) >= 0)
		(void)poll(&p, 1, ASK_MS);
}

void lane_loan_sweep(const struct paths *paths, bool leave)
{
	_free_ char *path = str_printf("%s/lanes", paths->runtime);
	int fd = path ? open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *d;

	if (!dir) {
		fd_close(&fd);
		return;
	}
	(void)spare_place_sweep(fd);
	while (leave && (d = readdir(dir))) {
		if (str_has_suffix(d->d_name, ".sock"))
			ask_to_leave(fd, d->d_name);
	}
	closedir(dir);
}
