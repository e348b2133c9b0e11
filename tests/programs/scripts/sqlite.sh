# SPDX-License-Identifier: Apache-2.0
cd "$WORK"
s() { sqlite3 -batch -bail "$@"; }

### create
s a.db "create table t(id integer primary key, v text, unique(v)); insert into t(v) select 'v' || value from generate_series(1, 1000); select count(*), max(v) from t;"
s a.db "insert into t(v) values ('v1')" 2>&1 || echo "code $?"; s a.db "pragma integrity_check; pragma journal_mode; pragma page_size;"; file a.db 2>/dev/null | head -0; stat -c '%a' a.db; ls

### journal modes
for m in delete truncate persist memory wal off; do s a.db "pragma journal_mode=$m; begin; update t set v = v || '$m' where id < 20; commit; select count(*) from t where v like '%$m';"; ls; done; s a.db "pragma journal_mode=delete; vacuum; pragma integrity_check;"

### wal
s w.db "pragma journal_mode=wal; create table t(a); insert into t values (1);"
python3 - <<'EOF'
import sqlite3, os
a, b = sqlite3.connect("w.db", isolation_level=None), sqlite3.connect("w.db", isolation_level=None, timeout=0.1)
print(sorted(n for n in os.listdir(".") if n.startswith("w.db")))
a.execute("begin immediate"); a.execute("insert into t values (2)"); print(b.execute("select count(*) from t").fetchall())
try: b.execute("begin immediate")
except sqlite3.OperationalError as e: print(e)
a.execute("commit"); print(b.execute("select count(*) from t").fetchall(), a.execute("pragma wal_checkpoint(truncate)").fetchall())
EOF
ls

### writers
s c.db "pragma journal_mode=wal; create table t(w, n);" 
cat > writer.py <<'EOF'
import sqlite3, sys
c = sqlite3.connect("c.db", timeout=30, isolation_level=None)
for n in range(100):
    c.execute("begin immediate"); c.execute("insert into t values (?, (select count(*) from t))", (sys.argv[1],)); c.execute("commit")
EOF
for w in 1 2 3 4; do python3 writer.py $w & done; wait; s c.db "select count(*), count(distinct n), max(n) from t; pragma integrity_check;"

### killed
s k.db "pragma journal_mode=delete; create table t(a); insert into t select value from generate_series(1, 20000);"
python3 - <<'EOF' || echo "code $?"
import os, signal, sqlite3
c = sqlite3.connect("k.db", isolation_level=None); c.execute("pragma cache_size=10"); c.execute("begin"); c.execute("update t set a = -1"); print(os.path.exists("k.db-journal"), flush=True); os.kill(os.getpid(), signal.SIGKILL)
EOF
ls k.db*; s k.db "select count(*) from t where a = -1; pragma integrity_check;"; ls k.db*
s kw.db "pragma journal_mode=wal; create table t(a);"; python3 -c "
import os, sqlite3
c = sqlite3.connect('kw.db', isolation_level=None); c.execute('insert into t values (1)'); os._exit(0)"; ls kw.db*; s kw.db "select * from t"; ls kw.db*

### locks
python3 - <<'EOF'
import fcntl, os, sqlite3, struct
a = sqlite3.connect("l.db", isolation_level=None); a.execute("create table t(a)"); a.execute("begin exclusive")
if os.fork() == 0:
    try: sqlite3.connect("l.db", timeout=0.1).execute("select * from t")
    except sqlite3.OperationalError as e: print(e, flush=True)
    f = os.open("l.db", os.O_RDWR); p = struct.unpack("hhqqi4x", fcntl.fcntl(f, fcntl.F_GETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0x40000000, 512, 0))); print(p[0] == fcntl.F_WRLCK, p[4] == os.getppid(), flush=True); os._exit(0)
os.wait(); a.execute("commit"); b = sqlite3.connect("file:l.db?mode=ro", uri=True)
try: b.execute("insert into t values (1)")
except sqlite3.OperationalError as e: print(e)
print(sqlite3.connect("file:l.db?nolock=1", uri=True).execute("select count(*) from t").fetchall())
EOF

### mmap and memory
s m.db "pragma mmap_size=268435456; create table t(a blob); insert into t select randomblob(1000) from generate_series(1, 5000); select sum(length(a)) from t; pragma mmap_size;"; s :memory: "pragma temp_store=file; create table t(a); insert into t select value from generate_series(1, 100000); create index i on t(a desc); select count(*) from (select distinct a % 100 from t order by 1);"
cp m.db /dev/shm/m.db && s /dev/shm/m.db "pragma journal_mode=wal; delete from t where rowid % 2; select count(*) from t;" && rm /dev/shm/m.db*

### backup and dump
s a.db ".backup b.db" && s b.db "select count(*) from t" && s a.db .dump | s d.db && s d.db "select count(*) from t" && s a.db "vacuum into 'v.db'" && cmp <(s a.db .dump) <(s v.db .dump) && echo same; s a.db -csv -header "select id, v from t where id between 30 and 32" > o.csv; cat o.csv; s i.db ".import --csv o.csv t" "select * from t"; echo "select 1;" | s -json :memory:

### features
s :memory: "select json_extract('{\"a\":[1,2]}', '\$.a[1]'), sqrt(2) > 1.4, round(julianday('2024-01-01')); create virtual table f using fts5(x); insert into f values ('the quick fox'); select count(*) from f where f match 'quick'; with recursive c(n) as (select 1 union all select n + 1 from c where n < 1000) select sum(n) from c;"
s ro.db "create table t(a)"; chmod 444 ro.db; sqlite3 -readonly ro.db "insert into t values (1)" 2>&1 || echo "code $?"; mkdir -p dir; chmod 555 dir; s dir/x.db "create table t(a)" 2>&1 || echo "code $?"; s /proc/x.db "create table t(a)" 2>&1 || echo "code $?"
