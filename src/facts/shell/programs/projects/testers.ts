/** Test runners. They find and run the tests below a folder, so all of them are opaque. */

import { joinNames, type ProgramRows } from '../../usage/program-row.ts';

const vitest = `-r,--root=script -c,--config=script -u,--update[=text]! -w,--watch[=text] -t,--testNamePattern=text --dir=sources --ui!
  --open! --api[=text]! --silent[=text] --hideSkippedTests --reporter=builtin --outputFile=out --coverage
  --coverage.enabled --coverage.provider=builtin --coverage.reporter=builtin --coverage.reportsDirectory=filled
  --coverage.include=text --coverage.exclude=text --mode=ref --workspace=script --isolate --no-isolate --globals --dom
  --browser[=builtin] --browser.headless --pool=builtin --poolOptions=text! --fileParallelism --no-file-parallelism
  --maxWorkers=text --minWorkers=text --environment=builtin --passWithNoTests --logHeapUsage --allowOnly
  --dangerouslyIgnoreUnhandledErrors --shard=text --changed[=ref] --inspect[=text]! --inspectBrk[=text]!
  --testTimeout=text --hookTimeout=text --bail=text --retry=text --diff=script --exclude=text --expandSnapshotDiff
  --disableConsoleIntercept --typecheck --project=text --slowTestThreshold=text --teardownTimeout=text
  --maxConcurrency=text --run --no-color --color --clearScreen --standalone --printConsoleTrace
  --includeTaskLocation --no-watch --no-coverage --sequence.shuffle --sequence.seed=text --json[=out] -h -v`;

