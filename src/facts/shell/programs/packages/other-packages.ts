/** Package managers of Ruby, PHP and others. They run code from packages. */

import { joinNames, type ProgramRow, type ProgramRows } from '../../usage/program-row.ts';

const bundle: ProgramRow = {
  usage: 'opaque --verbose --no-color -r,--retry=text -V',
  commands: {
    exec: 'opaque --keep-file-descriptors --gemfile=script -- <program>',
    'install, update, add, remove, outdated, lock, check, clean, cache, package': `opaque --gemfile=script --path=writes --without=text --with=text --jobs,-j=text --quiet --local --deployment --frozen
      --redownload --all --group,-g=text --conservative --patch --minor --major --strict --retry=text --version=text -v=text
      --skip-install <text!>... .=writes elsewhere`,
    'list, ls=list, show, info, platform, version, env, licenses, doctor':
      'opaque --name-only --paths --path --only-group=text --without-group=text <text>...',
    '*': 'opaque <harmful>... .=writes elsewhere',
  },
};
const composerOptions = `-q,--quiet -v,--verbose -n,--no-interaction --ansi --no-ansi --profile --no-plugins --no-scripts -d,--working-dir=folder
  --no-cache -h -V`;
const composer: ProgramRow = {
  usage: `${composerOptions} opaque`,
  inherits: true,
  commands: {
    exec: 'opaque -l,--list -- <program>',
    'install, update, require, remove, dump-autoload, dumpautoload, create-project, validate, audit, run-script, run': `opaque --dev --no-dev --prefer-dist --prefer-source --dry-run --no-progress --no-autoloader -o,--optimize-autoloader,--optimize
      -a,--classmap-authoritative --ignore-platform-reqs --ignore-platform-req=text -w,--with-dependencies
      -W,--with-all-dependencies --lock --no-update --no-install --sort-packages --strict --prefer-stable --prefer-lowest
      --no-suggest --timeout=text -l,--list <text!>... .=writes elsewhere`,
    'show, info=show, outdated, why, depends=why, why-not, licenses, status, diagnose, about, search, check-platform-reqs': `opaque -i,--installed -p,--platform -a,--all --available -l,--latest -o,--outdated -D,--direct -t,--tree -f,--format=text
      --no-dev -N,--name-only -s,--self --strict <text>...`,
    '*': 'opaque <harmful>... .=writes elsewhere',
  },
};

export const otherPackagePrograms: ProgramRows = {
  'bundle, bundler': bundle,
  rake: `-f,--rakefile=script -C,--directory=folder -I,--libdir=script -r,--require=script -e,--execute=foreign -p,--execute-print=foreign
    -E,--execute-continue=foreign -R,--rakelibdir=script -T*,--tasks[=text] -A,--all -D*,--describe[=text] -P,--prereqs -W*,--where[=text]
    -n,--dry-run -q,--quiet -s,--silent -v,--verbose -t*,--trace[=text] -m,--multitask -j*,--jobs[=text] --backtrace[=text]
    -N,--no-search -G,--no-system -g,--system! --rules --build-all -h -V <text!>... opaque .=writes`,
  composer,
  gem: {
    usage: 'opaque -h -v',
    commands: {
      'list, search, info, outdated, environment, env=environment, which, contents, specification, dependency, help': `-l,--local -r,--remote -a,--all -d,--details -i,--installed -v,--version=text --versions --pre --prerelease -e,--exact -q,--quiet
        opaque <text>...`,
      '*': 'opaque <harmful>... .=writes elsewhere',
    },
  },
  [joinNames('rails, cpan, cpanm, luarocks, pod, fastlane, swiftpm, vcpkg, conan, nuget, paket')]:
    'opaque <harmful>... .=writes elsewhere',
};
