/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/start/lane_loan.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/base/fd.h"
#include "runtime/kernel/local_socket.h"
#include "runtime/kernel/peer.h"
#include "runtime/settings/paths.h"
#include "runtime/spec/flat.h"
#include "runtime/start/lane.h"
#include "runtime/start/lane_loan_priv.h"
#include "runtime/start/lane_priv.h"
#include "runtime/start/spare.h"
#include "runtime/start/spare_key.h"

#define ANSWER_MS 100 /* a container takes no longer to be made */

/*
 * --- the key --------------------------------------------------------------------------------------
 */

/* The specification less what each run has of its own. */
static int add_spec(const struct container_spec *spec, struct strbuf *out, struct err *e)
{
	struct container_spec s = *spec;

	s.id = NULL;
	s.limits.timeout_ms = 0;
	s.limits.timeout_is_default = s.limits.memory_is_default = false;
	s.limits.output_bytes = s.limits.output_kill_bytes = 0;
	return spec_flat_write(&s, out, e);
}

static int add_start(const struct container_spec *spec, const struct paths *paths,
		     struct strbuf *out, struct err *e)
{
	_strbuf_ struct strbuf message = STRBUF_INIT;
	struct container c;
	int r;

	container_init(&c, spec, paths);
	c.is_spare = c.spare.is_wanted = true; /* neither an instance nor a server for a key */
	r = container_prepare_root(&c, false, e);
	if (r >= 0)
		r = spare_make_key(&c, &message, e);
	if (r >= 0)
		strbuf_add(out, c.spare.key.data, c.spare.key.len);
	container_done(&c);
	return r;
}

int lane_loan_key(const struct container_spec *spec, const struct paths *paths, const void *own,
		  size_t own_len, struct strbuf *ret, struct err *e)
{
	struct container_spec s = *spec;
	int r;

	s.capture_output = true; /* each program of a lane has streams of its own */
	if (!lane_is_possible(&s) || !paths->linger_ms || paths->bundle || !geteuid())
		return err_set(e, EOPNOTSUPP, "no lane of such a container is lent");
	strbuf_reset(ret);
	strbuf_add(ret, own, own_len);
	r = add_spec(&s, ret, e);
	if (r >= 0)
		r = add_start(&s, paths, ret, e);
	if (r >= 0)
		r = strbuf_check(ret, e);
	if (r >= 0 && ret->len > SPARE_KEY_MAX)
		r = err_set(e, EOPNOTSUPP, "a specification of too many words");
	return r;
}

/*
 * --- a borrower -----------------------------------------------------------------------------------
 */

bool lane_loan_peer_is_same(int sock)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 &&
	       peer.uid == geteuid() && spare_may_see(peer.pid) &&
	       peer_check_client(sock, NULL) >= 0;
}

static int reach(const struct strbuf *key, const struct paths *paths, struct err *e)
{
	static const struct timeval patience = {.tv_usec = ANSWER_MS * 1000};
	_free_ char *dir = str_printf("%s/lanes", paths->runtime);
	_close_ int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	char name[SPARE_NAME_BYTES];
	struct sockaddr_un a;
	int r;

	spare_key_name(key, name);
	r = dir ? local_socket_address(dir, -1, name, &a, e) : err_oom(e);
	if (r < 0)
		return r;
	if (sock < 0 ||
	    setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) < 0 ||
	    setsockopt(sock, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) < 0)
		return err_sys(e, "socket");
	if (connect(sock, (const struct sockaddr *)&a, sizeof(a)) < 0)
		return err_set(e, ENOENT, "no lane is lent");
	if (!lane_loan_peer_is_same(sock))
		return err_set(e, EPERM, "the lender of lanes is not as we are");
	return take_fd(&sock);
}

static void close_all(int *fds, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fd_close(&fds[i]);
}

static void take_view(struct watchdog_view *v, const struct lane_reply *reply, int *fds)
{
	unsigned i = LANE_LOAN_VIEW;

	v->proc_fd = take_fd(&fds[LANE_LOAN_PROC]);
	for (unsigned k = 0; reply->has_sysv && k < WATCHDOG_SYSV; k++)
		v->sysv_fds[k] = take_fd(&fds[i++]);
	while (i < FD_PASS_MAX && v->n_tmpfs < reply->n_tmpfs && v->n_tmpfs < WATCHDOG_TMPFS_MAX)
		v->tmpfs_fds[v->n_tmpfs++] = take_fd(&fds[i++]);
}

