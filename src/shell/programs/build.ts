/** Compilers, build tools, test runners and checkers. */

import { names, type ProgramRow, type ProgramRows } from '../program-row.ts';
import { checkers } from './checkers.ts';
import { projects } from './projects.ts';
import { testers } from './testers.ts';

/** Which files it reads, the sources say: `#include`, `.incbin`. */
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
    -z=text <given>... opaque .=writes`,
};

export const build: ProgramRows = {
  'make, gmake, bmake': `-b -m -B,--always-make -C,--directory=folder -d --debug[=text] -e,--environment-overrides! --eval,-E=foreign
    -f,--file,--makefile=script -h -i,--ignore-errors -I,--include-dir=script -j*,--jobs[=text] -k,--keep-going
    -l*,--load-average[=text] -L,--check-symlink-times -n,--just-print,--dry-run,--recon -o,--old-file=text
    -O*,--output-sync[=text] -p,--print-data-base -q,--question -r,--no-builtin-rules -R,--no-builtin-variables
    -s,--silent,--quiet -S,--no-keep-going -t,--touch! --trace -v -w,--print-directory --no-print-directory
    -W,--what-if,--new-file,--assume-new=text --warn-undefined-variables opaque <assignment>... <either>... .=writes`,
  [names(`ninja, samu, just, task, mage, tup, scons, waf, meson, cmake, ctest, cpack, bazel, bazelisk, buck, buck2,
    pants, gn, xmake, premake5, configure, autoconf, automake, autoreconf, libtool, ant, sbt, mill, msbuild,
    xcodebuild, xcrun, lerna, moon, gulp, grunt, rolldown, parcel, nuxt, astro, remix, svelte-kit, ng,
    vue-cli-service, expo, react-native, changeset, semantic-release, husky, lint-staged, act, earthly, skaffold, tilt`)]:
    'opaque <harmful>... .=writes',
  'gcc, gcc#, cc, c99, clang, clang#, g++, g++#, c++, clang++, clang++#, tcc, icc, icx, gfortran, gfortran#': compiler,
  'ld, ld.lld, lld, ld.gold, gold, mold, as': 'opaque <either>... .=writes',
  'nm, objdump, readelf, size, otool, addr2line, c++filt': 'opaque <given>...',
  ldd: 'opaque -d -r -u -v <script>...',
  rustc: `opaque -o=out --out-dir=writes -C,--codegen=harmful -Z=harmful --crate-type=text --edition=text -O -g --emit=text! -L=reads! -l=text
    --extern=harmful -A=text -W=text -D=text --cfg=text --target=machine --test -v -V <given>... .=writes`,
  // It follows the modules that a file names.
  rustfmt: `opaque --check --edition=text --config=text --config-path=in --emit=text! -l,--files-with-diff -q -v --backup! -h -V
    <out>... .=writes`,
  go: {
    style: 'dash',
    commands: {
      [names(`build, install, test, run, generate, vet, get, mod, work, tool, fix, clean, bug, telemetry`)]:
        `opaque -exec=code -toolexec=code -vettool=program -o=out -C=folder -a -n -x -v -i -p=text -race -msan -asan
          -cover -covermode=text -coverpkg=text -coverprofile=out -work -asmflags=harmful -buildmode=text -buildvcs
          -compiler=text! -gccgoflags=harmful -gcflags=harmful -installsuffix=text -json -ldflags=harmful -linkshared
          -mod=text! -modcacherw -modfile=in! -overlay=in! -pgo=in -pkgdir=writes -tags=text -trimpath -args:last -c
          -bench=text -benchmem -benchtime=text -blockprofile=out -count=text -cpu=text -cpuprofile=out -failfast
          -fullpath -fuzz=text -fuzztime=text -list=text -memprofile=out -mutexprofile=out -outputdir=writes
          -parallel=text -run=text -short -shuffle=text -skip=text -timeout=text -trace=out -vet=text -u -t -d
          <either>... .=writes elsewhere`,
      version: '-m -v <reads>...',
      env: { style: 'dash', usage: '-json -changed -w!:elsewhere -u!:elsewhere <either>...' },
      'list, doc, help': `opaque -json -m -u -versions -deps -test -f=text -all -short -src -e -C=folder -toolexec=code -modfile=in!
        -mod=text! -overlay=in! <text>... .=reads`,
      fmt: '-n -x -mod=text <either>... .=writes',
    },
  },
  gofmt: { style: 'dash', usage: '-d -e -l -s -r=text -w:tree:writes -cpuprofile=out <reads>...' },
  'goimports, golangci-lint, staticcheck, gopls, dlv, air, wire, mockgen, protoc, buf, sqlc, swag':
    'opaque <harmful>... .=writes',
  javac: {
    style: 'dash',
    usage: `-d=filled -cp,-classpath=reads! -processorpath=script -processor=text! -J*=harmful -g* -Xlint* -source=text
      -target=text --release=text -verbose -version <given>... .=writes opaque`,
  },
  ...checkers,
  ...testers,
  ...projects,
  [names('sphinx-build, mkdocs, jupyter')]: 'opaque <harmful>... .=writes',
};
