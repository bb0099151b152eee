/** Compilers, build tools, test runners and checkers. */

import { names, type ProgramRow, type ProgramRows } from '../program-row.ts';

const project = 'opaque <harmful>... .=writes';
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
    -z=text -### <given>... opaque .=writes`,
  with: { '--version': 'shown', '-dumpversion': 'shown', '-dumpmachine': 'shown', '-v': 'shown' },
};

const cmake: ProgramRow = {
  usage: `-S=in -B=either -C=script -D=harmful -U=text -G=text -T=text -A=text --toolchain=script --install-prefix=either
    -W* -L* -N --fresh --preset[=text] --list-presets[=text] --workflow --build=either --install=either --prefix=either
    --open=harmful --config=text --component=text --default-directory-permissions=text --strip -j*,--parallel[=text]
    -t,--target=text --clean-first --resolve-package-references=text -v,--verbose -P=script -E=harmful:last --graphviz=out
    --log-level=text --log-context --debug-output --debug-find --debug-trycompile --trace --trace-expand --trace-source=text
    --trace-redirect=out --warn-uninitialized --no-warn-unused-cli --profiling-output=out --profiling-format=text
    --system-information[=out] --find-package --help-command=text --help-module=text -h <either>... opaque .=writes`,
  with: { '--version': 'shown' },
};
const ctest: ProgramRow = {
  usage: `--preset=text --list-presets -C,--build-config=text --progress -V,--verbose -VV,--extra-verbose --debug
    --output-on-failure --stop-on-failure -F -j*,--parallel[=text] -Q,--quiet -O,--output-log=out --output-junit=out
    -N,--show-only[=text] -L,--label-regex=text -R,--tests-regex=text -E,--exclude-regex=text -LE,--label-exclude=text
    -D,--dashboard=text! -M,--test-model=text! -T,--test-action=text! -S,--script=script -SP,--script-new-process=script
    -I,--tests-information=text -U,--union --rerun-failed --repeat=text --schedule-random --timeout=text
    --stop-time=text --test-dir=either --test-output-size-passed=text --test-output-size-failed=text --no-tests=text
    --print-labels --no-label-summary --build-and-test=harmful -h <harmful>... opaque .=writes`,
  with: { '--version': 'shown' },
};
const ninja: ProgramRow = {
  usage: `-C=folder -f=script -j=text -k=text -l=text -n -v,--verbose -d=text -t=harmful:last -w=text --quiet -h <text!>...
    opaque .=writes`,
  with: { '--version': 'shown' },
};
const just: ProgramRow = {
  usage: `-l,--list -n,--dry-run -f,--justfile=script -d,--working-directory=folder --summary -s,--show=text --evaluate
    --set=text&text --unsorted -q,--quiet -v,--verbose --color=text --no-deps -E,--dotenv-path=script --dump --fmt!
    --check --unstable --yes -u -- <text!>... opaque .=writes`,
  with: { '--version': 'shown' },
};
const task: ProgramRow = {
  usage: `-l,--list -a,--list-all -d,--dir=folder -t,--taskfile=script -f,--force -n,--dry -s,--silent -w,--watch -v,--verbose -y,--yes
    -p,--parallel -C,--concurrency=text -o,--output=text --status --summary -j,--json -- <text!>... opaque .=writes`,
  with: { '--version': 'shown' },
};

const goOptions = `opaque -exec=code -toolexec=code -vettool=program -o=out -C=folder -a -n -x -v -i -p=text -race -msan -asan
  -cover -covermode=text -coverpkg=text -coverprofile=out -work -asmflags=harmful -buildmode=text -buildvcs
  -compiler=text! -gccgoflags=harmful -gcflags=harmful -installsuffix=text -json -ldflags=harmful -linkshared
  -mod=text! -modcacherw -modfile=in! -overlay=in! -pgo=in -pkgdir=writes -tags=text -trimpath -args!:last -c
  -bench=text -benchmem -benchtime=text -blockprofile=out -count=text -cpu=text -cpuprofile=out -failfast
  -fullpath -fuzz=text -fuzztime=text -list=text -memprofile=out -mutexprofile=out -outputdir=writes
  -parallel=text -run=text -short -shuffle=text -skip=text -timeout=text -trace=out -vet=text -u -t -d`;