/* The limits are ours, and held as the lender's are. */
static int take_limits(struct container *c, const struct lane_reply *reply, struct err *e)
{
	int r = userns_map_for(spec_map_uid(c->spec), spec_map_gid(c->spec), c->spec->ns.userns,
			       &c->map, e);

	return r < 0 ? r
		     : container_limits_without_group(&c->limits, c->spec, c->paths, &c->map,
						      &reply->missed, e);
}

static int take_lane(struct lane *l, const struct lane_reply *reply, int *fds, struct err *e)
{
	struct container *c = &l->c;
	int r;

	c->control[0] = take_fd(&fds[LANE_LOAN_CONTROL]);
	c->pid1 = (struct launched){reply->pid, take_fd(&fds[LANE_LOAN_PIDFD])};
	c->link.sock = take_fd(&fds[LANE_LOAN_SERVER]);
	c->link.server_pid = reply->server_pid;
	c->link.init_is_file = reply->init_is_file;
	c->msg_fd = take_fd(&fds[LANE_LOAN_MESSAGE]);
	l->state.upper_fd = take_fd(&fds[LANE_LOAN_UPPER]);
	take_view(&l->view, reply, fds);
	if (!l->view.n_tmpfs || l->view.tmpfs_fds[l->view.n_tmpfs - 1] < 0)
		return err_set(e, EPROTO, "a lane without what belongs to it");
	r = lane_read_message(l, e);
	return r < 0 ? r : take_limits(c, reply, e);
}

static int receive_reply(int sock, struct lane_reply *reply, int lane_fds[FD_PASS_MAX], int *fds,
			 size_t n, struct err *e)
{
	unsigned magic = 0;

	if (fd_recv(sock, reply, sizeof(*reply), lane_fds, FD_PASS_MAX, e) != sizeof(*reply) ||
	    reply->magic != LANE_LOAN_MAGIC)
		return err_set(e, EPROTO, "the lender of lanes does not answer");
	err_sanitize(&reply->missed);
	if (fd_recv(sock, &magic, sizeof(magic), fds, n, e) != sizeof(magic) || fds[n - 1] < 0) {
		close_all(fds, n);
		return err_set(e, EPROTO, "the lender of lanes does not answer");
	}
	return 0;
}

static int ask_lender(struct lane *l, struct err *e)
{
	struct lane_word word = {LANE_LOAN_MAGIC, LANE_WORD_CHECK};
	int r = 0;

	if (l->was_used) {
		r = fd_send(l->lender_fd, &word, sizeof(word), NULL, 0, e);
		if (r >= 0 &&
		    (fd_recv(l->lender_fd, &word, sizeof(word), NULL, 0, e) != sizeof(word) ||
		     word.magic != LANE_LOAN_MAGIC || word.type != LANE_WORD_SAME))
			r = err_set(e, ESTALE, "lane: not as it was");
	}
	l->was_used = true;
	return r;
}

int lane_loan_take(const struct strbuf *key, const struct container_spec *spec,
		   const struct paths *paths, const char *file, const struct lane_warm *warm,
		   struct lane **ret, int *fds, size_t n, struct err *e)
{
	_close_ int sock = reach(key, paths, e);
	struct lane_reply reply = {0};
	int lane_fds[FD_PASS_MAX], r = sock;

	*ret = NULL;
	for (size_t i = 0; i < FD_PASS_MAX; i++)
		lane_fds[i] = -1;
	for (size_t i = 0; i < n; i++)
		fds[i] = -1;
	if (r >= 0)
		r = fd_send(sock, key->data, key->len, NULL, 0, e);
	if (r >= 0)
		r = receive_reply(sock, &reply, lane_fds, fds, n, e);
	if (r >= 0 && reply.has_lane) {
		struct lane *l = lane_new(spec, paths, warm->program);

		r = l ? 0 : err_oom(e);
		if (l) {
			l->lender_fd = take_fd(&sock);
			l->ask_lender = ask_lender;
			l->state.file = file;
			r = take_lane(l, &reply, lane_fds, e);
			*ret = l;
		}
	}
	close_all(lane_fds, FD_PASS_MAX);
	if (r < 0) {
		close_all(fds, n);
		lane_close(ret);
	}
	return r < 0 ? r : 0;
}

void lane_loan_return(struct lane **lane, bool is_clean)
{
	const struct lane_word word = {LANE_LOAN_MAGIC, LANE_WORD_BACK};
	const struct lane *l = *lane;

	if (l && is_clean)
		(void)fd_send(l->lender_fd, &word, sizeof(word), &l->c.control[0], 1, NULL);
	lane_close(lane);
}
