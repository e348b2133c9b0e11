/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_VERB_LIST_H
#define CSBX_CMD_DOCKER_VERB_LIST_H

/*
 * The one list of docker's verbs, in the order of its help: dispatch, help, completion and the mains
 * of the programs expand it.
 *
 *	V(verb, program, path, top, alias, summary)	one that works: `docker_verb_VERB` in a
 *			file of its name; the program (enum program) that it is linked into. Hot
 *			verbs run in csbx, which is static and parses no JSON; what prints templates
 *			or JSON runs in csbx-tool, what makes or sends images in csbx-image
 *	N(path, top, alias, summary, instead)		one that docker has and csbx does not do yet,
 *			and what does it instead
 *
 * path: "container rm", or NULL where there is only the short form; top: "rm", or NULL; alias:
 * another last word of path, or NULL; summary: docker's own. The verb is called as its short form,
 * else as its path.
 */
/* clang-format off */
#define DOCKER_VERB_LIST(V, N) \
	V(attach, CSBX, "container attach", "attach", NULL, "Attach local standard input, output, and error streams to a running container") \
	V(commit, IMAGE, "container commit", "commit", NULL, "Create a new image from a container's changes") \
	V(cp, IMAGE, "container cp", "cp", NULL, "Copy files/folders between a container and the local filesystem") \
	V(create, CSBX, "container create", "create", NULL, "Create a new container") \
	V(diff, IMAGE, "container diff", "diff", NULL, "Inspect changes to files or directories on a container's filesystem") \
	V(exec, CSBX, "container exec", "exec", NULL, "Execute a command in a running container") \
	V(export, IMAGE, "container export", "export", NULL, "Export a container's filesystem as a tar archive") \
	V(container_inspect, TOOL, "container inspect", NULL, NULL, "Display detailed information on one or more containers") \
	V(kill, CSBX, "container kill", "kill", NULL, "Kill one or more running containers") \
	V(logs, CSBX, "container logs", "logs", NULL, "Fetch the logs of a container") \
	V(ps, CSBX, "container ls", "ps", "list", "List containers") \
	V(pause, CSBX, "container pause", "pause", NULL, "Pause all processes within one or more containers") \
	V(port, TOOL, "container port", "port", NULL, "List port mappings or a specific mapping for the container") \
	V(container_prune, CSBX, "container prune", NULL, NULL, "Remove all stopped containers") \
	V(rename, CSBX, "container rename", "rename", NULL, "Rename a container") \
	V(restart, CSBX, "container restart", "restart", NULL, "Restart one or more containers") \
	V(rm, CSBX, "container rm", "rm", "remove", "Remove one or more containers") \
	V(run, CSBX, "container run", "run", NULL, "Create and run a new container from an image") \
	V(start, CSBX, "container start", "start", NULL, "Start one or more stopped containers") \
	V(stats, TOOL, "container stats", "stats", NULL, "Display a live stream of container(s) resource usage statistics") \
	V(stop, CSBX, "container stop", "stop", NULL, "Stop one or more running containers") \
	V(top, TOOL, "container top", "top", NULL, "Display the running processes of a container") \
	V(unpause, CSBX, "container unpause", "unpause", NULL, "Unpause all processes within one or more containers") \
	V(update, TOOL, "container update", "update", NULL, "Update configuration of one or more containers") \
	V(wait, CSBX, "container wait", "wait", NULL, "Block until one or more containers stop, then print their exit codes") \
	V(build, IMAGE, "image build", "build", NULL, "Build an image from a Dockerfile") \
	V(builder_build, IMAGE, "builder build", NULL, NULL, "Build an image from a Dockerfile") \
	V(builder_prune, IMAGE, "builder prune", NULL, NULL, "Remove build cache") \
	V(buildx_build, IMAGE, "buildx build", NULL, "b", "Start a build") \
	V(buildx_prune, IMAGE, "buildx prune", NULL, NULL, "Remove build cache") \
	V(buildx_version, IMAGE, "buildx version", NULL, NULL, "Show buildx version information") \
	N("buildx bake", NULL, NULL, "Build from a file", "docker buildx build makes one image at a time; docker-compose build several") \
	N("buildx create", NULL, NULL, "Create a new builder instance", "there is one builder, csbx itself, with nothing to start; docker buildx build builds") \
	N("buildx du", NULL, NULL, "Disk usage", "csbx df and docker system df have the build cache") \
	N("buildx imagetools", NULL, NULL, "Commands to work on images in registry", "csbx digest shows a manifest's digest, docker push sends an image") \
	N("buildx inspect", NULL, NULL, "Inspect current builder instance", "there is one builder, csbx itself, with nothing to start; docker buildx build builds, docker buildx version names it") \
	N("buildx ls", NULL, NULL, "List builder instances", "there is one builder, csbx itself, called default; docker buildx build builds") \
	N("buildx rm", NULL, NULL, "Remove one or more builder instances", "there is one builder, csbx itself; docker buildx prune removes its cache") \
	N("buildx stop", NULL, NULL, "Stop builder instance", "there is one builder, csbx itself, which runs only while it builds") \
	N("buildx use", NULL, NULL, "Set the current builder instance", "there is one builder, csbx itself, and docker buildx build uses it") \
	V(history, IMAGE, "image history", "history", NULL, "Show the history of an image") \
	V(import, IMAGE, "image import", "import", NULL, "Import the contents from a tarball to create a filesystem image") \
	V(image_inspect, IMAGE, "image inspect", NULL, NULL, "Display detailed information on one or more images") \
	V(load, IMAGE, "image load", "load", NULL, "Load an image from a tar archive or STDIN") \
	V(images, IMAGE, "image ls", "images", "list", "List images") \
	V(image_prune, IMAGE, "image prune", NULL, NULL, "Remove unused images") \
	V(pull, IMAGE, "image pull", "pull", NULL, "Download an image from a registry") \
	V(push, IMAGE, "image push", "push", NULL, "Upload an image to a registry") \
	V(rmi, IMAGE, "image rm", "rmi", "remove", "Remove one or more images") \
	V(save, IMAGE, "image save", "save", NULL, "Save one or more images to a tar archive (streamed to STDOUT by default)") \
	V(tag, IMAGE, "image tag", "tag", NULL, "Create a tag TARGET_IMAGE that refers to SOURCE_IMAGE") \
	V(inspect, TOOL, NULL, "inspect", NULL, "Return low-level information on Docker objects") \
	V(login, IMAGE, NULL, "login", NULL, "Authenticate to a registry") \
	V(logout, IMAGE, NULL, "logout", NULL, "Log out from a registry") \
	N(NULL, "compose", NULL, "Define and run multi-container applications with Docker", "docker-compose does it over the socket of csbx engine") \
	N(NULL, "checkpoint", NULL, "Manage checkpoints", "the memory of processes cannot be kept; docker commit keeps files") \
	N(NULL, "config", NULL, "Manage Swarm configs", "there is no swarm; mount the file with -v") \
	N(NULL, "init", NULL, "Creates Docker-related starter files for your project", "write a Dockerfile; csbx build and docker build read it") \
	N(NULL, "manifest", NULL, "Manage Docker image manifests and manifest lists", "docker push sends images of this machine's platform; csbx digest shows a manifest's digest") \
	N(NULL, "node", NULL, "Manage Swarm nodes", "there is no swarm; a batch system such as SLURM starts csbx on many machines") \
	N(NULL, "plugin", NULL, "Manage plugins", "there is no daemon that would load them") \
	N(NULL, "scout", NULL, "Command line tool for Docker Scout", "save the image and give the archive to a scanner: docker save") \
	N(NULL, "secret", NULL, "Manage Swarm secrets", "there is no swarm; docker build --secret, or a file mounted with -v :ro") \
	N(NULL, "service", NULL, "Manage Swarm services", "there is no swarm; docker run -d --restart always keeps one container up") \
	N(NULL, "stack", NULL, "Manage Swarm stacks", "there is no swarm; docker-compose brings up a project over csbx engine") \
	N(NULL, "swarm", NULL, "Manage Swarm", "each machine has its own containers; a batch system such as SLURM starts csbx on many") \
	N(NULL, "trust", NULL, "Manage trust on Docker images", "name an image by its digest: docker pull NAME@sha256:...") \
	N(NULL, "search", NULL, "Search Docker Hub for images", "give the image's whole name") \
	V(version, TOOL, NULL, "version", NULL, "Show the Docker version information") \
	V(context_ls, TOOL, "context ls", NULL, "list", "List contexts") \
	V(context_show, TOOL, "context show", NULL, NULL, "Print the name of the current context") \
	V(context_use, TOOL, "context use", NULL, NULL, "Set the current docker context") \
	V(network_connect, TOOL, "network connect", NULL, NULL, "Connect a container to a network") \
	V(network_create, TOOL, "network create", NULL, NULL, "Create a network") \
	V(network_disconnect, TOOL, "network disconnect", NULL, NULL, "Disconnect a container from a network") \
	V(network_inspect, TOOL, "network inspect", NULL, NULL, "Display detailed information on one or more networks") \
	V(network_ls, TOOL, "network ls", NULL, "list", "List networks") \
	V(network_prune, TOOL, "network prune", NULL, NULL, "Remove all unused networks") \
	V(network_rm, TOOL, "network rm", NULL, "remove", "Remove one or more networks") \
	V(system_df, TOOL, "system df", NULL, NULL, "Show docker disk usage") \
	V(events, TOOL, "system events", "events", NULL, "Get real time events from the server") \
	V(info, TOOL, "system info", "info", NULL, "Display system-wide information") \
	V(system_prune, IMAGE, "system prune", NULL, NULL, "Remove unused data") \
	V(volume_create, CSBX, "volume create", NULL, NULL, "Create a volume") \
	V(volume_inspect, TOOL, "volume inspect", NULL, NULL, "Display detailed information on one or more volumes") \
	V(volume_ls, TOOL, "volume ls", NULL, "list", "List volumes") \
	V(volume_prune, CSBX, "volume prune", NULL, NULL, "Remove unused local volumes") \
	V(volume_rm, CSBX, "volume rm", NULL, "remove", "Remove one or more volumes")
/* clang-format on */

#endif
