/** Interpreters, and tools that run code of a project. */

import { joinNames, type ProgramRows } from '../../usage/program-row.ts';

const script = '-- <script> <either>... stdin=foreign';

const deno = `-A,--allow-all! -R*,--allow-read[=text] -W*,--allow-write[=text]! -N*,--allow-net[=text]! -E*,--allow-env[=text]
  -S*,--allow-sys[=text] -I*,--allow-import[=text]! --allow-run[=text]! --allow-ffi[=text]! --deny-net[=text] --deny-read[=text]
  --deny-write[=text] --deny-run[=text] --deny-env[=text] --no-prompt --no-check[=text] --watch[=text]
  -c,--config=script --no-config --import-map=script --lock[=in]! --no-lock --frozen[=text] -r*,--reload[=text]
  --unstable --unstable-kv --unstable-sloppy-imports --inspect[=text]! --inspect-brk[=text]! --v8-flags[=text]!
  --env-file[=in]! --node-modules-dir[=text] --vendor[=text] --cached-only --location=text --seed=text --no-remote
  --no-npm --cert=in --preload=script -q,--quiet -L,--log-level=text -h`;

export const languagePrograms: ProgramRows = {
  'python, python#, pypy, pypy#, ipython, jython, micropython': {
    usage: `-b -B -c=foreign:first:last -d -E -h -i! -I -m=program:first:rest -O -OO -P -q -R -s -S -u -v -V,--version:first -VV:first -W=text! -x
    -X=text! -? --check-hash-based-pycs=text --help-env --help-xoptions --help-all ${script} opaque`,
  },
  'node, nodejs, node#': {
    usage: `-e,--eval=foreign:first -p,--print=foreign:first -pe=foreign:first -v,--version:first -h,--help:first -c,--check -i,--interactive!
    -r,--require=script --import=foreign --experimental-loader,--loader=foreign --env-file=in!
    --env-file-if-exists=in! -C,--conditions=text --input-type=text --inspect[=text]! --inspect-brk[=text]!
    --max-old-space-size=text --no-warnings --enable-source-maps --experimental-strip-types --experimental-vm-modules
    --preserve-symlinks --stack-trace-limit=text --test!:stdin=data --test-reporter=builtin --test-reporter-destination=out
    --test-name-pattern=text --test-concurrency=text --watch! --watch-path=reads --run=text!:stdin=data --trace-warnings
    --trace-deprecation --throw-deprecation --unhandled-rejections=text --use-openssl-ca --icu-data-dir=reads!
    --title=text --test-only --test-force-exit --test-isolation=text --test-coverage-include=text
    --test-coverage-exclude=text --test-shard=text --test-skip-pattern=text --test-timeout=text
    --test-update-snapshots! --experimental-test-coverage --experimental-test-isolation=text --no-deprecation
    --experimental-transform-types --experimental-default-type=text --disable-warning=text --trace-uncaught
    --max-http-header-size=text --expose-gc --harmony --permission --allow-fs-read=text --allow-fs-write=text!
    --allow-child-process! --cpu-prof! --cpu-prof-dir=filled --cpu-prof-name=text --heap-prof! --heap-prof-dir=filled --prof!
    --inspect-port=text --trace-exit --trace-sync-io --trace-gc --no-experimental-strip-types --experimental-sqlite
    --experimental-modules --experimental-json-modules --experimental-fetch --experimental-specifier-resolution=text
    --openssl-legacy-provider --tls-min-v1.2 --dns-result-order=text --abort-on-uncaught-exception --report-on-fatalerror
    --watch-preserve-output --max-semi-space-size=text --stack-size=text --zero-fill-buffers --pending-deprecation
    --frozen-intrinsics --disable-proto=text --no-network-family-autoselection ${script} opaque`,
    // It finds the tests below the folder.
    with: { '--test': '<sources!>...' },
  },
  'perl, perl#': `-0 -NUM -a -A*=foreign -c -C*!:unsure -d*=foreign -D*! -E=foreign:first -e=foreign:first -f -F*=foreign -g -h -i*=backup:out -I=script
    -l -m*=foreign -M*=foreign -n -p -s -S -t -T -u -U -v -V*=foreign -w -W -x*! -X -- <script> <either>... stdin=foreign opaque`,
  'ruby, ruby#, irb, jruby, rbx': `-0 -NUM -a -c -C=folder -d,--debug -e=foreign:first -E,--encoding=text -F* -h -i*=backup!:out -I=script -l -n -p -r=script -s
    -S -T -U -v:first --version:first --verbose -w -W -x*! --disable=text --enable=text --jit --yjit --copyright ${script} opaque`,
  'php, php#': `-a! -b=text! -c=script -n -d=harmful -e -f=script:first -h -i -l -m -r=foreign:first -B=foreign -R=foreign
    -F=script -E=foreign -H -s -S=text!:stdin=data -t=folder -v:first --version:first -w -z=script --ini --rf=text --rc=text --re=text --rz=text
    --ri=text ${script} opaque`,
  deno: {
    usage: '-h -V -q,--quiet -L,--log-level=text --unstable opaque',
    commands: {
      eval: 'opaque -p,--print -T,--ts --ext=text -- <foreign> <either>... stdin=foreign',
      run: `opaque ${deno} --ext=text -- <script> <either>... stdin=foreign`,
      'test, bench': `opaque ${deno} --filter=text --fail-fast[=text] --parallel --coverage[=writes] --doc --no-run --reporter=text --junit-path=out
        --shuffle[=text] --trace-leaks --permit-no-files --ignore=text -- <sources!>... .=writes`,
      'check, lint, doc, info': `opaque ${deno} --fix!:formatted --json --compact --rules --rules-tags=text --rules-include=text --rules-exclude=text
        --ignore=text --all --html --name=text --output=filled <sources>...`,
      fmt: {
        usage: `opaque ${deno} --check --ext=text --ignore=text --use-tabs --line-width=text --indent-width=text --single-quote
          --prose-wrap=text --no-semicolons <formatted=.>...`,
        with: { '--check': '<sources=.>...' },
      },
      task: `opaque ${deno} --cwd=folder -- <text!> <either>... .=writes`,
      types: 'opaque',
      '*': 'opaque <harmful>...',
    },
  },
  'lua, lua#, luajit, luau, texlua': `-e=foreign -l=script -i! -v -E -W -:last ${script} opaque`,
  'Rscript, R': '-e=foreign opaque <script> <either>... stdin=foreign',
  osascript: `-e=foreign:first -i! -l=text -s=text ${script} opaque`,
  'tsx, ts-node, esno, swc-node, babel-node, vite-node, jiti': {
    usage: `-e,--eval=foreign:first -p,--print=foreign:first -r,--require=script --import=script -T,--transpile-only --esm --files
      --swc -P,--project=script --tsconfig=script --cwd=folder --no-cache --clear-screen --watch! --inspect[=text]!
      --test!:stdin=data --test-reporter=builtin --test-only --test-name-pattern=text --env-file=in! --env-file-if-exists=in!
      --no-warnings --enable-source-maps --conditions,-C=text --include=text --exclude=text --ignore=text -h -v ${script} opaque`,
    with: { '--test': '<sources!>...' },
  },
  // Modules started with `python -m`.
  'compileall, py_compile':
    'opaque -q -f! -l -b! -j=text -x=text -d=text -s=text -p=text -o=text -r=text -i=in! <formatted>...',
  'venv, ensurepip': `opaque --system-site-packages --symlinks --copies --clear! --upgrade! --without-pip --prompt=text --upgrade-deps
    --user --default-pip --root=filled <filled>...`,
  'json.tool': 'opaque --sort-keys --no-ensure-ascii --json-lines --indent=text --tab --no-indent --compact <in> <out>',
  'http.server': 'opaque -b,--bind=text! -d,--directory=sources! -p,--protocol=text --cgi! <text>...',
  [joinNames(`tclsh, wish, expect, guile, racket, scheme, chez, sbcl, clisp, ecl, clojure, clj, bb, lein, scala, scala-cli,
    kotlin, kotlinc, groovy, jshell, jrunscript, ghci, runghc, runhaskell, stack, cabal, ocaml, dune, opam, elixir,
    iex, mix, erl, escript, rebar3, julia, octave, matlab, maxima, swift, dart, flutter, nim, crystal, zig, v, raku,
    gnuplot, pike, rexx, csi, fsi, wasmtime, wasmer, qjs, d8, jsc, mujs`)]:
    'opaque -e,-c,--eval=foreign -r=foreign <script> <either>... stdin=foreign',
  'java, javaw': {
    style: 'dash',
    usage: `-cp,-classpath,--class-path=reads! -jar=script:first:last -D*=text! -X*=harmful -agentlib*=script
      -agentpath*=script -javaagent*=script -p=reads! -m=text!:first:last -ea* -da* -server -version -showversion
      -help -verbose* opaque -- <either>...`,
  },
  'gdb, lldb, cgdb, pdb': 'opaque -ex,-iex,--eval-command=code -x,--command=script <harmful>... stdin=foreign',
  dc: '-e,--expression=foreign -f,--file=script -i,--interactive -h -V <script>... stdin=foreign',
  m4: 'opaque <script>... stdin=foreign',
  cpp: 'opaque -o=out <given> <out>',
};
