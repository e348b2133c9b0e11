# SPDX-License-Identifier: Apache-2.0
cd "$WORK"

### start
node -e 'console.log(process.argv.length, process.cwd(), process.exitCode, typeof fetch)'; echo 'console.log(require("path").sep)' | node -; node -p '6*7'; node -e 'process.exit(5)' || echo "code $?"
node -e 'throw new TypeError("x")' 2>&1 | grep TypeError; node --check /etc/passwd >/dev/null 2>&1 || echo "code $?"

### modules
mkdir -p m/node_modules/dep; echo '{"main":"i.js"}' > m/node_modules/dep/package.json; echo 'exports.n = 1' > m/node_modules/dep/i.js
echo 'import dep from "dep"; import {readFile} from "node:fs/promises"; console.log(dep.n, (await readFile("x.mjs")).length > 10)' > m/x.mjs; (cd m && node x.mjs)
ln -s ../dep-real m/node_modules/linked; mkdir m/dep-real; echo 'exports.f = __filename' > m/dep-real/index.js; (cd m && node -p 'require("linked").f; ' && node --preserve-symlinks -p 'require("linked").f')

### files
cat > f.js <<'EOF'
const fs = require("fs"), os = require("os"), path = require("path");
const d = fs.mkdtempSync("t-"); process.chdir(d);
fs.writeFileSync("a", "hello", {mode: 0o640}); fs.appendFileSync("a", " world"); fs.copyFileSync("a", "b"); fs.linkSync("a", "c"); fs.symlinkSync("a", "l");
const s = fs.statSync("a"); console.log(s.size, s.nlink, (s.mode & 0o7777).toString(8), s.uid === process.getuid(), fs.lstatSync("l").isSymbolicLink());
fs.utimesSync("a", 1e9, 1e9 + 0.5); console.log(fs.statSync("a").mtimeMs, fs.readlinkSync("l"), fs.realpathSync("l") === path.join(process.cwd(), "a"));
fs.mkdirSync("x/y/z", {recursive: true}); fs.writeFileSync("x/y/z/f", "1"); fs.cpSync("x", "x2", {recursive: true}); fs.renameSync("x2", "x3"); fs.rmSync("x", {recursive: true});
console.log(fs.readdirSync(".").sort(), fs.readdirSync(".", {withFileTypes: true}).filter(e => e.isDirectory()).map(e => e.name));
for (const f of [() => fs.readFileSync("no"), () => fs.mkdirSync("x3"), () => fs.rmdirSync("x3"), () => fs.openSync("/etc", "w"), () => fs.writeFileSync("/proc/version", "x"), () => fs.chownSync("a", 4000000000, 0)])
  try { f(); console.log("no error"); } catch (e) { console.log(e.code, e.syscall); }
fs.truncateSync("a", 3); const h = fs.openSync("a", "r+"); fs.fsyncSync(h); fs.fdatasyncSync(h); fs.writeSync(h, "Z", 1); fs.closeSync(h); console.log(fs.readFileSync("c", "utf8"));
console.log(fs.statfsSync ? fs.statfsSync(".").bsize : 4096, os.tmpdir(), os.EOL === "\n", process.umask().toString(8));
EOF
node f.js

### watch
cat > w.js <<'EOF'
const fs = require("fs"); fs.mkdirSync("watched"); const seen = new Set();
const w = fs.watch("watched", (t, n) => { seen.add(`${t} ${n}`); if (seen.has("change a") && seen.has("rename b")) { w.close(); console.log([...seen].sort()); } });
fs.writeFileSync("watched/a", "1"); setTimeout(() => { fs.writeFileSync("watched/a", "2"); fs.renameSync("watched/a", "watched/b"); }, 50);
fs.watchFile("watched", {interval: 20}, (now, then) => { fs.unwatchFile("watched"); console.log("polled"); });
setTimeout(() => { console.log("late", [...seen]); process.exit(1); }, 5000).unref();
EOF
node w.js | sort

### processes
cat > p.js <<'EOF'
const cp = require("child_process"); const {once} = require("events");
(async () => {
  console.log(cp.execSync("echo sync; id -u").toString().startsWith("sync"), cp.spawnSync("sh", ["-c", "exit 7"]).status, cp.spawnSync("sh", ["-c", "kill -9 $$"]).signal, cp.spawnSync("nope").error.code);
  const c = cp.spawn("cat"); c.stdin.end("through"); let out = ""; c.stdout.on("data", d => out += d); console.log(await once(c, "close"), out);
  const f = cp.fork(__dirname + "/child.js"); f.send({n: 20}); console.log((await once(f, "message"))[0]); f.kill("SIGTERM"); console.log(await once(f, "exit"));
  const s = cp.spawn("sleep", ["100"], {detached: true}); process.kill(-s.pid, "SIGINT"); console.log(await once(s, "exit"));
  const t = cp.exec("sleep 100", {timeout: 100}); console.log(await once(t, "exit"));
  process.on("SIGUSR2", () => { console.log("usr2"); process.exit(0); }); process.kill(process.pid, "SIGUSR2"); setTimeout(() => {}, 5000);
})();
EOF
echo 'process.on("message", m => process.send(m.n + 1)); process.on("SIGTERM", () => process.exit(9));' > child.js; node p.js

