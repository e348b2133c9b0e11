/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_VERBS_H
#define CSBX_CMD_VERBS_H

/* The verbs, each in a file of its name in cmd/verb/. */

struct verb;

extern const struct verb verb_exec, verb_kill, verb_logs, verb_run, verb_start, verb_stop,
	verb_wait; /* csbx */
extern const struct verb verb_shims, verb_pause, verb_ps, verb_rename, verb_restart, verb_unpause,
	verb_volume;
extern const struct verb verb_create, verb_gc, verb_info, verb_list, verb_remove, verb_version;
extern const struct verb verb_join; /* csbx, cmd/step */
extern const struct verb verb_doctor, verb_inspect, verb_run_spec; /* csbx-tool */
extern const struct verb verb_eval;                                /* csbx-tool, cmd/eval */
extern const struct verb verb_cache, verb_cp, verb_digest, verb_export, verb_import,
	verb_load; /* csbx-image */
extern const struct verb verb_importer, verb_login, verb_logout;
extern const struct verb verb_test; /* csbx-tool: judged runs */

#endif
