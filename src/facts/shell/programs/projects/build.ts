/**
 * Compilers and their tools, make, CMake, ninja, just and Task, and the tools of Go. Also collects the programs of the
 * other files in this folder.
 */

import { joinNames, type ProgramRow, type ProgramRows } from '../../usage/program-row.ts';
import { checkerPrograms } from './checkers.ts';
import { projectPrograms } from './bundlers.ts';
import { testPrograms } from './testers.ts';

/** The sources decide which files it reads: `#include`, `.incbin`. */
const compiler: ProgramRow = {
  style: 'dash',
  usage: `-o=out -o*=out -c -S -E -g* -O* -W* -Wl;*=harmful -Wa;*=harmful -Wp;*=harmful -w -v -std* -I*=reads -I=reads
    -D*=text -D=text -U*=text -U=text -l*=text -L*=reads -L=reads -isystem=reads -include=in -x=text -pthread -pedantic
    -pedantic-errors -shared -static -pipe -ansi -m* -mllvm=harmful -M -MM -MD -MMD -MF=out -MT=text -MQ=text -MP
    -dumpversion -dumpmachine -print-search-dirs -fsyntax-only -fPIC -fpic -fPIE -fplugin*=script -fpass-plugin*=script
    -fno-exceptions -fopenmp -fcolor-diagnostics -fdiagnostics-color* -fsanitize* -fuse-ld*=harmful
    -fmodule*=harmful -fdump-*=harmful -fprofile*=harmful -fauto-profile*=harmful -fcallgraph-info*=harmful
    -foptimization-record*=harmful -fsave-optimization-record*=harmful -fcrash-diagnostics*=harmful
    -ftime-trace*=harmful -fsanitize-*=harmful -f*=text!
    -B*=script -B=script -wrapper=harmful -Xlinker=harmful -Xassembler=harmful -Xpreprocessor=harmful -Xclang=harmful
    -Xcompiler=harmful --ld-path*=program -specs*=script --config*=script -save-temps*!:.=writes -T=in! -T*=in! -u=text
    -z=text -### <given>... opaque .=writes`,
  with: { '--version': 'alone', '-dumpversion': 'alone', '-dumpmachine': 'alone', '-v': 'alone' },
};

const cmake: ProgramRow = {
  usage: `-S=in! -B=either -C=script -D=harmful -U=text -G=text -T=text -A=text --toolchain=script --install-prefix=either
    -W* -L* -N --fresh --preset[=text] --list-presets[=text] --workflow --build=either --install=either --prefix=either
    --open=harmful --config=text --component=text --default-directory-permissions=text --strip -j*,--parallel[=text]
    -t,--target=text --clean-first --resolve-package-references=text -v,--verbose -P=script -E=harmful:last --graphviz=out
    --log-level=text --log-context --debug-output --debug-find --debug-trycompile --trace --trace-expand --trace-source=text
    --trace-redirect=out --warn-uninitialized --no-warn-unused-cli --profiling-output=out --profiling-format=text
    --system-information[=out] --find-package --help-command=text --help-module=text -h <either>... opaque .=writes`,
  with: { '--version': 'alone' },
};
const ctest: ProgramRow = {
  usage: `--preset=text --list-presets -C,--build-config=text --progress -V,--verbose -VV,--extra-verbose --debug
    --output-on-failure --stop-on-failure -F -j*,--parallel[=text] -Q,--quiet -O,--output-log=out --output-junit=out
    -N,--show-only[=text] -L,--label-regex=text -R,--tests-regex=text -E,--exclude-regex=text -LE,--label-exclude=text
    -D,--dashboard=text! -M,--test-model=text! -T,--test-action=text! -S,--script=script -SP,--script-new-process=script
    -I,--tests-information=text -U,--union --rerun-failed --repeat=text --schedule-random --timeout=text
    --stop-time=text --test-dir=either --test-output-size-passed=text --test-output-size-failed=text --no-tests=text
    --print-labels --no-label-summary --build-and-test=harmful -h <harmful>... opaque .=writes`,
  with: { '--version': 'alone' },
};
const ninja: ProgramRow = {
  usage: `-C=folder -f=script -j=text -k=text -l=text -n -v,--verbose -d=text -t=harmful:last -w=text --quiet -h <text!>...
    opaque .=writes`,
  with: { '--version': 'alone' },
};
const just: ProgramRow = {
  usage: `-l,--list -n,--dry-run -f,--justfile=script -d,--working-directory=folder --summary -s,--show=text --evaluate
    --set=text&text --unsorted -q,--quiet -v,--verbose --color=text --no-deps -E,--dotenv-path=script --dump --fmt!
    --check --unstable --yes -u -- <text!>... opaque .=writes`,
  with: { '--version': 'alone' },
};
const task: ProgramRow = {
  usage: `-l,--list -a,--list-all -d,--dir=folder -t,--taskfile=script -f,--force -n,--dry -s,--silent -w,--watch -v,--verbose -y,--yes
    -p,--parallel -C,--concurrency=text -o,--output=text --status --summary -j,--json -- <text!>... opaque .=writes`,
  with: { '--version': 'alone' },
};