### ids
cat > i.js <<'EOF'
const os = require("os"); console.log(process.getuid(), process.getgid(), process.getgroups(), os.userInfo().username, os.userInfo().homedir);
for (const f of [() => process.setgid(1000), () => process.setuid(1000), () => process.setuid(0)]) try { f(); console.log(process.getuid(), process.getgid()); } catch (e) { console.log(e.code || e.message); }
EOF
node i.js; node -e 'const r = require("child_process").spawnSync("id", ["-u"], {uid: 1000}); console.log(r.error ? r.error.code : r.stdout.toString().trim())'

### workers
cat > k.js <<'EOF'
const {Worker, isMainThread, parentPort, workerData} = require("worker_threads");
if (isMainThread) {
  const sab = new SharedArrayBuffer(4), a = new Int32Array(sab); let left = 4;
  for (let n = 0; n < 4; n++) new Worker(__filename, {workerData: sab}).on("exit", c => { if (!--left) console.log(Atomics.load(a, 0), c); });
} else { const a = new Int32Array(workerData); for (let n = 0; n < 1000; n++) Atomics.add(a, 0, 1); Atomics.wait(a, 0, -1, 1); }
EOF
node k.js; node -e 'setTimeout(() => console.log("big", Buffer.alloc(300 << 20).length), 1)'; node --max-old-space-size=40 -e 'const a = []; for (;;) a.push(new Array(1e5).fill(1.5))' >/dev/null 2>&1 || echo "code $?"

### net
cat > n.js <<'EOF'
const http = require("http"), net = require("net"), dgram = require("dgram"), dns = require("dns"), fs = require("fs");
const get = o => new Promise((y, n) => http.get(o, r => { let b = ""; r.on("data", d => b += d).on("end", () => y(r.statusCode + " " + b)); }).on("error", n));
(async () => {
  const s = http.createServer((q, r) => q.url === "/big" ? r.end(Buffer.alloc(5 << 20, 65)) : r.end(q.url)); await new Promise(y => s.listen(0, "127.0.0.1", y));
  console.log(await get({port: s.address().port, path: "/a", host: "127.0.0.1"}), (await get({port: s.address().port, path: "/big", host: "127.0.0.1"})).length);
  console.log(await Promise.all([...Array(50).keys()].map(n => get({port: s.address().port, path: "/" + n, host: "127.0.0.1"}))).then(a => a.length)); 
  console.log(await fetch(`http://127.0.0.1:${s.address().port}/f`).then(r => r.text())); s.closeAllConnections(); s.close();
  const u = http.createServer((q, r) => r.end("unix")); await new Promise(y => u.listen("sock", y)); console.log(await get({socketPath: "sock", path: "/"}), fs.statSync("sock").isSocket()); u.close();
  const d = dgram.createSocket("udp4"); await new Promise(y => d.bind(0, "127.0.0.1", y)); d.send("dg", d.address().port, "127.0.0.1"); console.log((await new Promise(y => d.on("message", y))).toString()); d.close();
  await get({port: 9, host: "127.0.0.1"}).catch(e => console.log(e.code)); await get({port: 9, host: "192.0.2.1"}).catch(e => console.log(e.code));
  console.log((await dns.promises.lookup("localhost", {family: 4})).address); await dns.promises.lookup("no.such.invalid").catch(e => console.log(e.code));
  const p = net.createServer().on("error", e => console.log("80:", e.code)).listen(80, "127.0.0.1", () => { console.log("80: ok"); p.close(); });
})();
EOF
node n.js

### cluster
cat > c.js <<'EOF'
const cluster = require("cluster"), http = require("http");
if (cluster.isPrimary) {
  cluster.fork(); cluster.fork(); let up = 0;
  cluster.on("listening", (w, a) => { if (++up === 2) http.get({port: a.port, host: "127.0.0.1"}, r => r.resume().on("end", () => { console.log(r.statusCode); for (const id in cluster.workers) cluster.workers[id].kill("SIGKILL"); })); });
  let gone = 0; cluster.on("exit", (w, code, sig) => { console.log(code, sig); if (++gone === 2) process.exit(0); });
} else http.createServer((q, r) => r.end("w")).listen(8088, "127.0.0.1");
EOF
node c.js

### test runner
printf 'const test = require("node:test"), a = require("assert"); test("good", () => a.equal(1, 1)); test("bad", {todo: false}, () => a.equal(1, 2));' > x.test.js; node --test x.test.js >t.out 2>&1 || echo "code $?"; grep -E '^# (tests|pass|fail)' t.out

### streams
cat > s.js <<'EOF'
const {pipeline} = require("stream/promises"), fs = require("fs"), z = require("zlib"), crypto = require("crypto");
(async () => { fs.writeFileSync("in", Buffer.alloc(8 << 20, "abc")); await pipeline(fs.createReadStream("in"), z.createGzip(), fs.createWriteStream("out.gz")); await pipeline(fs.createReadStream("out.gz"), z.createGunzip(), fs.createWriteStream("back"));
  console.log(Buffer.compare(fs.readFileSync("in"), fs.readFileSync("back")), crypto.createHash("sha256").update(fs.readFileSync("back")).digest("hex").slice(0, 16), crypto.randomBytes(8).length, crypto.scryptSync("p", "s", 16).toString("hex")); })();
EOF
node s.js; yes | head -c 3000000 | node -e 'let n = 0; process.stdin.on("data", d => n += d.length).on("end", () => console.log(n))'; node -e 'for (let i = 0; i < 1e5; i++) console.log(i)' | head -1; node -e 'console.log(process.stdout.isTTY, process.stdin.isTTY)'
script -qec 'node -p "process.stdout.isTTY"' /dev/null </dev/null | tr -d '\r'
