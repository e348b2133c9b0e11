# SPDX-License-Identifier: Apache-2.0
cd "$WORK"
export PGHOST=/tmp/pgsock PGDATA=/tmp/pg/data PGDATABASE=postgres PGUSER=db PGOPTIONS="-c client_min_messages=warning"
PATH="$(echo /usr/lib/postgresql/*/bin):$PATH"
# Its programs refuse to run as root, who runs them as the user whom the package has made.
as() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- env "PATH=$PATH" "$@"; else "$@"; fi; }
up() { (cd /tmp && as pg_ctl -D "$PGDATA" -l /tmp/pg/log -w -t 60 "$@" | tail -1); }
q() { psql -XAtq -v ON_ERROR_STOP=1 "$@"; }

### as root
if [ "$(id -u)" = 0 ]; then initdb -D /tmp/asroot 2>&1 | head -1; fi; getent passwd postgres | cut -d: -f1,6,7

### initdb
mkdir -p /tmp/pg /tmp/pgsock; if [ "$(id -u)" = 0 ]; then chown postgres: /tmp/pg /tmp/pgsock; fi
cd /tmp; as initdb -N -D "$PGDATA" -U db -A trust --locale=C.UTF-8 -E UTF8 2>&1 | grep -E '^(selecting|creating|fixing|performing)' ; ls -ld "$PGDATA" | cut -c1-10
printf "listen_addresses = '127.0.0.1'\nunix_socket_directories = '/tmp/pgsock'\nmax_connections = 40\nshared_buffers = 64MB\njit = off\n" | as tee -a "$PGDATA/postgresql.conf" | wc -l

### start
up start; as pg_ctl -D "$PGDATA" status | head -1 | sed 's/[0-9][0-9]*/N/'; stat -c '%F %a' /tmp/pgsock/.s.PGSQL.5432; q -c 'show dynamic_shared_memory_type; show data_directory_mode; show huge_pages; select current_user'

### tables
q -c "create table t(id serial primary key, v text unique, j jsonb); insert into t(v, j) select 'v' || n, jsonb_build_object('n', n) from generate_series(1, 20000) n; create index on t using gin(j); analyze t; select count(*), max(length(v)) from t; select v from t where j @> '{\"n\": 77}'"
q -c "insert into t(v) values ('v1')" 2>&1 || echo "code $?"; q -c "select nope" 2>&1 || echo "code $?"; q <<< "begin; delete from t; rollback; select count(*) from t; select 1 / 0;" 2>&1 || echo "code $?"

### copy and files
q -c "copy (select id, v from t where id < 4) to stdout csv header"; seq 1000 | q -c "create table s(n int)" -c "copy s from stdin" -c "select sum(n) from s"; q -c "copy s to '/tmp/pg/s.out'" && wc -l < /tmp/pg/s.out; q -c "select pg_read_file('/etc/hostname') is not null, length(pg_read_file('/etc/debian_version')) > 0"; q -c "copy s from program 'seq 3'" -c "select count(*) from s"; q -c "create temp table big as select repeat('x', 500) from generate_series(1, 50000); set work_mem='64kB'; select count(*) from (select * from big order by 1 offset 10) x"

### parallel query
q -c "set parallel_setup_cost = 0; set parallel_tuple_cost = 0; set min_parallel_table_scan_size = 0; set max_parallel_workers_per_gather = 4; explain (analyze, costs off, timing off, summary off) select count(*) from t" | grep -E 'Workers|Gather' | sed 's/(.*)//'; ls /dev/shm | sed 's/[0-9][0-9]*/N/' | sort -u

### tcp and notify
PGHOST=127.0.0.1 q -c "select inet_server_addr(), inet_server_port()"; q -c "listen c" -c "notify c, 'hello'" | sed 's/PID [0-9]*/PID N/'; PGHOST=127.0.0.1 PGPORT=5999 q -c 'select 1' 2>&1 | head -1; pg_isready -q && echo ready

### locks
(q -c "begin; lock table s; select pg_sleep(1); commit" >/dev/null) & for _ in $(seq 100); do [ "$(q -c "select count(*) from pg_locks l join pg_class c on c.oid = l.relation where relname = 's' and mode = 'AccessExclusiveLock'")" = 1 ] && break; sleep 0.02; done
q -c "set lock_timeout = '100ms'; select count(*) from s" 2>&1 || echo "code $?"; wait; q -c "select count(*) from s"; q -c "set statement_timeout = '100ms'; select pg_sleep(5)" 2>&1 || echo "code $?"; q -c "select pg_advisory_lock(1), pg_try_advisory_lock(1)"

### bench
pgbench -q -i -s 1 >/dev/null 2>&1; pgbench -n -c 8 -j 2 -t 25 2>&1 | grep 'actually processed'; q -c "select count(*) from pgbench_history; select sum(abalance) = (select sum(bbalance) from pgbench_branches) from pgbench_accounts"

### dump and restore
pg_dump -Fc -f d.dump && createdb copy && pg_restore -d copy -j 2 d.dump && PGDATABASE=copy q -c "select count(*) from t" && pg_dumpall --globals-only | grep -c ROLE; pg_dump -Fd -j 2 -f d.dir && ls d.dir/toc.dat; dropdb copy; vacuumdb -q -a -z && echo vacuumed; as pg_basebackup -D /tmp/pg/base -c fast && as pg_verifybackup /tmp/pg/base

### killed backend
p=$(q -c "select pg_backend_pid()"); (q -c "select pg_sleep(30)" 2>&1 | tail -1) & for _ in $(seq 100); do v=$(q -c "select pid from pg_stat_activity where query like 'select pg_sleep(30)%'"); [ -n "$v" ] && break; sleep 0.02; done
q -c "select pg_terminate_backend($v)"; wait; as kill -9 "$(q -c "select pid from pg_stat_activity where backend_type = 'checkpointer'")"; for _ in $(seq 200); do sleep 0.05; q -c "select count(*) from t" 2>/dev/null && break; done; grep -c 'all server processes terminated; reinitializing' /tmp/pg/log

### crash
q -c "checkpoint" -c "insert into t(v) select 'late' || n from generate_series(1, 500) n"; as kill -9 "$(head -1 "$PGDATA/postmaster.pid")"; sleep 0.5; while pgrep -x postgres >/dev/null; do sleep 0.05; done
up start; q -c "select count(*) from t where v like 'late%'"; grep -c 'redo done' /tmp/pg/log; up -m immediate stop; up start; up -m fast restart; up reload; q -c "select count(*) from t"

### cluster tools
if [ "$(id -u)" = 0 ]; then runuser -u postgres -- pg_lsclusters -h | awk '{print $3, $4, $5}'; fi; up stop; as pg_controldata "$PGDATA" | grep 'cluster state'; as pg_checksums --check -D "$PGDATA" 2>&1 | head -1; ls /tmp/pgsock /dev/shm | sed 's/[0-9][0-9]*/N/'