const goOptions = `opaque -exec=code -toolexec=code -vettool=program -o=out -C=folder -a -n -x -v -i -p=text -race -msan -asan
  -cover -covermode=text -coverpkg=text -coverprofile=out -work -asmflags=harmful -buildmode=text -buildvcs
  -compiler=text! -gccgoflags=harmful -gcflags=harmful -installsuffix=text -json -ldflags=harmful -linkshared
  -mod=text! -modcacherw -modfile=in! -overlay=in! -pgo=in -pkgdir=writes -tags=text -trimpath -args!:last -c
  -bench=text -benchmem -benchtime=text -blockprofile=out -count=text -cpu=text -cpuprofile=out -failfast
  -fullpath -fuzz=text -fuzztime=text -list=text -memprofile=out -mutexprofile=out -outputdir=writes
  -parallel=text -run=text -short -shuffle=text -skip=text -timeout=text -trace=out -vet=text -u -t -d`;

export const buildPrograms: ProgramRows = {
  'make, gmake, bmake': {
    usage: `-b -m -B,--always-make -C,--directory=folder -d --debug[=text] -e,--environment-overrides! --eval,-E=foreign
    -f,--file,--makefile=script -h -i,--ignore-errors -I,--include-dir=script -j*,--jobs[=text] -k,--keep-going
    -l*,--load-average[=text] -L,--check-symlink-times -n,--just-print,--dry-run,--recon -o,--old-file=text
    -O*,--output-sync[=text] -p,--print-data-base -q,--question -r,--no-builtin-rules -R,--no-builtin-variables
    -s,--silent,--quiet -S,--no-keep-going -t,--touch! --trace -v -w,--print-directory --no-print-directory
    -W,--what-if,--new-file,--assume-new=text --warn-undefined-variables opaque <assignment>... <either>... .=writes`,
    with: { '--version': 'alone', '-v': 'alone' },
  },
  cmake,
  ctest,
  'ninja, samu': ninja,
  just,
  task,
  [joinNames(`mage, tup, scons, waf, meson, cpack, bazel, bazelisk, buck, buck2,
    pants, gn, xmake, premake5, configure, autoconf, automake, autoreconf, libtool, ant, sbt, mill, msbuild,
    xcodebuild, xcrun, lerna, moon, gulp, grunt, rolldown, parcel, nuxt, astro, remix, svelte-kit, ng,
    vue-cli-service, expo, react-native, changeset, semantic-release, husky, lint-staged, act, earthly, skaffold, tilt`)]:
    'opaque <harmful>... .=writes',
  'gcc, gcc#, cc, c99, clang, clang#, g++, g++#, c++, clang++, clang++#, tcc, icc, icx, gfortran, gfortran#': compiler,
  'ld, ld.lld, lld, ld.gold, gold, mold, as': 'opaque <either>... .=writes',
  'nm, size, otool, addr2line, c++filt': 'opaque -a -A -C -D -g -n -p -r -S -u -l <given>...',
  objdump: `opaque -a -d -D -f -g -h -l -p -r -R -s -S -t -T -w -x -z -C* --disassemble* -j=text -M=text -b=text -m=text
    --no-show-raw-insn --source <given>...`,
  readelf: 'opaque -a -h -l -S -s -d -r -n -W -V -e -g -t -u -A -I -x=text -p=text --dyn-syms <given>...',
  ldd: 'opaque -d -r -u -v <script>...',
  rustc: `opaque -o=out --out-dir=writes -C,--codegen=harmful -Z=harmful --crate-type=text --edition=text -O -g --emit=text! -L=reads! -l=text
    --extern=harmful -A=text -W=text -D=text --cfg=text --target=machine --test -v -V <given>... .=writes`,
  // It follows the modules that a file declares.
  rustfmt: `opaque --check --edition=text --config=text --config-path=in --emit=text! -l,--files-with-diff -q -v --backup! -h -V
    <out>... .=writes`,
  go: {
    style: 'dash',
    commands: {
      'build, test, vet, generate': `${goOptions} <in>... .=writes elsewhere`,
      tool: {
        style: 'dash',
        usage: `${goOptions} .=writes elsewhere`,
        commands: {
          cover: { style: 'dash', usage: 'opaque -func=in -html=in! -o=out -mode=text! -var=text! <in!>...' },
          '*': `${goOptions} <either>... .=writes elsewhere`,
        },
      },
      [joinNames(`install, run, get, mod, work, fix, clean, bug, telemetry`)]:
        `${goOptions} <either>... .=writes elsewhere`,
      version: '-m -v <reads>...',
      env: { style: 'dash', usage: '-json -changed -w!:elsewhere -u!:elsewhere <either>...' },
      // Other modules and versions come from the network.
      list: {
        usage: `opaque -json* -m -u! -versions! -retracted! -deps -test -f=text -find -compiled -export -e -C=folder -tags=text
          -toolexec=code -modfile=in! -mod=text! -overlay=in! <sources>... .=reads`,
        with: { '-m': '<builtin>...' },
      },
      'doc, help': 'opaque -all -short -src -u -c -cmd -C=folder <text>... .=reads',
      fmt: '-n -x -mod=text <formatted>... .=writes',
    },
  },
  gofmt: { style: 'dash', usage: '-d -e -l -s -r=text -w!:formatted -cpuprofile=out <sources>...' },
  goimports: {
    style: 'dash',
    usage: 'opaque -d -e -l -v -format-only -local=text -srcdir=in! -cpuprofile=out -w!:formatted <sources>...',
  },
  staticcheck: {
    style: 'dash',
    usage: `opaque -checks=text -fail=text -f=text -tests* -go=text -tags=text -explain=text -show-ignored -matrix -merge! -version
      <in>... .=writes`,
  },
  'golangci-lint': {
    usage: 'opaque -h -v,--verbose --color=text',
    inherits: true,
    commands: {
      'run, fmt': `opaque -c,--config=script --no-config --fix!:formatted -E,--enable=text -D,--disable=text --enable-only=text
        --disable-all --enable-all --default=text --fast --fast-only --timeout=text --tests[=text] --build-tags=text -j,--concurrency=text
        --new --new-from-rev=text --new-from-merge-base=text --new-from-patch=in --max-issues-per-linter=text
        --max-same-issues=text --issues-exit-code=text --show-stats[=text] --allow-parallel-runners
        --allow-serial-runners --diff -d <in>... .=writes`,
      'linters, formatters, version, help': 'opaque --json --short <text>...',
      '*': 'opaque <harmful>... .=writes',
    },
  },
  'gopls, dlv, air, wire, mockgen, protoc, buf, sqlc, swag': 'opaque <harmful>... .=writes',
  javac: {
    style: 'dash',
    usage: `-d=filled -cp,-classpath=reads! -processorpath=script -processor=text! -J*=harmful -g* -Xlint* -source=text
      -target=text --release=text -verbose -version <given>... .=writes opaque`,
  },
  ...checkerPrograms,
  ...testPrograms,
  ...projectPrograms,
  [joinNames('sphinx-build, mkdocs, jupyter')]: 'opaque <harmful>... .=writes',
};
