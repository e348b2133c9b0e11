/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/start/spare.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/log.h"
#include "runtime/cgroup/batch_step.h"
#include "runtime/child/init_msg.h"
#include "runtime/helpers/init/abi/init_abi.h"
#include "runtime/kernel/local_socket.h"
#include "runtime/kernel/peer.h"
#include "runtime/settings/paths.h"
#include "runtime/start/container.h"
#include "runtime/start/container_setup.h"
#include "runtime/start/spare_key.h"

#define ANSWER_MS 50 /* of the maker, and of the spare: they only wait for us */
#define DEATH_MS 2000

static bool is_usual(const struct container_spec *s)
{
	const struct security_spec *sec = &s->sec;

	return s->rootfs.kind == ROOTFS_SQUASHFS && s->rootfs.upper != UPPER_KEPT &&
	       !s->rootfs.layers.n && !s->n_mounts && !s->hooks.n && !s->fetch.n &&
	       s->ns.net == NET_NONE && s->ns.ipc == IPC_PRIVATE && s->ns.pid == PID_PRIVATE &&
	       s->ns.uts == UTS_PRIVATE && s->ns.cgroup == CGROUPNS_PRIVATE && !s->ns.host_sys &&
	       !s->ns.host_dev && !(sec->caps & ~SPEC_CAPS_DEFAULT) && !sec->new_privs &&
	       !sec->seccomp_off && !sec->landlock_off && !sec->masks_off;
}

bool spare_is_possible(const struct container *c)
{
	const struct container_spec *s = c->spec;

	return c->hooks && c->hooks->spares != SPARES_NONE && c->paths->linger_ms &&
	       !c->paths->bundle && is_usual(s) && s->proc.tty == TTY_NO && !s->proc.n_keep_fds &&
	       !s->limits.memory_bytes && !s->limits.cpus_milli &&
	       (s->limits.pids_is_default || s->limits.pids == UINT64_MAX) &&
	       /* The name of a start without one is in its files. */
	       strcmp(s->ns.hostname, s->id) && !cgroup_batch_job() && geteuid() &&
	       !container_wants_disk_upper(c) && !s->capture_output;
}

bool spare_may_see(int pid)
{
	char path[40], text[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/user", pid);
	return readlink(path, text, sizeof(text)) > 0;
}

/* -ENOENT: no maker listens. */
static int reach(const struct container *c, const char *name, struct err *e)
{
	static const struct timeval patience = {.tv_usec = ANSWER_MS * 1000};
	_free_ char *dir = str_printf("%s/spares", c->paths->runtime);
	_close_ int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct sockaddr_un a;
	int r = dir ? local_socket_address(dir, -1, name, &a, e) : err_oom(e);

	if (r < 0)
		return r;
	if (sock < 0 ||
	    setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) < 0 ||
	    setsockopt(sock, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) < 0)
		return err_sys(e, "socket");
	if (connect(sock, (const struct sockaddr *)&a, sizeof(a)) < 0)
		return err_set(e, ENOENT, "no spare");
	return take_fd(&sock);
}

static int check_maker(int sock, struct err *e)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
		return err_sys(e, "peer of a socket");
	if (peer.uid != geteuid() || !spare_may_see(peer.pid))
		return err_set(e, EPERM, "spare: its maker is not as we are");
	return peer_check_client(sock, e);
}

