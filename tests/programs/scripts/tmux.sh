# SPDX-License-Identifier: Apache-2.0
cd "$WORK"
t() { tmux -L test -f /dev/null "$@"; }
# until TEXT is on the screen of a pane
shows() { for _ in $(seq 200); do t capture-pane -pt "$1" | grep -qF -- "$2" && return 0; sleep 0.05; done; t capture-pane -pt "$1"; return 9; }

# until a pane runs a program
runs() { for _ in $(seq 200); do [ "$(t display -pt "$1" '#{pane_current_command}')" = "$2" ] && return 0; sleep 0.05; done; echo "no $2"; return 9; }

### start
t new-session -d -s one -x 90 -y 20 'PS1="> " TERM=screen bash --norc -i'
t set -g status off; t ls -F '#{session_name} #{window_width}x#{window_height} #{session_attached}'
shows one '>'; ls -ld /tmp/tmux-* | cut -c1-10

### keys
t send-keys -t one 'echo $((6*7)) $COLUMNS; tty | cut -c1-9; stty size' Enter; shows one '42 90'; shows one '/dev/pts/'; t capture-pane -pt one | grep -v '^$' | head -9

### job control
t send-keys -t one 'clear; sleep 100' Enter; runs one sleep; t send-keys -t one C-z; shows one Stopped; t send-keys -t one 'clear; jobs; bg; kill %1; wait %1; echo ended $?' Enter; shows one 'ended 143'
t send-keys -t one 'clear; cat' Enter; runs one cat; t send-keys -t one 'typed' Enter C-d 'echo after' Enter; shows one after; runs one bash; t send-keys -t one 'clear; sleep 50' Enter; runs one sleep; t send-keys -t one C-c 'echo code $?' Enter; shows one 'code 130'

### resize
t send-keys -t one 'clear; trap "echo winch" WINCH; stty size' Enter; shows one '20 90'; t resize-window -t one -x 70 -y 15; t send-keys -t one '' Enter 'stty size' Enter; shows one '15 70'; shows one winch

### split
t split-window -h -t one 'sleep 100'; t split-window -v -t one 'read x; echo "got $x"; sleep 100'; runs one.1 sleep; t list-panes -t one -F '#{pane_index} #{pane_width}x#{pane_height} #{pane_current_command}'
t send-keys -t one.2 hello Enter; shows one.2 'got hello'; t kill-pane -t one.1; t list-panes -t one | wc -l

### unicode
t send-keys -t one.0 'clear; printf "\303\251\342\202\254\344\270\255\n"' Enter; shows one.0 'é€中'; t capture-pane -pet one.0 | grep -c 'é€中'

### wait-for
(sleep 0.3; t wait-for -S done) & t wait-for done; echo signalled; wait
t new-window -d -t one:5 'exit 3'; for _ in $(seq 100); do [ "$(t list-windows -t one | wc -l)" = 1 ] && break; sleep 0.05; done; t list-windows -t one -F '#{window_index}'; t set -g remain-on-exit on; t new-window -d -t one:6 'exit 3'
for _ in $(seq 100); do [ "$(t display -pt one:6 '#{pane_dead}')" = 1 ] && break; sleep 0.05; done; t display -pt one:6 '#{pane_dead}'; t respawn-pane -t one:6 'echo again; sleep 50'; shows one:6 again

### pipe and buffer
t pipe-pane -t one:0.0 'cat > log'; t send-keys -t one:0.0 'clear; echo piped' Enter; shows one:0.0 piped; for _ in $(seq 100); do grep -q piped log 2>/dev/null && break; sleep 0.05; done; t pipe-pane -t one:0.0; grep -q piped log && echo logged; t set-buffer held; t save-buffer -; t show-options -g base-index

### attach
(for _ in $(seq 200); do [ "$(t ls -F '#{session_attached}')" = 1 ] && break; sleep 0.05; done; t detach-client -s one) & script -qec "tmux -L test attach -t one" /dev/null </dev/null >out 2>&1 || echo "code $?"; wait; grep -ac detached out
t ls -F '#{session_name} #{session_attached}'

### end
t kill-server; sleep 0.2; t ls 2>&1 | sed 's/(.*)//'; script -qec 'stty size; tty | cut -c1-9; echo from script; exit 4' /dev/null </dev/null || echo "code $?"
