/** Package managers. Most of their commands run code from packages. */

import { joinNames, type ProgramRow, type ProgramRows } from '../../usage/program-row.ts';
import { withManualPages } from '../../usage/manual-pages.ts';
import { pythonPackagePrograms } from './python-packages.ts';
import { otherPackagePrograms } from './other-packages.ts';

const npmOptions = `-g,--global:elsewhere -D,--save-dev -S,--save -P,--save-prod -O,--save-optional -E,--save-exact --save-peer
  --no-save -f,--force! --legacy-peer-deps --prefer-offline --offline --no-audit --no-fund --ignore-scripts
  --omit=text --include=text --only=text --production --dry-run --json -l,--long --parseable --depth=text -a,--all
  -s,--silent -q,--quiet -d,--verbose --loglevel=text --registry=text!:opaque --userconfig=script --globalconfig=script
  --prefix,-C=folder --cache=filled --script-shell=program --node-options=harmful --shell=program --tag=text!
  --access=text! --otp=text! -w,--workspace=text! --workspaces! -ws! --if-present --include-workspace-root -y,--yes!
  -c,--call=code -p,--package=text! --filter,-F=text! -r,--recursive! --parallel --stream --aggregate-output
  --frozen-lockfile --no-frozen-lockfile --cwd,--dir=folder --immutable --check-cache --color[=text] --no-color
  --progress --no-progress -h -v`;
/** These select workspaces that the project declares. */
const workspaces = '-w,--workspace=text --workspaces -ws';
const script = `opaque ${workspaces} <text!> <passed>...`;
const changes = 'opaque <text!>... .=writes elsewhere';
const other = 'opaque <harmful>... .=writes elsewhere';
const start = `opaque ${workspaces} <passed>...`;
/** All following words are passed to the script. */
const passesAll = 'opaque raw <passed>...';

const npm: ProgramRow = {
  usage: `${npmOptions} opaque`,
  inherits: true,
  commands: {
    'run, run-script=run, rum=run, urn=run': script,
    'test, t=test, tst=test, start, stop, restart': start,
    'exec, x=exec': 'opaque fetches -- <program>',
    explore: 'opaque <text!> <program> stdin=code',
    'init, create=init, innit=init': 'opaque -- <text!>... .=writes',
    config: {
      usage: `${npmOptions} opaque`,
      commands: {
        // npm hides secrets in this output.
        'get, list, ls=list': `${npmOptions} <text>...`,
        '*': `${npmOptions} ${other}`,
      },
    },
    pkg: {
      usage: `${npmOptions} opaque`,
      commands: { get: `${npmOptions} <text>...`, '*': `${npmOptions} ${other}` },
    },
    'list, ls=list, ll=list, la=list, why=explain, explain, outdated, root, bin, prefix': '<text>...',
    'view, info=view, show=view, v=view, search, ping, whoami, doctor, completion': '<text>...',
    [joinNames(`docs, bugs, repo, fund, help, publish, unpublish, deprecate, login, logout, adduser, token, owner, dist-tag,
      access, audit, link, ln=link, unlink, rebuild, rb=rebuild, pack, dedupe, prune, shrinkwrap, cache, version, hook,
      org, profile, team, sbom, query, diff`)]: changes,
    [joinNames(`install, i=install, in=install, ins=install, isntall=install, add=install, ci, clean-install=ci, ic=ci,
      install-clean=ci, update, up=update, upgrade=update, uninstall, un=uninstall, rm=uninstall, remove=uninstall,
      r=uninstall, install-test, it=install-test, cit`)]: changes,
    '*': other,
  },
};

/** Programs of the project that need no `exec`, unless a script has the same name: `pnpm vitest run`. */
const ownPrograms: ProgramRows = Object.fromEntries(
  'biome eslint jest mocha next oxlint playwright prettier stylelint tsc turbo vite vitest'
    .split(' ')
    .map((name) => [name, `opaque raw <program=${name}>`]),
);

/**
 * JavaScript package managers other than npm. A word that is not a subcommand is a script of the project or a program.
 * All words after a script name, including options, are passed to the script.
 */
