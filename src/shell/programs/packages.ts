/** Package managers: most of what they do runs code of packages. */

import { names, type ProgramRow, type ProgramRows } from '../program-row.ts';

const npmOptions = `-g,--global:elsewhere -D,--save-dev -S,--save -P,--save-prod -O,--save-optional -E,--save-exact --save-peer
  --no-save -f,--force! --legacy-peer-deps --prefer-offline --offline --no-audit --no-fund --ignore-scripts
  --omit=text --include=text --only=text --production --dry-run --json -l,--long --parseable --depth=text -a,--all
  -s,--silent -q,--quiet -d,--verbose --loglevel=text --registry=text! --userconfig=script --globalconfig=script
  --prefix,-C=folder --cache=writes --script-shell=program --node-options=harmful --shell=program --tag=text!
  --access=text! --otp=text! -w,--workspace=text! --workspaces! -ws! --if-present --include-workspace-root -y,--yes!
  -c,--call=code -p,--package=text! --filter,-F=text! -r,--recursive! --parallel --stream --aggregate-output
  --frozen-lockfile --no-frozen-lockfile --cwd,--dir=folder --immutable --check-cache --color[=text] --no-color
  --progress --no-progress -h -v`;
const run = 'opaque <text!> <either>...';
const changes = 'opaque <text!>... .=writes elsewhere';
const others = `docs, bugs, repo, help, publish, unpublish, deprecate, login, logout, adduser, token, owner, dist-tag, access,
  config, c=config, set, get, pkg, audit, link, ln=link, unlink, rebuild, rb=rebuild, pack, dedupe, prune, shrinkwrap,
  edit, explore, cache, store, patch, patch-commit, approve-builds, plugin, version, upgrade-interactive, workspaces,
  import, deploy, env, setup, fetch, hook, org, profile, team, sbom, query, diff, global, pm`;

function javascript(aliases: string): ProgramRow {
  return {
    usage: `${npmOptions} opaque`,
    inherits: true,
    commands: {
      'run, run-script=run, rum=run, urn=run': run,
      'test, t=test, tst=test, start, stop, restart': 'opaque <either>...',
      'exec, x=exec, dlx': 'opaque -- <program>',
      'init, create=init, innit=init': 'opaque -- <text!>... .=writes',
      node: 'opaque -- <script> <either>... stdin=foreign',
      workspace: 'opaque <harmful>...',
      'list, ls=list, ll=list, la=list, why, explain, outdated, root, bin, prefix, licenses, fund': '<text>...',
      'view, info=view, show=view, v=view, search, ping, whoami, doctor, completion': '<text>...',
      [names(others)]: changes,
      [names(
        `install, i=install, ci, update, up=update, upgrade=update, uninstall, un=uninstall, rm=uninstall, ${aliases}`,
      )]: changes,
      '*': 'opaque <harmful>...',
    },
  };
}
const system = 'opaque <text!>... elsewhere';
const python: ProgramRow = {
  usage: `-h -V -v,--verbose -q,--quiet --isolated --require-virtualenv --python=program --log=out --no-input --proxy=text!
    --retries=text --timeout=text --cache-dir=writes --no-cache-dir --no-color opaque`,
  inherits: true,
  commands: {
    list: `-o,--outdated -u,--uptodate -e,--editable -l,--local --user --path=reads --pre --format=text --not-required
      --exclude=text -i=text! --index-url=text! --extra-index-url=text!`,
    'show, check, freeze, hash, debug, help, inspect':
      '-f,--files -l,--local --user --all -r=in --exclude=text <text>...',
    '*': 'opaque <text!>... .=writes elsewhere',
  },
};