static int receive(struct container *c, int sock, struct err *e)
{
	struct spare_reply reply;
	int fds[SPARE_GIVE_MAX];
	ssize_t n = fd_recv(sock, &reply, sizeof(reply), fds, SPARE_GIVE_MAX, e);

	if (n != sizeof(reply) || reply.magic != SPARE_MAGIC || fds[SPARE_GIVE_MAX - 1] < 0) {
		for (int i = 0; n >= 0 && i < SPARE_GIVE_MAX; i++)
			fd_close(&fds[i]);
		return err_set(e, ENOENT, "no spare");
	}
	c->spare.take_fd = fds[SPARE_GIVE_TAKE];
	c->control[0] = fds[SPARE_GIVE_CONTROL];
	c->pid1 = (struct launched){reply.pid, fds[SPARE_GIVE_PIDFD]};
	c->link.sock = fds[SPARE_GIVE_SERVER];
	c->link.server_pid = reply.server_pid;
	c->link.init_is_file = reply.init_is_file;
	memcpy(c->link.server, reply.server, sizeof(c->link.server));
	c->link.server[sizeof(c->link.server) - 1] = 0;
	return 0;
}

int spare_make_key(struct container *c, struct strbuf *message, struct err *e)
{
	const struct init_msg_params params = {.umask = 022};
	int r = c->read_layer.dir >= 0 ? err_set(e, EOPNOTSUPP, "spare: a kept layer is read")
				       : init_msg_build(c->spec, &c->map, &params, message, e);

	return r < 0 ? r : spare_key(c, message, &c->spare.key, e);
}

int spare_find(struct container *c, struct err *e)
{
	_strbuf_ struct strbuf message = STRBUF_INIT;
	_close_ int sock = -1;
	char name[SPARE_NAME_BYTES];
	int r = spare_make_key(c, &message, e);

	if (r < 0)
		return r;
	spare_key_name(&c->spare.key, name);
	sock = r = reach(c, name, e);
	if (r >= 0)
		r = check_maker(sock, e);
	if (r >= 0)
		r = fd_send(sock, c->spare.key.data, c->spare.key.len, NULL, 0, e);
	if (r >= 0)
		r = c->msg_fd = init_msg_memfd(&message, e);
	if (r >= 0)
		r = receive(c, sock, e);
	if (r >= 0)
		r = squashd_take_spare(c->link.sock, c->paths->linger_ms, e);
	if (r < 0)
		return r;
	c->spare.maker_fd = take_fd(&sock);
	return 1;
}

/* Killed, it runs nothing any more; what it has said before that counts. */
static int abandon(struct container *c, bool has_failed, struct err *e)
{
	struct pollfd p = {.fd = c->pid1.pidfd, .events = POLLIN},
		      said = {.fd = c->status[0], .events = POLLIN};
	char word;

	(void)syscall(SYS_pidfd_send_signal, c->pid1.pidfd, SIGKILL, NULL, 0);
	if (poll(&p, 1, DEATH_MS) <= 0)
		return err_set(e, ETIMEDOUT, "spare: its pid 1 cannot be ended");
	if (!has_failed && poll(&said, 1, 0) > 0 && read(c->status[0], &word, 1) == 1 && !word)
		return err_set(e, EIO, "spare: it ended as its program began");
	log_trace("the spare does not answer: a container is made");
	return err_set(e, EAGAIN, "spare: it has ended");
}

int spare_take(struct container *c, struct err *e)
{
	struct pollfd p = {.fd = c->status[0], .events = POLLIN};
	int fds[SPARE_FDS] = {[WORDS_FD_MSG] = c->msg_fd, [SPARE_FD_STATUS] = c->status[1]};
	char word = 0;
	int r;

	for (int i = 0; i < 3; i++)
		fds[WORDS_FD_STDIN + i] = c->streams.child[i] >= 0 ? c->streams.child[i] : i;
	r = squashd_spare_is_taken(c->link.sock, e);
	if (r >= 0)
		r = fd_send_patient(c->spare.take_fd, "", 1, fds, SPARE_FDS, e);
	streams_started(&c->streams);
	fd_close(&c->status[1]);
	fd_close(&c->spare.take_fd);
	if (r < 0 || poll(&p, 1, ANSWER_MS) <= 0 || read(c->status[0], &word, 1) != 1 || word)
		return abandon(c, word != 0, e);
	log_trace("a spare is taken");
	return 0;
}
