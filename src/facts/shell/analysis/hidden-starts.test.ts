/** Ways in which a listed program starts, sets or writes more than its name suggests. */

import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { isLineOpaque, lineRunsOnly, lineRuns } from '../../index.ts';
import type { Truth } from '../../truth.ts';

function answer(truth: Truth): 'yes' | 'no' | 'unknown' {
  return typeof truth === 'object' ? 'unknown' : truth ? 'yes' : 'no';
}

describe('a variable that arithmetic sets', () => {
  it.each([
    '((PATH=1)); ls',
    '((PATH+=1)); ls',
    '((PATH<<=1)); ls',
    '((PATH++)); ls',
    '((--PATH)); ls',
    '((PATH[0]=1)); ls',
    '((b = PATH = 1)); ls',
    '((x ? PATH=1 : 2)); ls',
    '((a[PATH=1])); ls',
    '((PATH=1 2)); ls',
    '(((PATH) = 1)); ls',
    'ls $((PATH=1))',
    'ls "$((PATH=1))"',
    'ls $[PATH=1]',
    'ls ${a[PATH=1]}',
    'ls ${#a[PATH=1]}',
    'ls ${x:PATH=1}',
    'ls ${x:0:PATH=1}',
    'a[PATH=1]=2; ls',
    'a=([PATH=1]=2); ls',
    '[[ 1 -eq PATH=1 ]]; ls',
    '[[ -v a[PATH=1] ]]; ls',
    'for ((PATH=1;;)); do ls; done',
    'for ((;;PATH=1)); do ls; done',
    'let PATH=1; ls',
    'ls <<< $((PATH=1))',
    'ls <<E\n$((PATH=1))\nE',
    'x=PATH=1; ((x)); ls',
    'x=PATH; (($x=1)); ls',
    'x=PATH; ((${x}=1)); ls',
    'x=PATH; : ${!x:=1}; ls',
    'for x in PATH=1; do ((x)); ls; done',
    ': {PATH}</dev/null; ls',
    '{ ls; } {PATH}</dev/null',
    'ls {PATH}<f',
    'ls {a[PATH=1]}<f',
    "printf 'abc%n' PATH; ls",
    "printf 'abc%-5ln' PATH; ls",
    'printf "$x" PATH; ls',
    'printf %s%%%n a PATH; ls',
  ])(proves('X03', 'X06')('may change what runs: %j'), (line) => {
    expect(answer(lineRunsOnly(line, ['ls', 'let', 'printf', ':']))).not.toBe('yes');
    expect(answer(isLineOpaque(line))).not.toBe('no');
  });

  it.each(['((GIT_PAGER=1)); git log', 'x=PAGER; (($x=1)); git log', ': $((BASH_ENV=1)); sh -c ls'])(
    proves('X02')('may hold a value that is run: %j'),
    (line) => {
      expect(answer(lineRuns(line, ['rm']))).toBe('unknown');
    },
  );

  it.each([
    '((i++)); ls',
    'for ((i=0; i<3; i++)); do ls; done',
    'ls $((i + 1)) $((a == 1)) $((a <= 1)) ${a[i]} ${x:1:2}',
    '[[ $x -eq 1 ]] && ls',
    "printf '%d%%\\n' 5",
    "printf '%s\\n' PATH",
    'ls <<< $((n-1))',
  ])('has no effect under a name that no program reads: %j', (line) => {
    expect(answer(lineRunsOnly(line, ['ls', 'printf']))).toBe('yes');
  });
});