export const packages: ProgramRows = {
  'npm, cnpm': javascript(
    `in=install, ins=install, isntall=install, add=install, clean-install=ci, ic=ci, install-clean=ci,
      remove=uninstall, r=uninstall, install-test, it=install-test, cit`,
  ),
  'pnpm, yarn, yarnpkg, bun': javascript('add, a=add, remove'),
  'npx, pnpx, bunx': `-y,--yes! -n,--no-install,--no -p,--package=text! -c,--call=code -q,--quiet -w,--workspace=text --ignore-existing!
    --node-options=harmful --shell=program --prefix=folder --bun opaque -- <program>`,
  corepack: 'opaque <program>',
  'pip, pip#': python,
  pipx: {
    usage: 'opaque --verbose --quiet --global',
    commands: {
      run: 'opaque --spec=text! --pip-args=text! --python=program --no-cache --system-site-packages -- <program>',
      runpip: 'opaque <text!>...',
      'list, environment': '--include-injected --json --short --skip-maintenance',
      '*': 'opaque <text!>... elsewhere',
    },
  },
  'uv, rye, hatch, pdm, poetry, pipenv, conda, mamba, micromamba, pixi, tox, nox, invoke': {
    usage: 'opaque -q,--quiet -v,--verbose -n,--no-interaction --directory,-C=folder --project=folder',
    commands: {
      run: `opaque --with=text! --with-requirements=in! --with-editable=reads! -p,--python=program -m,--module=script
        --no-project --no-sync --frozen --locked --isolated --env-file=in! --extra=text --group=text --all-extras
        --script,-s=script --package=text -n=text --no-capture-output -- <program>`,
      '*': 'opaque <harmful>... .=writes elsewhere',
    },
  },
  uvx: 'opaque --from=text! --with=text! -p,--python=program -- <program>',
  cargo: {
    usage: `-V +*=text! --list --explain=text -v,--verbose -q,--quiet --color=text --locked --offline --frozen
      --config=harmful -Z=text! -C=folder -h opaque`,
    inherits: true,
    commands: {
      [names(`build, b=build, check, c=check, test, t=test, bench, clippy, doc, d=doc, rustc, rustdoc, fix`)]:
        `opaque --release -r -p,--package=text --workspace --all --exclude=text --all-targets --lib --bins --bin=text
          --examples --example=text --tests --test=text --benches --bench=text -F,--features=text --all-features
          --no-default-features --target=text --target-dir=writes --manifest-path=reads! --message-format=text
          -j,--jobs=text --keep-going --profile=text --no-run --no-fail-fast --doc --fix! --allow-dirty!
          --allow-staged! --open! --no-deps <text!>... .=writes`,
      'run, r': `opaque -r,--release --bin=text --example=text -p,--package=text -F,--features=text --all-features
        --no-default-features --target=text --target-dir=writes --manifest-path=reads! --profile=text -j,--jobs=text
        -- <either>... .=writes`,
      [names(`tree, metadata, pkgid, search, info, locate-project, verify-project, version, help, read-manifest`)]:
        `--format-version=text --no-deps -e,--edges=text -i,--invert[=text] --depth=text --prefix=text
          -d,--duplicates -p,--package=text -F,--features=text --all-features --no-default-features --limit=text
          --workspace .=reads <text>...`,
      fmt: '--check --all -p,--package=text --manifest-path=in <text!>... .=writes',
      '*': 'opaque <harmful>... .=writes elsewhere',
    },
  },
  'rustup, cargo-nextest, volta, fnm, nvm, n, asdf, mise, rbenv, pyenv, nodenv, jenv, sdk, ghcup':
    'opaque <harmful>... elsewhere',
  [names(`gem, bundle, bundler, rake, rails, composer, cpan, cpanm, luarocks, pod, fastlane, swiftpm, vcpkg, conan, nuget,
    paket`)]: 'opaque <harmful>... .=writes elsewhere',
  [names(`apt, apt-get, apt-cache, aptitude, dpkg, dpkg-reconfigure, yum, dnf, microdnf, rpm, zypper, pacman, yay, apk,
    emerge, portage, snap, flatpak, brew, port, nix-env, guix, xbps-install, pkg, opkg, choco, scoop, winget,
    softwareupdate, mas`)]: system,
};
