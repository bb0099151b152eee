/** Python package and environment managers. Installing a package runs its code. */

import type { ProgramRow, ProgramRows } from '../../usage/program-row.ts';

const installing = `-r,--requirement,--requirements=in! -c,--constraint,--constraints=in! -e,--editable=package --no-deps --pre -t,--target=filled
  --platform=text --python-version=text --implementation=text --abi=text -U,--upgrade --upgrade-strategy=text --user
  --root=filled --prefix=filled --src=filled -I,--ignore-installed --force-reinstall --no-build-isolation --no-binary=text
  --only-binary=text --prefer-binary --require-hashes -i,--index-url=text! --extra-index-url=text! --no-index
  -f,--find-links=reads! --dry-run --report=out --no-compile --compile --break-system-packages -y,--yes -d,--dest=filled
  -w,--wheel-dir=filled --progress-bar=text --config-settings=text! --global-option=text! --trusted-host=text! --cert=in
  --client-cert=in --use-pep517 --no-clean --use-feature=text! --root-user-action=text --exists-action=text
  --ignore-requires-python --no-warn-script-location --no-warn-conflicts --all-extras --extra=text --system --reinstall`;
const pip: ProgramRow = {
  usage: `-h -V -v,--verbose -q,--quiet --isolated --require-virtualenv --python=program --log=out --no-input --proxy=text!
    --retries=text --timeout=text --cache-dir=filled --no-cache-dir --no-color --disable-pip-version-check
    --no-python-version-warning --debug opaque`,
  inherits: true,
  commands: {
    // An index on the network decides which ones are outdated.
    list: `-o,--outdated!:opaque -u,--uptodate!:opaque -e,--editable -l,--local --user --path=reads --pre --format=text --not-required
      --exclude=text -i=text!:opaque --index-url=text!:opaque --extra-index-url=text!:opaque`,
    hash: '-a,--algorithm=text <in>...',
    'show, check, freeze, debug, help, inspect': '-f,--files -l,--local --user --all -r=in --exclude=text <text>...',
    // A name, a URL, or a source folder.
    'install, uninstall, download, wheel': `${installing} <package>... opaque .=writes elsewhere`,
    '*': 'opaque <harmful>... .=writes elsewhere',
  },
};
const uvOptions = `-q,--quiet -v,--verbose --color=text --native-tls --offline --no-progress --directory=folder --project=folder --config-file=script
  --no-config -n,--no-cache --cache-dir=filled --allow-insecure-host=text! --no-python-downloads --managed-python --no-managed-python`;
const uvProject = `--extra=text --all-extras --no-extra=text --group=text --no-group=text --all-groups --only-group=text --dev --no-dev --only-dev
  --no-default-groups --frozen --locked -U,--upgrade -P,--upgrade-package=text --reinstall --reinstall-package=text
  --all-packages --package=text --active --inexact --exact --no-sync -p,--python=program --no-install-project
  --no-install-workspace --no-editable --dry-run --check --resolution=text --prerelease=text --link-mode=text
  --compile-bytecode --index=text! --default-index=text! -i,--index-url=text! --extra-index-url=text! -f,--find-links=reads!
  --script=script`;
