# SPDX-License-Identifier: Apache-2.0
export PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_COLOR=1 PIP_ROOT_USER_ACTION=ignore PIP_FIND_LINKS="$WORK/wheels" SOURCE_DATE_EPOCH=1700000000
export PIP_PROGRESS_BAR=off
cd "$WORK"
said() { sed -E 's/ in [0-9.]+s/ in Ns/; s/sha256=[0-9a-f]{64}/sha256=X/; s/(ephem-wheel-cache-|tmp)[a-z0-9_]{6,}/TMP/g; s/size=[0-9]+/size=N/' "$@"; }

### build
mkdir -p wheels
for v in 1.0 1.1 2.0; do
	mkdir -p src/pkg && cat > src/setup.py <<-EOF
	from setuptools import setup
	setup(name="toy-pkg", version="$v", packages=["pkg"], install_requires=["toy-dep>=1"], package_data={"pkg": ["*.txt"]},
	      entry_points={"console_scripts": ["toy = pkg:main"]}, scripts=["old-script"])
	EOF
	printf '#!/usr/bin/env python3\nprint("old script")\n' > src/old-script
	printf 'import dep\ndef main():\n    print("toy", "%s", dep.NAME)\n' $v > src/pkg/__init__.py; echo data > src/pkg/d.txt
	(cd src && python3 setup.py -q bdist_wheel -d ../wheels 2>&1 | grep -v -i warn | head -0; python3 setup.py -q sdist -d ../sdists 2>&1 | head -0; rm -rf build ./*.egg-info)
done
mkdir -p dep/dep && printf '[project]\nname = "toy-dep"\nversion = "1.5"\n[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n' > dep/pyproject.toml
echo 'NAME = "dep"' > dep/dep/__init__.py
pip wheel -q --no-build-isolation --no-deps -w wheels ./dep 2>&1 | said; ls wheels sdists

### system is managed
pip install toy-pkg 2>&1 | head -1

### venv
python3 -m venv v && ls -l v/bin/python3 | sed 's/.*-> //' && v/bin/python3 -c 'import sys; print(sys.prefix, sys.base_prefix)'
v/bin/pip list --format=freeze | cut -d= -f1 | sort
python3 -m venv --copies --without-pip w && test ! -L w/bin/python3 && w/bin/python3 -c 'import sys; print(sys.executable)'
python3 -m venv --system-site-packages --without-pip s && s/bin/python3 -c 'import setuptools; print("seen")'

### install
v/bin/pip install 'toy-pkg<2' 2>&1 | said
v/bin/toy; v/bin/old-script; head -1 v/bin/toy; v/bin/pip check
v/bin/pip show -f toy-pkg | grep -E '^(Name|Version|Location|Requires|  )' | sort

### upgrade
v/bin/pip install -U toy-pkg 2>&1 | said; v/bin/toy; v/bin/pip freeze | sed 's/ @ .*//'
v/bin/pip install 'toy-pkg==3' 2>&1 | head -2; v/bin/pip install --force-reinstall --no-deps toy-pkg==1.0 2>&1 | said; v/bin/toy

### uninstall
v/bin/pip uninstall -y toy-pkg 2>&1 | said; test ! -e v/bin/toy && ls v/lib/python3*/site-packages | grep toy; v/bin/pip uninstall -y toy-pkg 2>&1

### sdist
s/bin/python3 -m pip install --no-build-isolation sdists/toy-pkg-2.0.tar.gz 2>&1 | said
s/bin/toy; s/bin/python3 -m pip uninstall -qy toy-pkg

### editable
s/bin/python3 -m pip install --no-build-isolation -q -e ./dep 2>&1 | said
s/bin/python3 -c 'import dep; print(dep.__file__)'; echo 'NAME = "changed"' > dep/dep/__init__.py; s/bin/python3 -c 'import dep; print(dep.NAME)'

### target and user
pip install -q --target t toy-pkg 2>&1 | said; ls t; PYTHONPATH=t python3 -c 'import pkg; pkg.main()'
pip install -q --user --break-system-packages toy-pkg 2>&1 | said; "$HOME/.local/bin/toy"; python3 -c 'import pkg; print(pkg.__file__)'
pip install -q --prefix p toy-pkg 2>&1 | said; find p -name '*.txt' | sort | head -3

### system
pip install --break-system-packages --no-user toy-pkg 2>&1 | said | head -3; python3 -m pip uninstall --break-system-packages -y toy-pkg toy-dep 2>&1 | said | tail -1

### hashes
good=$(sha256sum wheels/toy_pkg-2.0*.whl | cut -d' ' -f1) dep=$(sha256sum wheels/toy_dep*.whl | cut -d' ' -f1)
printf 'toy-pkg==2.0 --hash=sha256:%s\ntoy-dep==1.5 --hash=sha256:%s\n' "$good" "$dep" > req.txt
v/bin/pip install -q --require-hashes -r req.txt 2>&1 && v/bin/toy
sed -i "s/$good/$(printf '0%.0s' $(seq 64))/" req.txt; v/bin/pip install -q --force-reinstall --require-hashes -r req.txt 2>&1 | head -1

### index
mkdir -p index/toy-pkg index/toy-dep; cp wheels/toy_pkg* index/toy-pkg; cp wheels/toy_dep* index/toy-dep
python3 -m http.server --bind 127.0.0.1 -d index 8099 >/dev/null 2>&1 & server=$!
for _ in $(seq 100); do python3 -c 'import socket; socket.create_connection(("127.0.0.1", 8099))' 2>/dev/null && break; sleep 0.05; done
env -u PIP_NO_INDEX -u PIP_FIND_LINKS v/bin/pip install --force-reinstall -i http://127.0.0.1:8099 toy-pkg==1.1 2>&1 | said | grep -v '^ *Downloading'
env -u PIP_NO_INDEX -u PIP_FIND_LINKS v/bin/pip download -q --no-deps -d got -i http://127.0.0.1:8099 toy-pkg && ls got
v/bin/pip cache dir; v/bin/pip cache list 2>&1 | head -1; kill $server; v/bin/toy

### many files
mkdir -p many/m; for n in $(seq 400); do echo "x = $n" > many/m/f$n.py; done; touch many/m/__init__.py
printf 'from setuptools import setup\nsetup(name="many", version="1", packages=["m"])\n' > many/setup.py
s/bin/python3 -m pip install -q --no-build-isolation ./many 2>&1 | said; s/bin/python3 -c 'import m.f399; print(m.f399.x)'; find s -name 'f*.pyc' -path '*/m/*' | wc -l
s/bin/python3 -m pip uninstall -qy many; find s -path '*/m/*' | wc -l

### zipapp and compile
python3 -m zipapp dep -m 'dep:__doc__' -o z.pyz 2>&1 | head -1; mkdir -p za && echo 'print("za")' > za/__main__.py && python3 -m zipapp za -p /usr/bin/python3 && ./za.pyz
python3 -m compileall -q -j 2 t && find t -name '*.pyc' | wc -l; python3 -m ensurepip --version >/dev/null 2>&1; echo "ensurepip $?"
