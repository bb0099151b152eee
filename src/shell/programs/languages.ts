/** Interpreters, and tools that run what a project brings with it. */

import { names, type ProgramRows } from '../program-row.ts';

const script = '-- <script> <either>... stdin=foreign';

export const languages: ProgramRows = {
  'python, python#, pypy, pypy#, ipython, jython, micropython': {
    usage: `-b -B -c=foreign:first:last -d -E -h -i! -I -m=script:first:last -O -OO -P -q -R -s -S -u -v -V,--version:first -VV:first -W=text! -x
    -X=text! -? --check-hash-based-pycs=text --help-env --help-xoptions --help-all ${script} opaque`,
    with: { '-m': '<harmful>...' },
  },
  'node, nodejs, node#': `-e,--eval=foreign:first -p,--print=foreign:first -pe=foreign:first -v,--version:first -h,--help:first -c,--check -i,--interactive!
    -r,--require=script --import=foreign --experimental-loader,--loader=foreign --env-file=in!
    --env-file-if-exists=in! -C,--conditions=text --input-type=text --inspect[=text]! --inspect-brk[=text]!
    --max-old-space-size=text --no-warnings --enable-source-maps --experimental-strip-types --experimental-vm-modules
    --preserve-symlinks --stack-trace-limit=text --test! --test-reporter=script --test-reporter-destination=out
    --test-name-pattern=text --test-concurrency=text --watch! --watch-path=reads --run=text! --trace-warnings
    --trace-deprecation --throw-deprecation --unhandled-rejections=text --use-openssl-ca --icu-data-dir=reads!
    --title=text ${script} opaque`,
  'perl, perl#': `-0 -NUM -a -A*=foreign -c -C*!:unsure -d*=foreign -D*! -E=foreign:first -e=foreign:first -f -F*=foreign -g -h -i*=backup:out -I=script
    -l -m*=foreign -M*=foreign -n -p -s -S -t -T -u -U -v -V*=foreign -w -W -x*! -X -- <script> <either>... stdin=foreign opaque`,
  'ruby, ruby#, irb, jruby, rbx': `-0 -NUM -a -c -C=folder -d,--debug -e=foreign:first -E,--encoding=text -F* -h -i*=backup!:out -I=script -l -n -p -r=script -s
    -S -T -U -v --verbose -w -W -x*! --disable=text --enable=text --jit --yjit --copyright ${script} opaque`,
  'php, php#': `-a! -b=text! -c=script -n -d=harmful -e -f=script:first -h -i -l -m -r=foreign:first -B=foreign -R=foreign
    -F=script -E=foreign -H -s -S=text! -t=folder -v -w -z=script --ini --rf=text --rc=text --re=text --rz=text
    --ri=text ${script} opaque`,
  deno: {
    usage: '-h -V -q,--quiet -L,--log-level=text --unstable opaque',
    commands: {
      eval: 'opaque -p,--print -T,--ts --ext=text -- <foreign> <either>... stdin=foreign',
      run: 'opaque -- <script> <either>... stdin=foreign',
      'fmt, lint, check, doc, info, types': 'opaque <writes>... .=writes',
      '*': 'opaque <harmful>...',
    },
  },
  'lua, lua#, luajit, luau, texlua': `-e=foreign -l=script -i! -v -E -W -:last ${script} opaque`,
  'Rscript, R': '-e=foreign opaque <script> <either>... stdin=foreign',
  osascript: `-e=foreign:first -i! -l=text -s=text ${script} opaque`,
  'tsx, ts-node, esno, swc-node, babel-node, vite-node, jiti': `opaque -e,--eval=foreign -p,--print=foreign -r,--require=script --import=script -- <script> <either>...
    stdin=foreign`,
  [names(`tclsh, wish, expect, guile, racket, scheme, chez, sbcl, clisp, ecl, clojure, clj, bb, lein, scala, scala-cli,
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