describe('a listed program', () => {
  it.each([
    'clang -fuse-ld=/bin/rm a.c',
    'clang --ld-path=/bin/rm a.c',
    'clang -Xclang -load -Xclang rm a.c',
    'gcc -wrapper rm,-rf a.c',
    'gcc -Wl,-plugin,rm a.c',
    'gcc -Wp,rm a.c',
    'gcc -Xlinker rm a.c',
    `mlr --icsv put 'system("rm x")' f`,
    "mlr --prepipe 'rm x' cat f",
    'fx f \'require("child_process").execSync("rm x")\'',
    'arch rm x',
    'arch -arm64 rm -rf /',
    'arch -arch x86_64 -e A=b rm x',
    'c8 rm x',
    'nyc --silent rm x',
    'coverage run -m rm',
    'dotnet exec rm',
    "dc -e '!rm x'",
    "lf -command '!rm x'",
    'rustc --codegen linker=rm a.rs',
    'rustc -Clinker=rm a.rs',
    'npm explore foo -- rm x',
    'npm pkg set scripts.test="rm x"',
    'npm config set script-shell rm',
    'yarn workspaces foreach exec rm x',
    'yarn workspace a exec rm x',
    'pnpm -r exec rm x',
    'bun x rm y',
    'bun run rm',
    'bun rm-script --exec rm',
    'ip netns exec n rm x',
    "sysctl -w 'kernel.core_pattern=|/bin/rm x'",
    'guix shell -- rm x',
    'flatpak run --command=rm app',
    'snap run rm',
    'brew sh -c rm',
    "brew ruby -e 'system(%q(rm x))'",
    "apt-get -o APT::Update::Pre-Invoke::='rm x' update",
    "apt-get update -o APT::Update::Pre-Invoke::='rm x'",
    "dpkg --pre-invoke='rm x' -i a.deb",
    "rpm --eval '%(rm x)'",
    "rpm -E '%(rm x)'",
    "rpm --define 'a %(rm x)' -qa",
    "rpm --pipe 'rm x' -qa",
    "ssh-copy-id -o ProxyCommand='rm x' h",
    'ssh-keygen -D rm',
    "javac -J-XX:OnError='rm x' X.java",
    `perl -M'POSIX;system("rm x")' -e 1`,
    `perl -mPOSIX=';system("rm x")' -e 1`,
    "perl -F'/@{[system(q(rm x))]}/' -ane 1",
    "perl -d:'x;system(q(rm x))' -e 1",
    `python -m timeit 'import os;os.system("rm x")'`,
    "python3 -m pdb -c '!rm x' y.py",
    'cargo rustc -- -C linker=rm',
    'git submodule add "ext::rm x"',
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.pager GIT_CONFIG_VALUE_0='rm x' git log",
    'GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.pager GIT_CONFIG_VALUE_0="$x" git log',
    `GIT_CONFIG_PARAMETERS="'core.pager=rm x'" git log`,
  ])(proves('X02', 'X04')('may start what its arguments name: %s'), (line) => {
    expect(answer(lineRuns(line, ['rm']))).not.toBe('no');
  });

  it.each([
    'npm install rm',
    'npm uninstall rm',
    'npm run rm',
    'git commit -m "rm x"',
    'git checkout rm',
    'git push origin rm',
    'python x.py rm',
    'cargo test rm',
    'apt-get install -y rm',
    'apt-get -y install rm',
    'brew install rm',
    'arch',
  ])(proves('X02')('does not start what is only a name: %s'), (line) => {
    expect(answer(lineRuns(line, ['rm']))).toBe('no');
  });

  it.each([
    'bun root',
    'bun why',
    'yarn explain',
    'yarn doctor',
    'yarn prefix',
    'yarn why x',
    'pnpm doctor',
    'npm fund x',
    'gcc @args',
    'clang -fpass-plugin=x.so a.c',
    'clang --config x a.c',
    'jq -f x.jq f',
    `jq 'import "./x" as $x; .' f`,
    `yq 'load("/etc/passwd")' f`,
    `yq e 'load("/etc/passwd")' f`,
    'yq "$x" f',
    'tsc @args',
    'ldd ./x',
    'tar cf a.tar -T list',
    'm4 x',
    'KUBECONFIG=x kubectl get pods',
    'CURL_HOME=. curl http://a.test/',
    'tar tf evil:/x',
    'tar -cf host:/x .',
    'cat < /dev/tcp/1.2.3.4/80',
    'echo x > /dev/udp/1.2.3.4/53',
    'exec 3<>/dev/tcp/1.2.3.4/80',
    'curl -w @format http://a.test/',
  ])(proves('X04')('is opaque: %s'), (line) => {
    expect(answer(isLineOpaque(line))).toBe('yes');
  });

  it.each([
    ['gcc', 'gcc -Wl,-plugin,./evil.so a.c'],
    ['gcc', 'gcc -Wl,-o,x a.c'],
    ['gcc', 'gcc -Wp,-MD,/etc/x a.c'],
    ['gcc', 'gcc -Wa,-a=/etc/x a.c'],
    ['gcc', 'gcc -mllvm -load=x a.c'],
    ['gcc', 'gcc -fdump-tree-original=/etc/x a.c'],
    ['gcc', 'gcc @args'],
    ['javac', 'javac @args'],
    ['rustc', 'rustc @args'],
    ['nm', 'nm @args'],
    ['ldd', 'ldd ./x'],
    ['mlr', 'mlr cat f'],
    ['mlr', 'mlr -I cat f'],
    ['jq', `jq 'include "x"; .' f`],
    ['jq', 'jq -f x.jq f'],
    ['yq', `yq 'load("/etc/passwd")' f`],
    ['yq', `yq eval 'load("/etc/passwd")' f`],
    ['git apply --check', 'git apply --check --apply p'],
    ['git apply --stat', 'git apply --stat --apply p'],
    ['git apply --numstat', 'git apply --numstat --apply p'],
    ['git apply --check', 'git apply --check --reject p'],
    ['tsc --noEmit', 'tsc --noEmit false'],
    ['tsc --noEmit', 'tsc --noEmit FALSE'],
    ['tsc --noEmit', 'tsc --noEmit @args'],
    ['tsc --noEmit', 'tsc --noEmit "$x"'],
    ['kubectl get', 'kubectl get pods --profile=heap'],
    ['tar tf', 'tar tf evil:/x'],
    ['tar -t', 'tar -t -f evil:x'],
    ['tar tf', 'tar tf "$x"'],
    ['cpio -t', 'cpio -t -I evil:/x'],
    ['cat', 'cat < /dev/tcp/1.2.3.4/80'],
    ['cat', 'for f in /dev/tcp/1.2.3.4/80; do cat < $f; done'],
    ['cat', 'for d in tcp; do cat < /dev/$d/1.2.3.4/80; done'],
    ['sift', 'sift -o out pat'],
    ['ugrep', 'ugrep --filter=./x pat'],
    ['npm fund', 'npm fund x'],
    ['lz4', 'lz4 -l f'],
    ['base64', 'base64 -o out f'],
    ['curl', "curl -w '%output{f}x' http://a.test/"],
    ['zstd -l', 'zstd -l --filelist f'],
    ['dc', "dc -e '!ls'"],
    ['m4', 'm4 x'],
    ['tar t', 'tar t -T list'],
    ['sed', 'sed -i.yaml p x'],
  ])(proves('X03')('is not covered by %s: %s'), (entry, line) => {
    expect(answer(lineRunsOnly(line, [entry]))).not.toBe('yes');
  });

  it.each([
    ['gcc', 'gcc -Wall -Wlong-long -Wpedantic -Wa -O2 -c a.c'],
    ['jq', 'jq .a f'],
    ['jq', 'jq ".$x" f'],
    ['yq', 'yq .a f'],
    ['git apply --check', 'git apply --check p'],
    ['tsc --noEmit', 'tsc --noEmit -p .'],
    ['tsc --noEmit', 'tsc --noEmit src/true.ts'],
    ['kubectl get', 'kubectl get pods -o wide'],
    ['tar tf', 'tar tf ./a:b.tar'],
    ['cat', 'cat < a'],
    ['cat', 'cat < /dev/null'],
    ['pnpm why', 'pnpm why x'],
    ['npm why', 'npm why x'],
    ['npm explain', 'npm explain x'],
  ])('is covered by %s: %s', (entry, line) => {
    expect(answer(lineRunsOnly(line, [entry]))).toBe('yes');
  });
});