export const build: ProgramRows = {
  'make, gmake, bmake': {
    usage: `-b -m -B,--always-make -C,--directory=folder -d --debug[=text] -e,--environment-overrides! --eval,-E=foreign
    -f,--file,--makefile=script -h -i,--ignore-errors -I,--include-dir=script -j*,--jobs[=text] -k,--keep-going
    -l*,--load-average[=text] -L,--check-symlink-times -n,--just-print,--dry-run,--recon -o,--old-file=text
    -O*,--output-sync[=text] -p,--print-data-base -q,--question -r,--no-builtin-rules -R,--no-builtin-variables
    -s,--silent,--quiet -S,--no-keep-going -t,--touch! --trace -v -w,--print-directory --no-print-directory
    -W,--what-if,--new-file,--assume-new=text --warn-undefined-variables opaque <assignment>... <either>... .=writes`,
    with: { '--version': 'shown', '-v': 'shown' },
  },
  cmake,
  ctest,
  'ninja, samu': ninja,
  just,
  task,
  [names(`mage, tup, scons, waf, meson, cpack, bazel, bazelisk, buck, buck2, pants,
    gn, xmake, premake5, configure, autoconf, automake, autoreconf, libtool, mvn, mvnw, gradle, gradlew, ant, sbt,
    mill, msbuild, xcodebuild, xcrun, turbo, nx, lerna, moon, gulp, grunt, webpack, rollup, esbuild, rolldown, parcel,
    vite, next, nuxt, astro, remix, svelte-kit, ng, vue-cli-service, expo, react-native, storybook, changeset,
    semantic-release, husky, lint-staged, pre-commit, act, earthly, skaffold, tilt`)]: 'opaque <harmful>... .=writes',
  'gcc, gcc#, cc, c99, clang, clang#, g++, g++#, c++, clang++, clang++#, tcc, icc, icx, gfortran, gfortran#': compiler,
  'ld, ld.lld, lld, ld.gold, gold, mold, as': 'opaque <either>... .=writes',
  'nm, size, otool, addr2line, c++filt': 'opaque -a -A -C -D -g -n -p -r -S -u -l <given>...',
  objdump: `opaque -a -d -D -f -g -h -l -p -r -R -s -S -t -T -w -x -z -C* --disassemble* -j=text -M=text -b=text -m=text
    --no-show-raw-insn --source <given>...`,
  readelf: 'opaque -a -h -l -S -s -d -r -n -W -V -e -g -t -u -A -I -x=text -p=text --dyn-syms <given>...',
  ldd: 'opaque -d -r -u -v <script>...',
  rustc: `opaque -o=out --out-dir=writes -C,--codegen=harmful -Z=harmful --crate-type=text --edition=text -O -g --emit=text! -L=reads! -l=text
    --extern=harmful -A=text -W=text -D=text --cfg=text --target=machine --test -v -V <given>... .=writes`,
  // It follows the modules that a file names.
  rustfmt: `opaque --check --edition=text --config=text --config-path=in --emit=text! -l,--files-with-diff -q -v --backup! -h -V
    <out>... .=writes`,
  go: {
    style: 'dash',
    commands: {
      'build, test, vet': `${goOptions} <in>... .=writes elsewhere`,
      [names(`install, run, generate, get, mod, work, tool, fix, clean, bug, telemetry`)]:
        `${goOptions} <either>... .=writes elsewhere`,
      version: '-m -v <reads>...',
      env: { style: 'dash', usage: '-json -changed -w!:elsewhere -u!:elsewhere <either>...' },
      'list, doc, help': `opaque -json -m -u -versions -deps -test -f=text -all -short -src -e -C=folder -toolexec=code -modfile=in!
        -mod=text! -overlay=in! <text>... .=reads`,
      fmt: '-n -x -mod=text <either>... .=writes',
    },
  },
  gofmt: { style: 'dash', usage: '-d -e -l -s -r=text -w:out:tree -cpuprofile=out <reads>...' },
  'goimports, golangci-lint, staticcheck, gopls, dlv, air, wire, mockgen, protoc, buf, sqlc, swag':
    'opaque <harmful>... .=writes',
  javac: {
    style: 'dash',
    usage: `-d=writes -cp,-classpath=reads! -processorpath=script -processor=text! -J*=harmful -g* -Xlint* -source=text
      -target=text --release=text -verbose -version <given>... .=writes opaque`,
  },
  dotnet: project,
  tsc: {
    style: 'dash',
    usage: `-p,--project=in -b,--build! --noEmit -w,--watch --outDir,--outdir=writes --outFile=out --declarationDir=writes
      --tsBuildInfoFile=out --generateTrace=writes --generateCpuProfile=out --pretty --strict --target,-t=text
      --module,-m=text --moduleResolution=text --jsx=text --lib=text --skipLibCheck --esModuleInterop --listFiles
      --listFilesOnly --showConfig --init!:.=writes --incremental! -v -h --all --force! --clean! --dry --verbose
      <source>... .=writes elsewhere`,
    // Where it writes, its configuration says; then at most what it knows of the last build.
    with: {
      '--noEmit': 'untouched .=writes',
      '--showConfig': 'untouched',
      '--listFilesOnly': 'untouched',
      '-h': 'untouched',
      '-v': 'untouched',
      '--help': 'untouched',
      '--version': 'untouched',
    },
  },
  [names(`eslint, oxlint, biome, standard, xo, tslint, stylelint, jshint, prettier, dprint, oxfmt, knip, vitest, jest,
    mocha, ava, tap, jasmine, karma, cypress, playwright, nyc, c8, tsup, unbuild, publint, attw, depcheck, madge,
    size-limit, svgo, terser, uglifyjs, babel, swc, sass, postcss, tailwindcss, typedoc, jsdoc, markdownlint, remark,
    commitlint, cspell`)]: 'opaque <harmful>... .=writes',
  [names(`pytest, py.test, unittest, coverage, nose2, ruff, black, isort, autopep8, yapf, flake8, pylint, mypy, pyright,
    pyre, bandit, pyflakes, pycodestyle, sphinx-build, mkdocs, jupyter, rubocop, rspec, phpunit, phpstan, psalm,
    php-cs-fixer, phpcs, shellcheck, shfmt, hadolint, yamllint, actionlint, ansible-lint, tflint, clang-format,
    clang-tidy, cppcheck, iwyu, swiftlint, swiftformat, ktlint, detekt, checkstyle, spotbugs, hlint, ormolu, stylua,
    luacheck, taplo, typos, semgrep, trivy, snyk, gitleaks, sonar-scanner`)]: 'opaque <harmful>... .=writes',
};