export const testPrograms: ProgramRows = {
  vitest: {
    usage: `${vitest} opaque .=writes`,
    commands: {
      'run, watch, dev, bench, related, list, typecheck': `${vitest} --filesOnly --staticParse <tests>... opaque .=writes`,
      init: 'opaque <text!>... .=writes',
      '*': `${vitest} <tests>... opaque .=writes`,
    },
  },
  jest: `-t,--testNamePattern=text --coverage[=text] --watch --watchAll[=text] --ci[=text] -i,--runInBand -w,--maxWorkers=text
    --verbose[=text] --silent[=text] -u,--updateSnapshot! -o,--onlyChanged --changedSince=ref -f,--onlyFailures --passWithNoTests
    -b,--bail[=text] -c,--config=script --rootDir=script --roots=text! --testPathPattern=text --testPathPatterns=text
    --testPathIgnorePatterns=text --testMatch=text --runTestsByPath --findRelatedTests --listTests --showConfig
    --detectOpenHandles --detectLeaks --forceExit --no-cache --cache --clearCache! --cacheDirectory=filled --json
    --outputFile=out --coverageDirectory=filled --coverageReporters=builtin --coverageProvider=builtin
    --collectCoverageFrom=text --reporters=builtin --selectProjects=text --ignoreProjects=text --projects=script --shard=text
    --testTimeout=text --env,--testEnvironment=builtin --logHeapUsage --colors --color --no-color --debug -e,--expand
    --randomize --seed=text --setupFiles=script --setupFilesAfterEnv=script --globalSetup=script --globalTeardown=script
    --transform=harmful --preset=script --resolver=script --runner=script --testRunner=script --init!:.=writes
    --errorOnDeprecated --noStackTrace --notify! --openHandlesTimeout=text --workerThreads --waitForUnhandledRejections -h -v
    <tests>... opaque .=writes`,
  mocha: `-r,--require=script --config=script --package=script -R,--reporter=builtin -O,--reporter-option,--reporter-options=text!
    -g,--grep=text -f,--fgrep=text -i,--invert -t,--timeout=text -s,--slow=text -b,--bail --exit --recursive -u,--ui=builtin
    -w,--watch --watch-files=text --watch-ignore=text --extension=text! --spec=sources --ignore,--exclude=text -p,--parallel
    -j,--jobs=text --retries=text --file=script --check-leaks --full-trace --forbid-only --forbid-pending -A,--async-only
    -c,--color --no-color --diff --no-diff --sort -S --delay -n,--node-option=harmful --dry-run --inspect[=text]!
    --inspect-brk[=text]! --global=text --allow-uncaught --enable-source-maps --experimental-strip-types -h -V
    <sources>... opaque .=writes`,
  playwright: {
    usage: 'opaque -h -V',
    commands: {
      test: `-c,--config=script -g,--grep=text --gv,--grep-invert=text --headed --debug! --project=text -j,--workers=text
        --reporter=builtin --retries=text --repeat-each=text --timeout=text --trace=text --ui! --ui-host=text! --ui-port=text!
        -u,--update-snapshots[=text]! -x --max-failures=text --output=filled --pass-with-no-tests --quiet --shard=text
        --list --last-failed --only-changed[=ref] --forbid-only --fully-parallel --global-timeout=text
        --ignore-snapshots --no-deps --tsconfig=script --browser=text --fail-on-flaky-tests --name=text -h <tests>...
        opaque .=writes`,
      'install, install-deps, uninstall':
        'opaque --with-deps --dry-run --force --all --only-shell --no-shell --list <text!>... elsewhere',
      'show-report, show-trace, merge-reports':
        'opaque -h --host=text! --port=text -c,--config=script --reporter=builtin <sources!>... .=writes',
      '*': 'opaque <harmful>... .=writes',
    },
  },
  cypress: {
    usage: 'opaque -h -v',
    commands: {
      'run, open': `-b,--browser=builtin -s,--spec=sources -e,--env=text! -c,--config=harmful -C,--config-file=script --headed --headless
        --ci-build-id=text --component --e2e --group=text -k,--key=text! --no-exit --parallel! --record[=text]! -p,--port=text
        -P,--project=script -q,--quiet -r,--reporter=builtin -o,--reporter-options=text! -t,--tag=text --runner-ui
        --no-runner-ui <sources>... opaque .=writes`,
      'verify, info, version': 'opaque <text>...',
      '*': 'opaque <harmful>... .=writes elsewhere',
    },
  },
  'pytest, py.test': `-k=text -m=text -x,--exitfirst --maxfail=text -q,--quiet -v,--verbose -s --capture=text -l,--showlocals
    --no-showlocals --tb=text --lf,--last-failed --ff,--failed-first --nf,--new-first --sw,--stepwise --sw-skip,--stepwise-skip
    --durations=text --durations-min=text --co,--collect-only -n,--numprocesses=text --dist=text --maxprocesses=text
    --cov[=text] --no-cov --cov-report=labelled --cov-fail-under=text --cov-branch --cov-append --cov-context=text
    --cov-config=script --junitxml,--junit-xml=out --html=out --self-contained-html --json-report --json-report-file=out
    -p=script --rootdir=script -c,--config-file=script --confcutdir=script --import-mode=text --ignore=text --ignore-glob=text
    --deselect=text --basetemp=writes -W,--pythonwarnings=text! --pdb! --pdbcls=harmful --trace! --pyargs
    -o,--override-ini=harmful --color=text --no-header --no-summary -r=text --cache-clear --cache-show[=text] --fixtures
    --fixtures-per-test --markers --setup-show --setup-only --setup-plan --strict --strict-markers --strict-config
    --runxfail --timeout=text --timeout-method=text --reruns=text --reruns-delay=text --asyncio-mode=text
    --log-cli-level=text --log-level=text --log-file=out --show-capture=text --full-trace --code-highlight=text
    --doctest-modules --doctest-glob=text! --randomly-seed=text --random-order --count=text --ds=text! --create-db --reuse-db
    --nomigrations --snapshot-update! --benchmark-only --benchmark-skip --disable-warnings --disable-pytest-warnings
    --noconftest --keep-duplicates --picked[=ref] --testmon --debug[=out] -h -V <tests>... opaque .=writes`,
  unittest: {
    usage: `-v,--verbose -q,--quiet -f,--failfast -c,--catch -b,--buffer -k=text --locals --durations=text -h opaque`,
    commands: {
      discover: `-v,--verbose -q,--quiet -f,--failfast -c,--catch -b,--buffer -k=text --locals -s,--start-directory=sources -p,--pattern=text
        -t,--top-level-directory=sources <tests>... opaque`,
      '*': 'opaque -v,--verbose -q,--quiet -f,--failfast -b,--buffer -k=text <tests>...',
    },
  },
  coverage: {
    usage: 'opaque -h --version',
    commands: {
      run: `-m,--module=program:first:rest -a,--append --branch --concurrency=text --context=text --data-file=out --include=text --omit=text
        -L,--pylib -p,--parallel-mode --source=text --timid --rcfile=script -- <script> <either>... opaque .=writes`,
      'report, html, xml, json, lcov, combine, erase, annotate, debug': `--data-file=out -d,--directory=filled -o=out --contexts=text --fail-under=text -i,--ignore-errors --include=text
        --omit=text --precision=text -q,--quiet --rcfile=script --show-contexts -m,--show-missing --skip-covered
        --skip-empty --no-skip-covered --sort=text --title=text --pretty-print -a,--append --keep --format=text
        <sources!>... opaque .=writes`,
      '*': 'opaque <harmful>... .=writes',
    },
  },
  tox: `-e,--env=text -c,--conf=script --root=script --workdir=filled -q,--quiet -v,--verbose -r,--recreate --notest
    --skip-pkg-install --installpkg=reads! --result-json=out --develop -l,--listenvs -a,--listenvs-all --showconfig
    -x,--override=harmful --hashseed=text -p*,--parallel[=text] -o,--parallel-live --parallel-no-spinner --colored=text -f=text
    -m=text --skip-env=text --discover=program --no-provision --no-recreate-pkg -h <harmful>... opaque .=writes`,
  nox: `-s,-e,--sessions,--session=text -p,--pythons=text -k,--keywords=text -t,--tags=text -l,--list,--list-sessions --json
    -r,--reuse-existing-virtualenvs -R -N,--no-reuse-existing-virtualenvs -f,--noxfile=script -x,--stop-on-first-error
    --no-install --install-only --envdir=filled --report=out --non-interactive --no-venv --force-color --nocolor
    -db,--default-venv-backend=text -v,--verbose -h <harmful>... opaque .=writes`,
  rspec: `-e,--example=text -E,--example-matches=text -t,--tag=text -f,--format=builtin -o,--out=out -r,--require=script -I=script
    -O,--options=script --fail-fast[=text] --no-fail-fast --seed=text --order=text -p,--profile[=text] -c,--color
    --no-color --force-color -b,--backtrace -w,--warnings --only-failures -n,--next-failure -P,--pattern=sources
    --exclude-pattern=text --dry-run --bisect[=text]! --init!:.=writes --failure-exit-code=text --drb! -h -v <tests>...
    opaque .=writes`,
  phpunit: `--bootstrap=script -c,--configuration=script --no-configuration --include-path=script --cache-directory=filled
    --list-suites --testsuite=text --exclude-testsuite=text --list-groups --group=text --exclude-group=text --filter=text
    --exclude-filter=text --test-suffix=text --process-isolation --globals-backup --strict-coverage --testdox
    --stop-on-defect --stop-on-error --stop-on-failure --order-by=text --random-order-seed=text --no-output --no-progress
    --colors[=text] --debug -v,--verbose -d=harmful --coverage-text[=out] --coverage-html=filled --coverage-clover=out
    --coverage-xml=filled --log-junit=out --log-teamcity=out --testdox-html=out --no-coverage --fail-on-warning
    --fail-on-risky --display-deprecations --display-warnings -h <tests>... opaque .=writes`,
  [joinNames('ava, tap, jasmine, karma, nose2, tsup, unbuild')]: 'opaque <harmful>... .=writes',
  'nyc, c8': `-r,--reporter=builtin --report-dir=filled --temp-directory=filled --all -a -x,--exclude=text -n,--include=text
    --check-coverage --lines=text --functions=text --branches=text --statements=text --per-file --clean --no-clean
    -c,--config=script --src=text --cwd=folder --silent -s -h -v -- <program> opaque .=writes`,
};
