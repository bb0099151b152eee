/**
 * Programs that check and format sources. They find the files of their language below a folder. Most load a project
 * configuration that is code or names code, so all of them are opaque.
 */

import { joinNames, type ProgramRow, type ProgramRows } from '../../usage/program-row.ts';

/** A program that formats files, unless one of these options makes it only check. */
function formatter(usage: string, checkOptions: string): ProgramRow {
  const overlays = checkOptions.split(' ').map((option) => [option, '<sources=.>...'] as const);
  return { usage: `${usage} <formatted=.>... opaque`, with: Object.fromEntries(overlays) };
}

const prettierStyle = `--arrow-parens=text --bracket-same-line --no-bracket-spacing --end-of-line=text --embedded-language-formatting=text
  --html-whitespace-sensitivity=text --jsx-single-quote --object-wrap=text --parser=builtin --print-width=text
  --prose-wrap=text --quote-props=text --no-semi --single-attribute-per-line --single-quote --tab-width=text
  --trailing-comma=text --use-tabs --vue-indent-script-and-style --insert-pragma --require-pragma --range-start=text
  --range-end=text`;
const biome = `--colors=text --use-server! --verbose --config-path=in! --max-diagnostics=text --skip-parse-errors
  --no-errors-on-unmatched --error-on-warnings --reporter=text --log-level=text --log-kind=text --log-file=out
  --diagnostic-level=text --staged --changed --since=ref --only=text --skip=text --stdin-file-path=text
  --files-max-size=text --files-ignore-unknown=text --vcs-enabled=text --formatter-enabled=text --linter-enabled=text
  --indent-style=text --indent-width=text --line-width=text --line-ending=text --quote-style=text --semicolons=text
  --trailing-commas=text --write!:formatted --fix!:formatted --apply!:formatted --apply-unsafe!:formatted
  --unsafe! <sources=.>... opaque`;
const ruffOptions = `-q,--quiet -v,--verbose -s,--silent --config=in! --isolated -n,--no-cache --cache-dir=filled --exclude=text
  --extend-exclude=text --force-exclude --no-force-exclude --respect-gitignore --no-respect-gitignore --preview --no-preview
  --target-version=text --stdin-filename=text --color=text -h -V`;