const uv: ProgramRow = {
  usage: `${uvOptions} opaque`,
  inherits: true,
  commands: {
    run: `${uvProject} opaque --with=text! --with-requirements=in! --with-editable=reads! -m,--module=program:first:rest
      --no-project --isolated --env-file=in! --no-env-file -s! --gui-script! -- <program>`,
    pip,
    'sync, lock, add, remove, venv, init, build, publish, export, version': `${uvProject} opaque -r,--requirements=in! -c,--constraints=in! -e,--editable --optional=text --raw --bounds=text --branch=text
      --tag=text --rev=text --seed --clear! --allow-existing --prompt=text --system-site-packages --lib --app --bare
      --name=text -o,--out-dir,--output-file=filled --sdist --wheel --no-hashes --format=text --bump=text --short
      --output-format=text --workspace -h <package>... .=writes elsewhere`,
    tree: `${uvProject} opaque -d,--depth=text --prune=text --no-dedupe --invert --outdated! --universal -h <text>...`,
    python: {
      usage: 'opaque',
      commands: {
        'list, find, dir':
          'opaque --all-versions --all-platforms --all-arches --only-installed --only-downloads --show-urls --output-format=text <text>...',
        '*': 'opaque <text!>... elsewhere',
      },
    },
    tool: {
      usage: 'opaque',
      commands: {
        run: 'opaque --from=text! --with=text! -p,--python=program --isolated fetches -- <program>',
        'list, dir': 'opaque --show-paths --show-version-specifiers <text>...',
        '*': 'opaque <text!>... elsewhere',
      },
    },
    '*': 'opaque <harmful>... .=writes elsewhere',
  },
};
const poetryOptions =
  '-q,--quiet -v,--verbose -n,--no-interaction --ansi --no-ansi --no-plugins --no-cache -C,--directory=folder -P,--project=folder -h -V';
const poetry: ProgramRow = {
  usage: `${poetryOptions} opaque`,
  inherits: true,
  commands: {
    run: 'opaque -- <program>',
    'install, add, remove, update, lock, build, publish, check, version, export, sync, init, new': `opaque --no-root --no-directory --with=text --without=text --only=text --sync --no-dev --only-root -E,--extras=text
      --all-extras --all-groups --compile --dry-run -G,--group=text -D,--dev -e,--editable --optional --python=text
      --platform=text --source=text --allow-prereleases --lock --no-update --regenerate -f,--format=text -o,--output=filled
      --without-hashes --strict -s,--short --next-phase --clean <package>... .=writes elsewhere`,
    'show, about, list, help, search':
      'opaque -t,--tree -l,--latest -o,--outdated -a,--all -T,--top-level --with=text --without=text --only=text --why --format=text <text>...',
    '*': 'opaque <harmful>... .=writes elsewhere',
  },
};
/** Options that are a flag in one of them and take a value in another are not listed. */
const others: ProgramRow = {
  usage: 'opaque -q,--quiet -v,--verbose -n,--no-interaction --directory,-C=folder --project,-p=folder',
  commands: {
    run: 'opaque --no-project --no-sync --frozen --locked --isolated --env-file=in! -- <program>',
    '*': 'opaque <harmful>... .=writes elsewhere',
  },
};

export const pythonPackagePrograms: ProgramRows = {
  'pip, pip#': pip,
  pipx: {
    usage: 'opaque --verbose --quiet --global',
    commands: {
      run: 'opaque --spec=text! --pip-args=text! --python=program --no-cache --system-site-packages fetches -- <program>',
      runpip: 'opaque <text!>...',
      'list, environment': '--include-injected --json --short --skip-maintenance',
      '*': 'opaque <text!>... elsewhere',
    },
  },
  uv,
  poetry,
  'rye, hatch, pdm, pipenv, pixi': others,
  invoke: 'opaque <harmful>... .=writes elsewhere',
  uvx: 'opaque --from=text! --with=text! --with-requirements=in! -p,--python=program --isolated -q,--quiet -v,--verbose --offline fetches -- <program>',
  twine: {
    usage: 'opaque -h --version --no-color',
    commands: {
      'upload, check, register': `opaque -r,--repository=text! --repository-url=text! -u,--username=text! -p,--password=text! -s,--sign! -i,--identity=text
        -c,--comment=text --config-file=in! --skip-existing --cert=in --client-cert=in --verbose --disable-progress-bar
        --non-interactive --strict -h <in>...`,
      '*': 'opaque <harmful>...',
    },
  },
  virtualenv: `opaque --clear! -p,--python=program --system-site-packages --prompt=text --no-pip --upgrade-embed-wheels -q,--quiet
    -v,--verbose --copies --symlinks <filled>... .=writes`,
};