function javascriptManager(looks: ProgramRows, changing: string): ProgramRow {
  return {
    usage: `${npmOptions} opaque`,
    commands: {
      'run, run-script=run': `${npmOptions} --watch! --hot! --bun --smol --no-clear-screen opaque -- <harmful> <passed>...`,
      start: passesAll,
      test: passesAll,
      'exec, x=exec, dlx': `${npmOptions} opaque fetches -- <program>`,
      'init, create=init': `${npmOptions} opaque -- <text!>... .=writes`,
      ...ownPrograms,
      ...looks,
      [joinNames(changing)]: `${npmOptions} ${changes}`,
      '*': `${npmOptions} ${other}`,
    },
  };
}
const yarn = javascriptManager(
  // Even these run the yarn release that the project keeps in .yarn.
  { 'why, bin, info': `${npmOptions} opaque <text>...`, node: 'opaque -- <script> <either>... stdin=foreign' },
  `install, add, remove, up, upgrade, upgrade-interactive, link, unlink, rebuild, pack, dedupe, cache, version, import,
    audit, publish, npm, login, logout, owner, tag, team`,
);
const pnpm = javascriptManager(
  {
    // Even these run `.pnpmfile.cjs` and the pnpm version that the project names.
    'list, ls=list, ll=list, la=list, why, outdated, root, bin, licenses': `${npmOptions} opaque <text>...`,
    node: 'opaque -- <script> <either>... stdin=foreign',
  },
  `install, i=install, add, a=add, remove, rm=remove, uninstall=remove, un=remove, update, up=update, upgrade=update,
    link, ln=link, unlink, rebuild, rb=rebuild, prune, fetch, import, audit, store, patch, patch-commit, dedupe, publish,
    pack, deploy, setup, approve-builds`,
);
const bun = javascriptManager(
  {
    test: `opaque -t,--test-name-pattern=text --timeout=text --bail[=text] --coverage --coverage-reporter=text --coverage-dir=filled
      --rerun-each=text --todo --only -u,--update-snapshots! --watch --hot --smol --preload,-r=script --reporter=text
      --reporter-outfile=out --cwd=folder --env-file=in! -c,--config=script <sources>... .=writes`,
    build: `opaque --outdir=filled --outfile=out --target=text --format=text --minify --sourcemap[=text] --splitting --watch
      --external,-e=text --packages=text --root=text --entry-naming=text --compile! --bytecode! --define,-d=text! --loader,-l=text
      --production --no-bundle --banner=text --footer=text --drop=text --env=text! --conditions=text <sources!>... .=writes`,
    'pm, info, why, outdated': `${npmOptions} opaque <text!>...`,
  },
  `install, i=install, add, a=add, remove, rm=remove, update, link, unlink, patch, publish, audit, upgrade`,
);

