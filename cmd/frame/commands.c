/* SPDX-License-Identifier: Apache-2.0 */

/* The list of all verbs as rows that can be looked up. */

#include "cmd/frame/cmd.h"
#include "cmd/frame/verb_list.h"
#include "runtime/base/str.h"

#define ROW(name, program, group, summary) {#name, PROGRAM_##program, GROUP_##group, summary},

/* clang-format off */
const struct command command_list[] = {
	VERB_LIST(ROW)
	{"help", PROGRAM_CSBX, GROUP_SYSTEM, "Explain a command"}, /* the frame's own */
	{0},
};
/* clang-format on */

const struct command *command_find(const char *name)
{
	for (const struct command *c = command_list; c->name; c++) {
		if (str_eq(c->name, name))
			return c;
	}
	return NULL;
}

const char *command_of_docker_word(const char *word)
{
	static const struct {
		const char *word, *ours;
	} words[] = {
		{"rm", "remove"},
		{"delete", "remove"},
		{"ls", "list"},
		{"shell", "start"},
		{"sh", "start"},
		{"bash", "start"},
		{"copy", "cp"},
		{"pull", "import"},
		{"images", "docker images"},
		{"rmi", "docker rmi"},
		{"tag", "docker tag"},
		{"commit", "docker commit"},
		{"attach", "docker attach"},
		{"stats", "docker stats"},
		{"top", "docker top"},
		{"port", "docker port"},
		{"diff", "docker diff"},
		{"history", "docker history"},
		{"save", "docker save"},
		{"update", "docker update"},
		{"events", "docker events"},
		{"compose", "docker compose"},
		{"up", "docker compose"},
		{"down", "docker compose"},
		{"prune", "gc"},
		{"clean", "gc"},
		{"cleanup", "gc"},
		{"status", "ps"},
		{"enter", "exec"},
		{"fetch", "import"},
		{"config", "info"},
		{"check", "doctor"},
		{"serve", "engine"},
		{"daemon", "engine"},
		{"system", "docker system"},
		{"network", "docker network"},
		{"container", "docker container"},
		{"image", "docker image"},
		{"buildx", "build"},
		{"builder", "docker builder"},
		{"context", "docker context"},
		{"bundle", "enroot bundle"},
		{"batch", "enroot batch"},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (str_eq(words[i].word, word))
			return words[i].ours;
	}
	return NULL;
}
