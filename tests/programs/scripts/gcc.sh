# SPDX-License-Identifier: Apache-2.0
cd "$WORK"

### hello
printf '#include <stdio.h>\nint main(int argc, char **argv) { printf("%%s %%d\\n", argv[0], argc); return 3; }\n' > h.c
gcc -Wall -O2 -o h h.c; ./h a b || echo "code $?"; gcc -static -s -o hs h.c && ./hs || echo "code $?"; gcc -m64 -no-pie -pipe -save-temps=obj -o hn h.c && ls; echo 'int main(void) { return x; }' | gcc -x c - 2>&1 | grep -o "error: .*"; ls /tmp/cc* 2>/dev/null | wc -l

### libraries
printf 'int f(void) { return 41; }\n' > f.c; printf '#include <dlfcn.h>\n#include <stdio.h>\nint f(void);\nint main(int c, char **v) { int (*g)(void) = dlsym(dlopen(v[1], RTLD_NOW), "f"); printf("%%d %%d\\n", f() + 1, g()); return 0; }\n' > m.c
gcc -fPIC -shared -o libf.so f.c && gcc -c f.c && ar rcs libf.a f.o && ranlib libf.a && nm libf.a | grep ' T '
gcc -o ms m.c -Wl,-Bstatic -L. -lf -Wl,-Bdynamic && ./ms ./libf.so; gcc -o md m.c -L. -lf '-Wl,-rpath,$ORIGIN' && ./md ./libf.so; gcc -o ml m.c -L. -lf && (./ml ./libf.so 2>&1 || echo "code $?"; LD_LIBRARY_PATH=. ./ml ./libf.so; LD_PRELOAD=./libf.so ./ml ./libf.so 2>&1)
strip ms; objdump -p md | grep -E 'NEEDED|RUNPATH'; setarch -R ./ms ./libf.so 2>&1

### make
mkdir -p k; for n in $(seq 12); do printf 'int f%s(void) { return %s; }\n' $n $n > k/f$n.c; done
printf 'O := $(patsubst %%.c,%%.o,$(sort $(wildcard *.c)))\nlib.a: $O\n\t@echo AR $(words $?); ar rcs $@ $?\n%%.o: %%.c\n\t@echo CC $<; $(CC) -MMD -c -o $@ $<\nclean:\n\trm -f *.o *.d lib.a\n-include *.d\n' > k/Makefile
cd k; make -j4 | sort; make; touch f3.c; make; sleep 0.01; echo 'int g;' >> f5.c; make; make -q && echo current; make -j2 --output-sync clean | wc -c; make -j2 -s 2>&1 | wc -l; make nothing 2>&1 || echo "code $?"

### threads
printf '#include <pthread.h>\n#include <stdio.h>\n#include <stdatomic.h>\nstatic atomic_int n; static _Thread_local int l;\nstatic void *w(void *a) { (void)a; for (l = 0; l < 1000; l++) n++; return 0; }\nint main(void) { pthread_t t[64]; for (int i = 0; i < 64; i++) if (pthread_create(t + i, 0, w, 0)) return 1; for (int i = 0; i < 64; i++) pthread_join(t[i], 0); printf("%%d\\n", n); return 0; }\n' > t.c; gcc -O2 -pthread t.c -o t && ./t

### sanitizers
printf '#include <stdlib.h>\nint main(int c, char **v) { char *p = malloc(8); int n = c << 30; if (c > 1) p[atoi(v[1])] = 1; if (c > 2) p = 0; else free(p); return c > 3 ? n * 4 : 0; }\n' > s.c
gcc -g -fsanitize=address -o sa s.c; ./sa 3; ./sa 8 2>&1 | grep -o 'heap-buffer-overflow on' | head -1; ./sa 1 2 2>&1 | grep -oE 'detected memory leaks|LeakSanitizer.*|[0-9]+ byte\(s\) leaked'; gcc -fsanitize=undefined -o su s.c && ./su 1 2 3 2>&1 | grep -o 'runtime error: .*'
printf '#include <pthread.h>\nint n; void *w(void *a) { n++; return a; }\nint main(void) { pthread_t t; pthread_create(&t, 0, w, 0); n++; pthread_join(t, 0); return 0; }\n' > r.c; gcc -g -fsanitize=thread -pthread -o r r.c && (setarch -R ./r 2>&1 || echo "code $?") | grep -oE 'WARNING: ThreadSanitizer: data race|FATAL.*|code .*|Operation not permitted'

### core and signals
printf '#include <signal.h>\n#include <stdio.h>\n#include <sys/resource.h>\n#include <stdlib.h>\nint main(int c, char **v) { struct rlimit r; getrlimit(RLIMIT_CORE, &r); printf("%%d\\n", r.rlim_max == 0); fflush(stdout); if (c > 1) raise(atoi(v[1])); return 0; }\n' > c.c; gcc -o c c.c; ./c >/dev/null; for s in 2 6 8 11 15 31; do ./c $s >/dev/null 2>&1 || echo "$s code $?"; done 2>/dev/null
printf '#include <ucontext.h>\n#include <sys/mman.h>\n#include <stdio.h>\n#include <string.h>\nint main(void) { unsigned char code[] = {0xb8, 42, 0, 0, 0, 0xc3}; void *p = mmap(0, 4096, 7, 0x22, -1, 0); if (p == MAP_FAILED) return 1; memcpy(p, code, 6); printf("%%d\\n", ((int (*)(void))p)()); return 0; }\n' > j.c; gcc -o j j.c && ./j; printf 'int main(void) { int x = 1; int f(void) { return x; } int (*volatile p)(void) = f; return p() - 1; }' > n.c; gcc -o n n.c 2>/dev/null && ./n && echo trampoline

### profile
printf 'int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }\nint main(void) { return f(20) != 6765; }\n' > p.c; gcc --coverage -O0 p.c -o p && ./p && ls ./*.gcda && gcov -n ./*p.gcno 2>/dev/null | grep Lines; gcc -fprofile-use -fprofile-dir=. -O2 -Wno-missing-profile p.c -o p2 && ./p2; gcc -pg p.c -o p3 && ./p3 && ls gmon.out

### trace
strace -f -o s.out -e trace=execve ./h >/dev/null || echo "code $?"; grep -c execve s.out; strace -c -S name -e trace=write ./h 2>&1 >/dev/null | grep -c write; ./h >/dev/null & wait $! || true; strace -e inject=write:error=ENOSPC -e trace=write ./h 2>&1 | grep -c INJECTED
sleep 20 & strace -p $! -e trace=none -o att 2>att.err & sleep 0.5; kill %1; wait %1 2>/dev/null || echo "code $?"; cat att att.err | sed 's/[0-9][0-9]*/N/g' | sort

### many processes
for n in $(seq 100); do echo "#include <stdio.h>" > q$n.c; done; seq 100 | xargs -P 16 -I{} gcc -E -o q{}.i q{}.c; ls q*.i | wc -l; sha256sum q*.i | cut -c1-64 | sort -u | wc -l
