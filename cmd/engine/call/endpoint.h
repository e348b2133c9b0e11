/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_ENGINE_ENDPOINT_H
#define CSBX_CMD_ENGINE_ENDPOINT_H

/* The EndpointSettings of a body, as POST /networks/ID/connect and /containers/create have them. */

struct docker_endpoint_args;
struct err;
struct json;
struct strv;

/* config may be NULL. The address stays the body's. Freed by the function below, also on error. */
int call_get_endpoint(const struct json *config, struct docker_endpoint_args *ret, struct err *e);
void docker_endpoint_args_done(struct docker_endpoint_args *a);
/* NetworkingConfig of a body, as words of docker_run_args.endpoints; adds. */
int call_get_networks(const struct json *body, struct strv *ret, struct err *e);

#endif
