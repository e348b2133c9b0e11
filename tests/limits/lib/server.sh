# SPDX-License-Identifier: Apache-2.0
# For scripts that do something to the image server of a running container: sourced by them.

# start_reader OPTION...: starts a program that reads file after file of the image; returns when it does.
start_reader() {
	mkfifo "$WORK/up"
	"$CSBX" run "$@" --json="$WORK/r.json" --mount "$PROGRAMS:/programs:ro" "$IMAGE" \
		python3 /programs/lib/read_image.py >"$WORK/up" &
	csbx=$!
	read -r _ <"$WORK/up"
}

# signal_server NAME: to the one server there is, in directories that are the test's own.
signal_server() {
	server=$("$CSBX" list --servers | awk 'NR == 2 { print $2 }')
	kill "-$1" "$server" || exit 99
}

# finish: the result on stdout, the exit code of csbx as ours.
finish() {
	wait "$csbx"
	code=$?
	kill -CONT "$server" 2>/dev/null
	cat "$WORK/r.json"
	exit $code
}
