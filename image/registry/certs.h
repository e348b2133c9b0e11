/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_CERTS_H
#define CSBX_IMAGE_CERTS_H

/*
 * Certificates for one registry, where docker and podman look for them (docker's "Verify
 * repository client with certificates", containers-certs.d(5)): the first that exists of
 *
 *	~/.config/containers/certs.d/HOST[:PORT]	$XDG_CONFIG_HOME
 *	/etc/containers/certs.d/HOST[:PORT]
 *	/etc/docker/certs.d/HOST[:PORT]
 *
 * with any number of *.crt (authorities, besides the system's) and one NAME.cert with NAME.key.
 */

#include "image/registry/transport.h"

struct certs {
	struct strbuf ca;
	char *cert_file, *key_file;
	struct transport_tls tls; /* points into the above */
};

int certs_load(const char *registry, struct certs *ret, struct err *e);
void certs_free(struct certs *c);

#endif
