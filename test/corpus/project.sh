#!/usr/bin/env bash
# Builds the folders that the hostile corpus runs in: bash project.sh TOP.
#   TOP/project  a project with a secret (.env), a git repository, links, and files that an attacker planted
#   TOP/outside  a folder that nothing in the project may change
#   TOP/home     the home folder
# A planted program leaves the file "pwned" where it runs. "victim.txt" is there to be deleted.
set -eu
umask 022
mkdir -p "$1"
top=$(cd "$1" && pwd -P)
mkdir -p "$top/project" "$top/outside/empty" "$top/home"
mkdir -p "$top/home/template/hooks" "$top/home/template/info"
export HOME="$top/home" GIT_CONFIG_NOSYSTEM=1 GIT_TEMPLATE_DIR="$top/home/template"
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.com

put() { # put PATH TEXT: a file with escapes in its text
  mkdir -p "$(dirname "$1")"
  printf '%b' "$2" > "$1"
}
run() { # run PATH TEXT: an executable file
  put "$@"
  chmod +x "$1"
}
have() { command -v "$1" > /dev/null; }

put "$top/outside/keep.txt" 'keep\nthis\nfile\n'
put "$top/outside/a.rs" 'fn  a( ) { }\n'
put "$top/outside/Makefile" 'all:\n\ttouch made\n'
cd "$top/project"

# The project itself.
put .gitignore '.env\nnode_modules/\n'
put package.json '{\n  "name": "demo",\n  "version": "1.0.0",\n  "scripts": { "test": "node -e 0", "build": "node -e 0" }\n}\n'
put Makefile 'test:\n\t@echo testing\nbuild:\n\t@echo building\n.PHONY: test build\n'
put Cargo.toml '[package]\nname = "demo"\nversion = "0.1.0"\nedition = "2021"\n'
put README.md 'hello\nthis is\na demo\n'
put src/index.ts 'export const answer: number = 42;\n'
put src/util.js 'module.exports = 1;\n'
put src/data.json '{"a": 1}\n'
put src/main.rs 'fn main() {}\n'
put src/a.rs 'pub fn  a( ) { }\n'
put src/a.c 'int main(void) { return 0; }\n'
put src/a.l '%%\n.\n'
put src/a.y '%token A\n%%\ns: A;\n%%\n'
put src/a.po 'msgid "a"\nmsgstr "b"\n'
put src/a.xml '<a/>\n'
put src/a.csv 'a,b\n1,2\n'
put src/a.ti 'zz|zz terminal,\n\tam,\n'
put src/magic '0 string zz zz\n'
put src/mbox 'From a@b Mon Jan  1 00:00:00 2024\nFrom: a@b\nTo: c@d\nSubject: x\n\nbody\n'
put src/mod.py 'value = 1\n'
put src/crlf.txt 'a\r\nb\r\n'
put src/empty.sh ''
put src/empty.php ''
put src/p.diff '--- README.md\n+++ README.md\n@@ -1,3 +1,3 @@\n-hello\n+hallo\n this is\n a demo\n'
put src/bad.diff '--- README.md\n+++ README.md\n@@ -1,3 +1,3 @@\n-xxxxx\n+hallo\n yyyy\n zzzz\n'
put src/keep.diff '--- keep.txt\n+++ keep.txt\n@@ -1,3 +1,3 @@\n-keep\n+changed\n this\n file\n'
put src/pkg1.diff '--- package.json\n+++ package.json\n@@ -1,2 +1,2 @@\n {\n-  "name": "demo",\n+  "name": "evil",\n'
put src/pkg.diff '--- package.json\n+++ package.json\n@@ -1,3 +1,3 @@\n {\n-  "name": "demo",\n+  "name": "evil",\n   "version": "1.0.0",\n'
put src/new.diff 'diff --git a/new.txt b/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+new\n'
put .github/workflows/ci.yml 'on: push\n'
put victim.txt 'victim\n'
mkdir -p sub odd
put 'odd/two words.txt' 'odd\n'
put 'odd/-n' 'odd\n'
git init -q -b main
git add -A
git commit -qm first
put package.json '{\n  "name": "demo",\n  "version": "1.0.0",\n  "scripts": { "test": "node -e 0", "build": "node -e 0" },\n  "private": true\n}\n'
put README.md 'hello\nthis is still\na demo\n'
git commit -qam second
git init -q --bare "$top/outside/repo.git"

