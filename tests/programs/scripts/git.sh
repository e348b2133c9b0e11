# SPDX-License-Identifier: Apache-2.0
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=C GIT_COMMITTER_EMAIL=c@example.org
export GIT_AUTHOR_DATE="2024-01-02T03:04:05Z" GIT_COMMITTER_DATE="2024-01-02T03:04:05Z" GIT_PAGER=cat
cd "$WORK"

### init
git config --global init.defaultBranch main
git config --global advice.detachedHead false
git init -q repo && cd repo
git rev-parse --show-toplevel --git-dir --is-inside-work-tree
git config --list --show-origin | grep -v global | sort

### commit
cd repo
printf 'one\ntwo\nthree\n' > a; mkdir -p d/e; echo deep > d/e/f; ln -s d/e/f link; printf '#!/bin/sh\necho run\n' > run; chmod +x run
git add -A && git commit -qm first
git ls-tree -r HEAD
git log --format='%H %an %s' --stat

### status
cd repo
echo four >> a; chmod -x run; ln -sfn a link; touch new; rm d/e/f
git status --porcelain
git diff --stat
git diff --summary
git checkout -q . && rm new && git status --porcelain && ls -l run link | cut -c1-10

### same second
cd repo
for n in 1 2 3 4 5 6 7 8; do echo "$n" > racy; git add racy; echo "$((n + 1))" > racy; git status --porcelain racy; done
git rm -qf --cached racy; rm racy

### untracked cache
cd repo
git update-index --test-untracked-cache 2>&1 | tail -1
git update-index --untracked-cache && git status --porcelain && touch u && git status --porcelain && rm u && git status --porcelain

### merge conflict
cd repo
git checkout -qb side && sed -i s/two/TWO/ a && git commit -qam side
git checkout -q main && sed -i s/two/Two/ a && git commit -qam main
git merge side || echo "code $?"
cat a; git status --porcelain
printf 'one\nboth\nthree\n' > a; git add a; git commit -qm merged; git log --graph --format=%s

### rebase stash bisect
cd repo
git checkout -qb topic HEAD~1 && for n in 1 2 3; do echo $n > t$n; git add t$n; git commit -qm t$n; done
git rebase main 2>&1 | tail -1
echo wip >> t1; git stash -q; git status --porcelain; git stash pop -q; git diff --stat; git checkout -q t1
git bisect start HEAD main >/dev/null 2>&1; git bisect run sh -c 'test ! -e t2' 2>&1 | grep 'is the first'; git bisect reset >/dev/null 2>&1
git cherry-pick --no-commit main >/dev/null 2>&1 || echo "code $?"; git reset -q --hard; git reflog | wc -l

### clone push
git clone -q repo linked && find linked/.git/objects -type f -links 2 | wc -l
git clone -q --no-hardlinks repo copied && find copied/.git/objects -type f -links 2 | wc -l
git clone -q --bare "file://$WORK/repo" bare.git
git clone -q --depth 1 "file://$WORK/repo" shallow && git -C shallow log --format=%s
cd copied && git remote set-url origin ../bare.git && git checkout -q main && echo x > pushed && git add pushed && git commit -qm pushed
git push origin main 2>&1 | tail -1; git fetch -q ../repo topic && git log -1 --format=%s FETCH_HEAD

### hooks
cd copied
printf '#!/bin/sh\necho "hook $(basename "$0") in $PWD"\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit
echo y >> pushed; git commit -qam y
printf '#!/bin/sh\nexit 3\n' > .git/hooks/pre-commit; echo z >> pushed; git commit -qam z || echo "code $?"
chmod -x .git/hooks/pre-commit; git commit -qam z 2>/dev/null; git log -1 --format=%s
printf '#!/bin/sh\nread old new ref; echo "got $ref"\n' > ../bare.git/hooks/post-receive; chmod +x ../bare.git/hooks/post-receive
git push -q origin main

### worktree submodule
cd repo
git checkout -q main; git worktree add -q ../tree topic && git -C ../tree status -sb && git worktree list | sed 's/ .*\[/ [/'
git worktree remove ../tree; git worktree prune; ls ..
git checkout -q main; git -c protocol.file.allow=always submodule add -q "file://$WORK/bare.git" sub && git commit -qm sub && git submodule status | cut -c2-
git clone -q -c protocol.file.allow=always --recurse-submodules . ../with-sub 2>&1 | tail -1; ls ../with-sub/sub

### pack
cd repo
mkdir n; for n in $(seq 200); do echo "$n" > n/$n; done; git add n; git commit -qm many
git gc -q --prune=now && git count-objects -v | grep -E 'count|in-pack|packs'
git repack -adfq --threads=2 && git fsck --full --strict; git verify-pack .git/objects/pack/*.idx
git bundle create -q ../b.bundle --all && git clone -q ../b.bundle ../from-bundle 2>&1 && git -C ../from-bundle log -1 --format=%H
git archive --format=tar HEAD | tar -tf - | wc -l; git archive --format=tar.gz HEAD n | gzip -dc | sha256sum

### patches
cd repo
git format-patch -q -2 -o ../patches topic && ls ../patches
git checkout -qb am HEAD && git am -q ../patches/* 2>&1 | head -3; git log -2 --format=%s
git diff HEAD~1 > ../p.diff; git checkout -q HEAD~1; git apply --check ../p.diff && git apply ../p.diff && git status --porcelain; git stash -qu; git checkout -q main
git blame -s a; git grep -n deep; git clean -ndx; git shortlog -s HEAD | tail -1

### large file
cd repo
python3 -c "
import random; random.seed(1)
open('big', 'wb').write(random.randbytes(24 << 20))"
git add big && git commit -qm big && git -c core.bigFileThreshold=1m repack -adq && rm big && git checkout -q big && sha256sum big
git -c core.packedGitLimit=1m -c core.packedGitWindowSize=1m fsck 2>&1; git reset -q --hard HEAD~1

### daemon
git daemon --listen=127.0.0.1 --port=9418 --base-path="$WORK" --export-all --enable=receive-pack --reuseaddr >daemon.log 2>&1 &
for _ in $(seq 100); do git ls-remote -q git://127.0.0.1/bare.git >/dev/null 2>&1 && break; sleep 0.05; done
git clone -q git://127.0.0.1/bare.git by-daemon && cd by-daemon && echo d > dd && git add dd && git commit -qm d && git push -q origin main 2>&1 | tail -1
git -C ../bare.git log -1 --format=%s main; kill %1; wait || true

### other owner
git clone -q bare.git theirs; chown -R 1000 theirs 2>/dev/null || echo "chown $?"
git -C theirs status -sb 2>&1 | head -1

### lock
cd repo
exec 9>.git/index.lock; git add -A 2>&1 | head -1; rm .git/index.lock; git add -A; git status --porcelain | head -3
for n in 1 2 3 4; do (GIT_INDEX_FILE=.git/index.$n git read-tree HEAD && git tag t.$n && git update-ref refs/heads/p$n HEAD) & done; wait; git tag | sort; git for-each-ref --format='%(refname)' 'refs/heads/p*'
GIT_TRACE=1 git rev-parse HEAD~100 2>&1 | sed 's/^[0-9:.]* //' | head -2
