/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/enroot/conf/conf.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/fd.h"

/* Every key of enroot 4.1. Those that steer its shell helpers are known, and mean nothing here. */
const struct enroot_key enroot_keys[] = {
	{"ENROOT_LIBRARY_PATH", NULL},
	{"ENROOT_SYSCONF_PATH", "/etc/enroot"},
	{"ENROOT_RUNTIME_PATH", NULL},
	{"ENROOT_CONFIG_PATH", NULL},
	{"ENROOT_CACHE_PATH", NULL},
	{"ENROOT_DATA_PATH", NULL},
	{"ENROOT_TEMP_PATH", NULL},
	{"ENROOT_GZIP_PROGRAM", NULL},
	{"ENROOT_ZSTD_OPTIONS", NULL},
	{"ENROOT_SQUASH_OPTIONS", "-comp zstd"},
	{"ENROOT_MAX_PROCESSORS", NULL},
	{"ENROOT_MAX_CONNECTIONS", "10"},
	{"ENROOT_CONNECT_TIMEOUT", "30"},
	{"ENROOT_TRANSFER_TIMEOUT", "0"},
	{"ENROOT_TRANSFER_RETRIES", "0"},
	{"ENROOT_LOGIN_SHELL", "true"},
	{"ENROOT_ALLOW_SUPERUSER", "false"},
	{"ENROOT_ALLOW_HTTP", "false"},
	{"ENROOT_ROOTFS_WRITABLE", "false"},
	{"ENROOT_NATIVE_OVERLAYFS", "true"},
	{"ENROOT_REMAP_ROOT", "false"},
	{"ENROOT_FORCE_OVERRIDE", "false"},
	{"ENROOT_MOUNT_HOME", NULL},
	{"ENROOT_RESTRICT_DEV", NULL},
	{"ENROOT_UNSHARE_PID", NULL},
	{"ENROOT_UNSHARE_NET", NULL},
	{"ENROOT_UNSHARE_IPC", NULL},
	{"ENROOT_UNSHARE_UTS", NULL},
	{"ENROOT_ROOTFS", NULL},
	{"ENROOT_BUNDLE_ALL", "false"},
	{"ENROOT_BUNDLE_CHECKSUM", "false"},
	{"ENROOT_DEBUG", NULL},
	{"ENROOT_BUNDLE", NULL},
	{"SSL_CERT_DIR", NULL},
	{"SSL_CERT_FILE", NULL},
	{"all_proxy", NULL},
	{"no_proxy", NULL},
	{"http_proxy", NULL},
	{"https_proxy", NULL},
	{0},
};

bool enroot_conf_key_is_known(const char *key, size_t len)
{
	static const char *const prefixes[] = {"NVIDIA_", "MELLANOX_"};

	for (const struct enroot_key *k = enroot_keys; k->name; k++) {
		if (strlen(k->name) == len && !memcmp(k->name, key, len))
			return true;
	}
	/* Hooks read what they please of these. */
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t n = strlen(prefixes[i]);

		if (len > n && !memcmp(key, prefixes[i], n))
			return true;
	}
	return false;
}

char *enroot_sysconf_dir(const struct enroot_conf *c)
{
	const char *dir = enroot_conf_get(c, "ENROOT_SYSCONF_PATH");

	return str_printf("%s", dir && *dir == '/' ? dir : "/etc/enroot");
}

char *enroot_config_dir(const struct enroot_conf *c)
{
	const char *dir = enroot_conf_get(c, "ENROOT_CONFIG_PATH");

	if (dir && *dir == '/')
		return str_printf("%s", dir);
	dir = secure_getenv("XDG_CONFIG_HOME");
	if (dir && *dir == '/')
		return str_printf("%s/enroot", dir);
	dir = secure_getenv("HOME");
	return str_printf("%s/.config/enroot", dir && *dir == '/' ? dir : "");
}

static bool is_in(const char *variable, const char *below, const char *dir)
{
	const char *base = secure_getenv(variable);
	const size_t n = base && *base == '/' ? strlen(base) : 0;

	return n && str_has_prefix(dir, base) && str_eq(dir + n, below);
}

unsigned enroot_config_names(const char *dir)
{
	if (is_in("XDG_CONFIG_HOME", "/enroot", dir))
		return 2;
	return is_in("HOME", "/.config/enroot", dir) ? 3 : 0;
}