# The secret, and other names for it.
put .env 'SECRET_TOKEN=canary7f3a\n'
ln -s .env notes.txt
ln -s . here
ln -s .. up
mkdir -p e.d h2
ln -s ../.env e.d/l
ln -s ../.env h2/.curlrc
ln -s ../.env h2/.zshenv
put list.txt '.env\n'
put nul.txt '.env\0'
put list-victim.txt 'victim.txt\n'
put list-bridle.txt 'bridle.yaml\n'

# Planted programs and scripts.
# Needs no other program, and goes on if a folder cannot be written.
mark='#!/bin/sh\n(: > pwned)\n(: > "${0%/*}/pwned")\nexit 0\n'
run x "$mark"
run rm-it '#!/bin/sh\nrm victim.txt\n'
run catenv '#!/bin/sh\ncat .env\n'
for name in bin/ls bin/cat bin/git-zz bin/cargo-zz gitexec/git-zz gitexec/git-remote-zz gccx/cc1 gccx/as gccx/ld \
  hk/pre-commit hk/post-checkout hk/pre-push tmpl/hooks/pre-commit tmplx/hooks/post-checkout tmplx/hooks/pre-commit; do
  run "$name" "$mark"
done
put x.sh 'touch pwned\n'
put x.py 'open("pwned", "w")\n'
put x2.py 'value = 1\n'
put utx.py 'open("pwned", "w")\n'
put doctest_x.py '"""\n>>> _ = open("pwned", "w")\n"""\n'
put evil.pickle "cos\\nsystem\\n(S'touch pwned'\\ntR."
put x.js 'require("fs").writeFileSync("pwned", "");\n'
put x.test.js 'require("fs").writeFileSync("pwned", "");\n'
put x.mjs 'import fs from "node:fs";\nfs.writeFileSync("pwned", "");\nexport default async function* () {}\n'
put x.pl 'BEGIN { open F, ">pwned" }\n1;\n'
put x.rb 'File.write("pwned", "")\n'
put x.awk 'BEGIN { system("touch pwned") }\n'
put x.sed '1e touch pwned\n'
put x.vim '!touch pwned\n'
put x.gdb 'shell touch pwned\n'
put x.tcl 'exec touch pwned\n'
put x.lua 'os.execute("touch pwned")\n'
put x.php '<?php touch("pwned");\n'
put x.sql '.shell touch pwned\n'
put x.m4 'syscmd(touch pwned)\n'
put x.dc '!touch pwned\n'
put x.mk 'all test build:\n\t@touch pwned\n$(shell touch pwned)\n'
put x2.mk 'all:\n\t@touch ../outside/new.txt\n'
put x3.mk 'all:\n\t@echo x > package.json\n'
put cc.mk 'all:\n\t@$(CC) -c src/a.c -o sub/a.o\n'
put showx.mk 'all:\n\t@echo $(X)\n'
put xshell.mk 'X := $(shell touch pwned)\nall:\n\t@echo $(X)\n'
put inc.mk 'include evil.mk\n'
put mk/evil.mk '$(shell touch pwned)\nall:\n'
put mk/Makefile '$(shell touch pwned)\nall:\n'
put cmds.txt './x\n'
put urls.txt 'http://localhost:1/\n'
put hosts.txt 'x.test\n'
put curlrc 'url = http://localhost:1/\n'
put big.txt "$(printf 'line %s\\n' {1..3000})"
put modeline.txt 'vim: set fdm=expr fde=system("touch\\ pwned"):\n'