const managed = 'opaque <text!>... elsewhere';
/** System package managers. Some subcommands, and most options, start the program they name. */
const system: ProgramRow = {
  usage: `-y,--yes,--assume-yes,--assumeyes -q,--quiet -qq -v,--verbose -f,--force! -n,--non-interactive -o,--option=harmful
    --config-file=script --no-install-recommends --no-cache --simulate,--dry-run --purge! --reinstall -d --debug
    --cask --formula --json opaque elsewhere`,
  inherits: true,
  commands: {
    [joinNames(`install, add, remove, uninstall, purge, erase, autoremove, update, upgrade, full-upgrade, dist-upgrade,
      dist-sync, reinstall, search, show, info, list, policy, depends, rdepends, madison, download, clean, autoclean,
      cleanup, outdated, doctor, deps, tap, untap, refresh, in, rm, se, up, lu, check-update, repolist, history, provides,
      whatprovides, del, fetch, leaves, pin, unpin, link, unlink, config`)]: managed,
    '*': 'opaque <harmful>... elsewhere',
  },
};
export const packagePrograms: ProgramRows = {
  'npm, cnpm': npm,
  pnpm,
  'yarn, yarnpkg': yarn,
  bun,
  'npx, pnpx, bunx': `-y,--yes! -n,--no-install,--no -p,--package=text! -c,--call=code -q,--quiet -w,--workspace=text --ignore-existing!
    --node-options=harmful --shell=program --prefix=folder --bun opaque fetches -- <program>`,
  corepack: 'opaque <program>',
  ...pythonPackagePrograms,
  'conda, mamba, micromamba': {
    usage: 'opaque -q,--quiet -v,--verbose',
    commands: {
      run: `opaque -n,--name=text -p,--prefix=folder --cwd=folder -v,--verbose --no-capture-output --live-stream -- <program>`,
      '*': 'opaque <harmful>... .=writes elsewhere',
    },
  },
  cargo: {
    usage: `-V +*=text! --list --explain=text -v,--verbose -q,--quiet --color=text --locked --offline --frozen
      --config=harmful -Z=text! -C=folder -h opaque`,
    inherits: true,
    commands: withManualPages({
      [joinNames(`build, b=build, check, c=check, test, t=test, bench, doc, d=doc, clippy`)]:
        `opaque --release -r -p,--package=text --workspace --all --exclude=text --all-targets --lib --bins --bin=text
          --examples --example=text --tests --test=text --benches --bench=text -F,--features=text --all-features
          --no-default-features --target=machine --target-dir=writes --manifest-path=reads! --message-format=text
          -j,--jobs=text --keep-going --profile=text --no-run --no-fail-fast --doc --fix! --allow-dirty!
          --allow-staged! --open! --no-deps <argument>... .=writes`,
      'run, r': `opaque -r,--release --bin=text --example=text -p,--package=text -F,--features=text --all-features
        --no-default-features --target=machine --target-dir=writes --manifest-path=reads! --profile=text -j,--jobs=text
        -- <either>... .=writes`,
      nextest: {
        usage: 'opaque',
        commands: {
          'run, r=run, list': `opaque --release -r -p,--package=text --workspace --all --exclude=text --all-targets --lib --bins --bin=text
            --examples --example=text --tests --test=text --benches --bench=text -F,--features=text --all-features
            --no-default-features --target=machine --manifest-path=reads! -P,--profile=text --cargo-profile=text
            --build-jobs=text -j,--test-threads=text --retries=text --no-fail-fast --fail-fast --no-run --no-capture --nocapture
            --run-ignored=text --partition=text -E,--filterset=text --status-level=text --final-status-level=text
            --failure-output=text --success-output=text --no-tests=text --hide-progress-bar <argument>... .=writes`,
          '*': 'opaque <harmful>... .=writes elsewhere',
        },
      },
      help: 'opaque <text!>...',
      // The configuration may name a program that provides registry credentials.
      [joinNames(`search, info`)]: 'opaque --limit=text --index=text! --registry=text! <text>...',
      [joinNames(`pkgid, locate-project, verify-project, version, read-manifest`)]:
        `-p,--package=text --message-format=text --manifest-path=in .=reads <text>...`,
      // They start the compiler that the configuration names, and download missing parts.
      [joinNames(`tree, metadata`)]:
        `opaque --format-version=text --no-deps -e,--edges=text -i,--invert[=text] --depth=text --prefix=text
          -d,--duplicates -p,--package=text -F,--features=text --all-features --no-default-features
          --workspace .=writes <ref>...`,
      // A configuration may alias it to anything.
      fmt: 'opaque --check --all -p,--package=text --manifest-path=in <passed>... .=writes',
      '*': 'opaque <harmful>... .=writes elsewhere',
    }),
  },
  rustup: {
    usage: '-v,--verbose -q,--quiet +*=text! opaque',
    commands: {
      // They may install what the project requires.
      'show, check, which': 'opaque -v,--verbose --toolchain=text <text>...',
      run: 'opaque --install! -- <text!> <program>',
      'toolchain, target, component, override': {
        commands: { list: '-v,--verbose -q,--quiet --installed --toolchain=text', '*': 'opaque <text!>... elsewhere' },
      },
      '*': 'opaque <harmful>... elsewhere',
    },
  },
  'cargo-nextest, volta, fnm, nvm, n, asdf, mise, rbenv, pyenv, nodenv, jenv, sdk, ghcup':
    'opaque <harmful>... elsewhere',
  ...otherPackagePrograms,
  'apt, apt-get, apt-cache, aptitude, yum, dnf, microdnf, zypper, apk, brew, port, choco, scoop, winget': system,
  rpm: `opaque -E,--eval=foreign -D,--define=foreign --pipe=code --root,--dbpath=writes --rcfile,--macros,--load=script
    -q,--query -a,--all -i -l -v,--verbose -e -U -F -h -V <text!>... elsewhere`,
  [joinNames(`dpkg, dpkg-reconfigure, pacman, yay, emerge, portage, snap, flatpak, nix-env, guix, xbps-install, pkg, opkg,
    softwareupdate, mas`)]: 'opaque <harmful>... elsewhere',
};
