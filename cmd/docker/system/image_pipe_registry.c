/* SPDX-License-Identifier: Apache-2.0 */

/* POST /auth and GET /distribution/?/json. */

#include <stdlib.h>

#include "cmd/docker/system/image_pipe_priv.h"
#include "cmd/image/client_auth.h"
#include "cmd/image/login_try.h"
#include "cmd/image/settings.h"
#include "image/credentials/credentials.h"
#include "image/registry/registry.h"
#include "image/table/image_name.h"
#include "image/table/ref.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/json.h"
#include "runtime/base/json/out.h"
#include "runtime/base/str.h"

int image_pipe_auth(struct image_pipe *x, const char *registry, char **ret)
{
	const int r = client_auth_one(x->secret, registry, ret, &x->f.err);

	return docker_fault_is(&x->f, r == -EOPNOTSUPP ? 501 : DOCKER_BAD_REQUEST, r);
}

/* --- auth ----------------------------------------------------------------------------------- */

static int try_login(struct image_pipe *x, const char *host, const struct credentials *who)
{
	_image_settings_ struct image_settings settings = {0};
	int r = image_settings_read(&x->d.cmd, &settings, &x->f.err);

	if (r >= 0)
		r = login_try(&x->d.cmd, &settings.source.registry, host, who, &x->f.err);
	if (r == -EACCES) {
		const struct err e = x->f.err;

		return docker_fault(&x->f, 401, EACCES, "Get \"https://%s/v2/\": unauthorized: %s",
				    host, e.msg);
	}
	return r < 0 ? err_wrap(&x->f.err, "Get \"https://%s/v2/\"", host) : 0;
}

int image_pipe_login(struct image_pipe *x)
{
	_json_ struct json *doc = NULL;
	struct credentials who = {0};
	struct json_out j = JSON_OUT_INIT;
	_free_ char *host = NULL;
	int r = json_parse(x->secret ? x->secret : "", x->secret ? strlen(x->secret) : 0,
			   CLIENT_AUTH_MAX, &doc, &x->f.err);

	if (r < 0 || !json_is_object(doc))
		return docker_fault(&x->f, DOCKER_BAD_REQUEST, EBADMSG,
				    "the body is no JSON object");
	who.user = (char *)client_auth_text(doc, "username");
	who.password = (char *)client_auth_text(doc, "password");
	if (!who.user || !who.password)
		return docker_refuse(&x->f, "csbx checks a user and a password: one is missing");
	host = client_auth_host(client_auth_text(doc, "serveraddress")
					? client_auth_text(doc, "serveraddress")
					: "");
	r = host ? try_login(x, host, &who) : err_oom(&x->f.err);
	if (r < 0)
		return r;
	json_begin_object(&j);
	json_kstr(&j, "Status", "Login Succeeded");
	json_kstr(&j, "IdentityToken", "");
	json_end_object(&j);
	return image_pipe_say(x, &j);
}

/* --- distribution --------------------------------------------------------------------------- */

static void add_platform(struct json_out *j, const struct json *p)
{
	static const char *const keys[] = {"architecture", "os", "variant"};

	json_begin_object(j);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (p && json_is_object(p) && client_auth_text(p, keys[i]))
			json_kstr(j, keys[i], client_auth_text(p, keys[i]));
	}
	json_end_object(j);
}

/* Those of an index; of one image the registry would have to be asked again. */
static void add_platforms(struct json_out *j, const struct registry_manifest *m)
{
	_json_ struct json *doc = NULL;
	const struct json *list = NULL;

	json_key(j, "Platforms");
	json_begin_array(j);
	if (json_parse(strbuf_str(&m->text), m->text.len, JSON_MANIFEST_MAX, &doc, NULL) >= 0 &&
	    json_is_object(doc))
		(void)json_get_array(doc, "manifests", &list, NULL);
	for (const struct json *i = list ? json_first(list) : NULL; i; i = json_next(i))
		add_platform(j, json_is_object(i) ? json_member(i, "platform") : NULL);
	json_end_array(j);
}

static int say_manifest(struct image_pipe *x, const struct registry_manifest *m)
{
	struct json_out j = JSON_OUT_INIT;
	char digest[DIGEST_TEXT_MAX];

	json_begin_object(&j);
	json_key(&j, "Descriptor");
	json_begin_object(&j);
	json_kstr(&j, "mediaType", m->media_type ? m->media_type : "");
	json_kstr(&j, "digest", digest_format(&m->digest, digest));
	json_ku64(&j, "size", m->text.len);
	json_end_object(&j);
	add_platforms(&j, m);
	json_end_object(&j);
	return image_pipe_say(x, &j);
}

static int ask_registry(struct image_pipe *x, const struct image_ref *ref, const char *auth)
{
	_image_settings_ struct image_settings settings = {0};
	_registry_manifest_ struct registry_manifest m = {0};
	_registry_ struct registry *registry = NULL;
	struct registry_options o;
	int r = image_settings_read(&x->d.cmd, &settings, &x->f.err);

	settings.source.registry.first_auth = auth;
	if (r >= 0)
		r = registry_opts_get(&x->d.cmd, &settings.source.registry, &o, &x->f.err);
	if (r >= 0)
		r = registry_open(&registry, ref, &o, &x->f.err);
	if (r >= 0)
		r = registry_get_manifest(registry, NULL, &m, &x->f.err);
	if (r == -ENOENT || x->f.err.origin == ERR_NO_MANIFEST)
		return docker_fault_is(&x->f, DOCKER_NOT_FOUND, r);
	if (r == -EACCES || r == -EPERM)
		return docker_fault_is(&x->f, 401, r);
	return r < 0 ? r : say_manifest(x, &m);
}

int image_pipe_distribution(struct image_pipe *x)
{
	const char *operand = image_pipe_text(x, "name");
	_image_name_ struct image_name name = {0};
	_free_ char *canonical = NULL, *auth = NULL;
	_image_ref_ struct image_ref ref = {0};
	int r = image_name_parse(operand ? operand : "", &name, &x->f.err);

	if (r < 0)
		return docker_fault_is(&x->f, DOCKER_BAD_REQUEST, r);
	canonical = image_name_canonical(&name);
	r = canonical ? image_ref_parse(canonical, &ref, &x->f.err) : err_oom(&x->f.err);
	if (r >= 0)
		r = image_pipe_auth(x, name.domain, &auth);
	return r < 0 ? r : ask_registry(x, &ref, auth);
}
