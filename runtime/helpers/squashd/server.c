/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/helpers/squashd/server.h"

#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/helpers/squashd/confine.h"
#include "runtime/helpers/squashd/fuse_serve.h"
#include "runtime/helpers/squashd/janitor.h"

int64_t server_now_ms(void)
{
	return (int64_t)clock_monotonic_ms();
}

int server_watch(struct server *s, int fd, struct err *e)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.fd = fd};

	return epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, fd, &ev) < 0 ? err_sys(e, "epoll") : 0;
}

void server_unlink_socket(struct server *s)
{
	if (s->is_unlinked)
		return;
	if (s->janitor_fd >= 0)
		janitor_unlink(s->janitor_fd);
	else
		(void)unlinkat(SQUASHD_FD_AT_START_DIR, s->boot.name, 0);
	s->is_unlinked = true;
}

struct fuse_policy server_policy(const struct server *s)
{
	const struct squashd_key *key = &s->boot.key;

	return (struct fuse_policy){
		.one_id = id_map_is_one(&key->map),
		.uid = key->uid,
		.gid = key->gid,
		.has_user_xattrs = key->has_user_xattrs,
	};
}