export const checkerPrograms: ProgramRows = {
  tsc: {
    style: 'dash',
    usage: `-p,--project=in! -b,--build! --noEmit -w,--watch --outDir,--outdir=filled --outFile=out --declarationDir=filled
      --tsBuildInfoFile=out --generateTrace=filled --generateCpuProfile=out --pretty --strict --target,-t=text
      --module,-m=text --moduleResolution=text --jsx=text --lib=text --skipLibCheck --esModuleInterop --listFiles
      --listFilesOnly --listEmittedFiles --showConfig --init!:.=writes --incremental! -v -h --all --force! --clean! --dry
      --verbose --diagnostics --extendedDiagnostics --explainFiles --noErrorTruncation --preserveWatchOutput
      --allowJs --checkJs --declaration! --emitDeclarationOnly! --sourceMap! --removeComments --noImplicitAny
      --noUnusedLocals --noUnusedParameters --strictNullChecks --isolatedModules --resolveJsonModule --types=text
      --traceResolution --stopBuildOnErrors --singleThreaded --rootDir=text! --baseUrl=text! --composite!
      <source>... .=writes opaque`,
    // Its configuration decides where it writes. With these options it writes at most its build cache.
    with: {
      '--noEmit': 'shown untouched .=writes -p,--project=in',
      '--showConfig': 'shown untouched -p,--project=in',
      '--listFilesOnly': 'shown untouched -p,--project=in',
      '-h': 'shown untouched',
      '-v': 'shown untouched',
      '--help': 'shown untouched',
      '--version': 'shown untouched',
    },
  },
  eslint: `-c,--config=script --no-eslintrc --no-config-lookup --ext=text --env=text --global=text --parser=script
    --parser-options=text! --resolve-plugins-relative-to=script --plugin=script --rule=text --rulesdir=script
    --fix!:formatted --fix-dry-run --fix-type=text --ignore-path=in --no-ignore --ignore-pattern=text --stdin
    --stdin-filename=text --quiet --max-warnings=text -o,--output-file=out -f,--format=builtin --color --no-color
    --no-inline-config --report-unused-disable-directives --report-unused-disable-directives-severity=text --cache
    --no-cache --cache-file=out --cache-location=filled --cache-strategy=text --init!:.=writes --env-info
    --no-error-on-unmatched-pattern --exit-on-fatal-error --no-warn-ignored --pass-on-no-patterns --debug -h -v
    --print-config=in --stats --flag=text --concurrency=text --inspect-config! --suppress-all!:.=writes
    --suppress-rule=text!:.=writes --prune-suppressions!:.=writes --suppressions-location=out <sources=.>... opaque`,
  oxlint: `-c,--config=in! --tsconfig=in --init!:.=writes -A,--allow=text -W,--warn=text -D,--deny=text --fix!:formatted
    --fix-suggestions!:formatted --fix-dangerously!:formatted --ignore-path=in --ignore-pattern=text --no-ignore --quiet
    --deny-warnings --max-warnings=text -f,--format=text --threads=text --print-config --rules --type-aware
    --disable-nested-config --report-unused-disable-directives --import-plugin --react-plugin --jest-plugin
    --vitest-plugin --jsx-a11y-plugin --nextjs-plugin --promise-plugin --node-plugin --silent -h -V <sources=.>... opaque`,
  stylelint: `-c,--config=script --config-basedir=script --custom-syntax=script --custom-formatter=script --fix[=text]!:formatted
    -i,--ignore-path=in --ip,--ignore-pattern=text -f,--formatter=builtin -q,--quiet --max-warnings,--mw=text
    -o,--output-file=out --cache --cache-location=filled --allow-empty-input,--aei --color --no-color --stdin
    --stdin-filename=text --report-needless-disables,--rd --print-config=in -h -v <sources>... opaque`,
  prettier: {
    usage: `-w,--write!:formatted -c,--check -l,--list-different --config=script --no-config --config-precedence=text
      --no-editorconfig --find-config-path=in --ignore-path=in --plugin=script --with-node-modules --file-info=in
      --support-info --stdin-filepath=text --cache --cache-location=out --cache-strategy=text --no-cache --color
      --no-color --log-level=text --loglevel=text -u,--ignore-unknown --no-error-on-unmatched-pattern -h -v
      ${prettierStyle} <sources>... opaque`,
  },
  biome: {
    usage: 'opaque',
    commands: {
      'check, lint, format, ci, search': biome,
      'version, rage, explain': 'opaque <text>...',
      '*': 'opaque <harmful>... .=writes',
    },
  },
  oxfmt: formatter(
    `-c,--config=in! --ignore-path=in --with-node-modules --no-error-on-unmatched-pattern --threads=text --write! --check
      --list-different -h -V`,
    '--check --list-different',
  ),
  ruff: {
    usage: `${ruffOptions} opaque`,
    commands: {
      check: `${ruffOptions} --fix!:formatted --no-fix --unsafe-fixes! --no-unsafe-fixes --diff --fix-only!:formatted -w,--watch --select=text --ignore=text
        --extend-select=text --extend-ignore=text --per-file-ignores=text --fixable=text --unfixable=text
        --output-format=text -o,--output-file=out --show-fixes --show-files --show-settings --statistics
        --add-noqa!:formatted -e,--exit-zero --exit-non-zero-on-fix --ignore-noqa --line-length=text --extension=text!
        <sources=.>... opaque`,
      format: formatter(
        `${ruffOptions} --check --diff --line-length=text --range=text --extension=text! --exit-non-zero-on-format`,
        '--check --diff',
      ),
      'rule, config, linter, version, help': `${ruffOptions} opaque --all --output-format=text <text>...`,
      '*': 'opaque <harmful>... .=writes',
    },
  },
  black: formatter(
    `-l,--line-length=text -t,--target-version=text -S,--skip-string-normalization -C,--skip-magic-trailing-comma --check
      --diff --color --no-color --fast --safe --include=text! --exclude=text --extend-exclude=text --force-exclude=text
      -q,--quiet -v,--verbose -W,--workers=text --config=in! -c,--code=text --preview --unstable --pyi --ipynb
      --required-version=text --stdin-filename=text --line-ranges=text --no-cache -x,--skip-source-first-line -h`,
    '--check --diff --code',
  ),
  isort: formatter(
    `-c,--check-only,--check --diff -l,-w,--line-length,--line-width=text --profile=text -q,--quiet -v,--verbose
      --settings-path,--settings-file,--settings,--sp=script --src,--src-path=reads -s,--skip=text --sg,--skip-glob=text
      --gitignore --filter-files -m,--multi-line=text --tc,--trailing-comma --ac,--atomic --color -j,--jobs=text --py=text
      --show-files --show-config --only-modified -e,--balanced -V -h`,
    '--check-only --diff --show-files --show-config',
  ),
  flake8: `--max-line-length=text --select=text --ignore=text --extend-ignore=text --extend-select=text --exclude=text
    --extend-exclude=text --config=script --append-config=script --count --statistics --show-source -q,--quiet -v,--verbose
    -j,--jobs=text --output-file=out --tee --format=text --max-complexity=text --per-file-ignores=text
    --require-plugins=text --isolated --exit-zero --benchmark --bug-report --stdin-display-name=text --filename=text!
    --color=text --doctests --disable-noqa -h <sources=.>... opaque`,
  pylint: `--rcfile=script --init-hook=foreign --load-plugins=script -d,--disable=text -e,--enable=text -j,--jobs=text
    -f,--output-format=labelled! --fail-under=text --fail-on=text --output=out -E,--errors-only --recursive=text -r,--reports=text
    -s,--score=text --ignore=text --ignore-patterns=text --ignore-paths=text --max-line-length=text --msg-template=text
    --list-msgs --exit-zero -v,--verbose -h <sources>... opaque`,
  mypy: `-p,--package=text -m,--module=text -c,--command=text! --strict --ignore-missing-imports --config-file=script
    --python-version=text --python-executable=program --install-types! --non-interactive --show-error-codes
    --hide-error-codes --no-error-summary --pretty --show-column-numbers --show-error-context --follow-imports=text
    --exclude=text --cache-dir=filled --no-incremental --namespace-packages --explicit-package-bases
    --html-report=filled --xml-report=filled --txt-report=filled --linecount-report=filled --junit-xml=out
    --warn-unused-ignores --warn-redundant-casts --warn-unreachable --warn-return-any --warn-unused-configs
    --disallow-untyped-defs --disallow-untyped-calls --disallow-incomplete-defs --disallow-any-generics
    --check-untyped-defs --no-implicit-optional --no-strict-optional --strict-equality --enable-error-code=text
    --disable-error-code=text --platform=text --soft-error-limit=text --no-site-packages --no-color-output
    --scripts-are-modules -v,--verbose -V -h <sources>... opaque`,
  pyright: `-p,--project=script --outputjson --level=text --pythonversion=text --pythonplatform=text --pythonpath=program
    -v,--venvpath=reads! -t,--typeshedpath=reads! --stats --verbose --warnings -w,--watch --createstub=text!:.=writes
    --verifytypes=text --ignoreexternal --dependencies --threads[=text] --skipunannotated -h --version <sources>... opaque`,
  bandit: `-r,--recursive -a,--aggregate=text -n,--number=text -c,--configfile=script -p,--profile=text -t,--tests=text
    -s,--skip=text -l,--level -ll -lll -i,--confidence -ii -f,--format=text -o,--output=out -v,--verbose -d,--debug
    -q,--quiet --ignore-nosec -x,--exclude=text -b,--baseline=in --ini=in --exit-zero -h <sources>... opaque`,
  rubocop: `-a,--autocorrect!:formatted -A,--autocorrect-all!:formatted -x,--fix-layout!:formatted -c,--config=script -r,--require=script
    -f,--format=builtin -o,--out=out --only=text --except=text -l,--lint --fail-level=text -F,--fail-fast -P,--parallel
    --no-parallel --cache=text --cache-root=filled -D,--display-cop-names -E,--extra-details -S,--display-style-guide
    --auto-gen-config!:.=writes --force-exclusion --ignore-parent-exclusion -d,--debug -s,--stdin=text -C=text
    --plugin=script -L,--list-target-files --show-cops[=text] --color --no-color -v -V -h <sources=.>... opaque`,
  phpstan: {
    usage: '-q,--quiet -v,--verbose -n,--no-interaction --ansi --no-ansi opaque',
    inherits: true,
    commands: {
      'analyse, analyze=analyse': `opaque -c,--configuration=script -l,--level=text --no-progress --debug -a,--autoload-file=script
        --error-format=text -b,--generate-baseline[=out]! --memory-limit=text --xdebug --fix! --pro! <sources>...`,
      '*': 'opaque <harmful>... .=writes',
    },
  },
  shellcheck: `-a,--check-sourced -C*,--color[=text] -i,--include=text -e,--exclude=text --extended-analysis=text -f,--format=text
    --list-optional --norc --rcfile=in -o,--enable=text -P,--source-path=reads -s,--shell=text -S,--severity=text
    -V,--version -W,--wiki-link-count=text -x,--external-sources <in>... opaque`,
  // Their configuration is data and names no code.
  hadolint: `-c,--config=in -f,--format=text -t,--failure-threshold=text --ignore=text --error=text --warning=text --info=text
    --style=text --trusted-registry=text --require-label=text --strict-labels --disable-ignore-pragma --no-fail --no-color
    --file-path-in-report=text -V,--verbose -v,--version -h <in>...`,
  yamllint: `-c,--config-file=in -d,--config-data=text! --list-files -f,--format=text -s,--strict --no-warnings -v,--version -h
    <sources>...`,
  shfmt: {
    style: 'dash',
    usage: `-l,--list -w,--write!:formatted -d,--diff -s,--simplify -mn,--minify -ln,--language-dialect=text -p,--posix
      -i,--indent=text -bn,--binary-next-line -ci,--case-indent -sr,--space-redirects -kp,--keep-padding
      -fn,--func-next-line -f,--find --apply-ignore --filename=text --to-json --from-json --version -h <sources>...`,
  },
  [joinNames(`standard, xo, tslint, jshint, dprint, knip, publint, attw, depcheck, madge, size-limit, svgo, terser, uglifyjs, babel,
    swc, sass, postcss, tailwindcss, typedoc, jsdoc, markdownlint, remark, commitlint, cspell, autopep8, yapf, pyre,
    pyflakes, pycodestyle, psalm, php-cs-fixer, phpcs, actionlint, ansible-lint, tflint,
    clang-format, clang-tidy, cppcheck, iwyu, swiftlint, swiftformat, ktlint, detekt, checkstyle, spotbugs, hlint,
    ormolu, stylua, luacheck, taplo, typos, semgrep, trivy, snyk, gitleaks, sonar-scanner`)]:
    'opaque <harmful>... .=writes',
};