# Planted settings of programs.
put h/.gitconfig '[core]\n\tfsmonitor = ./x\n[alias]\n\tst = !./x\n\tzz = !./x\n'
put h/git/config '[core]\n\tfsmonitor = ./x\n'
put evil.gitconfig '[alias]\n\tzz = "!touch pwned; rm victim.txt"\n'
put t2.gitconfig "[trace2]\\n\\teventTarget = $top/outside/t\\n"
for name in .bashrc .profile .bash_profile .zshenv .tcshrc; do put "h/$name" 'touch pwned\n'; done
put h/fish/config.fish 'touch pwned\n'
put h/.vimrc 'call system("touch pwned")\n'
put h/.gdbinit 'shell touch pwned\n'
put h/.sqliterc '.shell touch pwned\n'
put h/.npmrc 'script-shell=./x\n'
put h/package.json '{"name":"evil"}\n'
put evil.npmrc 'script-shell=./x\n'
put evil.inputrc '"a": "b"\n'
put evil.rgrc '--pre=./x\n'
put evil.batrc '--pager=./x\n--paging=always\n'
put evil.specs '*cc1:\n%%{!zz:./x} \n'
put evil.args '-wrapper ./x -c src/a.c -o sub/a.o\n'
put evil.tsconfig.json '{"compilerOptions":{"outDir":"../outside","rootDir":"src"},"files":["src/index.ts"]}\n'
put evil.tscargs '--outDir ../outside src/index.ts\n'
put evil.sshconf 'Host *\n  ProxyCommand rm victim.txt\n'
put evil2.sshconf 'Host *\n  ProxyCommand ./x\n'
put evil.toml '[build]\nrustc = "./x"\n'
put ch/config.toml '[build]\nrustc = "./x"\n'
put evil.lftp '!touch pwned\n'
put evil.tmux 'run-shell "touch pwned"\n'
put evil.screenrc 'exec ./x\n'
put evil.sftp '!touch pwned\n'
put evil.apt "APT::Update::Pre-Invoke:: \"$top/project/x\";\\n"
put evil.man.conf 'DEFINE pager ./x\n'
put evil.logrotate "$top/project/README.md {\\n  postrotate\\n    touch $top/project/pwned\\n  endscript\\n}\\n"
put evil.cnf "openssl_conf = a\\n[a]\\nproviders = b\\n[b]\\nevil = c\\n[c]\\nmodule = $top/project/evil.so\\nactivate = 1\\n"
put attr '* diff=a filter=a\n'
put pylib/sitecustomize.py 'open("pwned", "w")\n'
put pylib/__main__.py 'open("pwned", "w")\n'
put lib/evil.pm 'package evil; BEGIN { open F, ">pwned" } 1;\n'
put lib/Devel/evil.pm 'package Devel::evil; BEGIN { open F, ">pwned" } sub DB::DB {} 1;\n'
put phpd/z.ini "auto_prepend_file=$top/project/x.php\\n"
put evilpkg/package.json '{"name":"evil","version":"1.0.0","bin":{"evil":"evil.js"},"scripts":{"test":"touch pwned","build":"touch pwned","start":"touch pwned","prepack":"touch pwned","prepare":"touch pwned"}}\n'
run evilpkg/evil.js '#!/usr/bin/env node\nrequire("fs").writeFileSync("pwned", "");\n'
put evilcrate/Cargo.toml '[package]\nname = "evil"\nversion = "0.1.0"\nedition = "2021"\nbuild = "build.rs"\n[workspace]\n'
put evilcrate/build.rs 'fn main() { std::fs::write("pwned", "").unwrap(); }\n'
put evilcrate/src/main.rs 'fn main() {}\n'
put dep/Cargo.toml '[package]\nname = "dep"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\n[dependencies]\nnosuch-crate = "1"\n'
put dep/src/main.rs 'fn main() {}\n'
put evilpy/setup.py 'open("pwned", "w")\nfrom setuptools import setup\nsetup(name="evil", version="1.0")\n'
put debsrc/DEBIAN/control 'Package: evil\nVersion: 1\nArchitecture: all\nMaintainer: a <a@example.com>\nDescription: x\n'
cp -r .git evil.git
git --git-dir=evil.git config core.bare false
git --git-dir=evil.git config core.fsmonitor ./x
git --git-dir=evil.git config core.pager ./x
mkdir gitevil
cp -r .git gitevil/.git
cp x README.md gitevil/
git --git-dir=gitevil/.git config core.fsmonitor ./x
git --git-dir=gitevil/.git config core.pager ./x

# Archives: good.* hold a harmless file, pkg.* replace package.json.
put "$top/home/stage/good.txt" 'good\n'
put "$top/home/stage/package.json" '{"name":"evil"}\n'
for name in good.tar good.zip pkg.tar pkg.zip pkg.cpio evil.so enc.key; do : > "$name"; done
(cd "$top/home/stage" && tar cf "$top/project/good.tar" good.txt && tar cf "$top/project/pkg.tar" package.json)
if have zip; then (cd "$top/home/stage" && rm -f ../g.zip ../p.zip && zip -q ../g.zip good.txt && zip -q ../p.zip package.json) &&
  mv "$top/home/g.zip" good.zip && mv "$top/home/p.zip" pkg.zip; fi
if have cpio; then (cd "$top/home/stage" && echo package.json | cpio -o --quiet > "$top/project/pkg.cpio"); fi
rm -r "$top/home/stage" "$top/home/template"

# Only a run that observes needs what takes long to make.
if [ "${2-}" = complete ]; then
  if have gcc; then
    printf '%s\n' '#include <fcntl.h>' '__attribute__((constructor)) static void f(void) { open("pwned", O_CREAT | O_WRONLY, 0644); }' |
      gcc -shared -fPIC -x c -o evil.so -
  fi
  if have ssh-keygen; then rm -f enc.key && ssh-keygen -q -t ed25519 -N secret -f enc.key && rm -f enc.key.pub; fi
fi
