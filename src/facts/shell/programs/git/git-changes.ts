/** Subcommands of git that change or start something. */

import type { ProgramRow, ProgramRows } from '../../usage/program-row.ts';
import { gitDiffOptions, gitLogOptions } from './git-options.ts';

const refs = `-f,--force! -l,--list -v,--verbose -a,--all -r,--remotes -i,--ignore-case -q,--quiet --sort=text --format=text
  --column[=text] --no-column --color[=text] --no-color --abbrev[=text] --no-abbrev --points-at=text --contains[=text]
  --no-contains[=text] --merged[=text] --no-merged[=text] --create-reflog --omit-empty`;
const listing = {
  '--list': '<text>...',
  '--contains': '<text>...',
  '--merged': '<text>...',
  '--no-merged': '<text>...',
  '--no-contains': '<text>...',
};
const merging = `-n --stat --no-stat --compact-summary --log[=text] --no-log -e,--edit! --no-edit --cleanup=text --ff --no-ff
  --ff-only -S*,--gpg-sign[=text]! --no-gpg-sign --squash --no-squash --no-verify! --verify -s,--strategy=text!
  -X,--strategy-option=text! --verify-signatures -q,--quiet -v,--verbose --progress --no-progress --autostash
  --no-autostash --allow-unrelated-histories! -m,--message=text --into-name=text -F,--file=in --rerere-autoupdate
  --no-rerere-autoupdate --overwrite-ignore! --abort! --quit! --continue! --no-commit --commit --signoff --no-signoff`;
const fetching = `--all -a,--append! --atomic --depth=text --deepen=text --shallow-since=text --shallow-exclude=text --unshallow
  --update-shallow --negotiation-tip=text --dry-run --porcelain -f,--force! -k,--keep --multiple --prefetch
  -p,--prune! -P,--prune-tags! --no-tags --refmap=text! -t,--tags --recurse-submodules[=text]! --no-recurse-submodules
  -j,--jobs=text -u,--update-head-ok! --upload-pack=code --progress -o,--server-option=text! --show-forced-updates
  --no-show-forced-updates --set-upstream! -4,--ipv4 -6,--ipv6 --filter=text --stdin! --write-fetch-head
  --no-write-fetch-head --auto-gc --no-auto-gc --auto-maintenance --no-auto-maintenance --refetch --negotiate-only
  --write-commit-graph --no-write-commit-graph`;

/** A separate program. The configuration names its hooks and filters. */
export const gitLfs: ProgramRow = {
  usage: 'opaque -h -v',
  commands: {
    'ls-files, status, env, locks, logs, version, pointer, ls-locks': `opaque -l,--long -s,--size -n,--name-only -a,--all -d,--debug -j,--json -p,--porcelain
      --deleted -I,--include=text -X,--exclude=text --file=in <text>...`,
    'pull, fetch, push, checkout, prune, fsck, dedup, install, uninstall, update, lock, unlock, migrate, track, untrack': `opaque -I,--include=text -X,--exclude=text -r,--recent -a,--all -p,--prune! --dry-run -n -f,--force! --local
      --verbose -v <text!>... .=history .=writes`,
    '*': 'opaque <harmful>...',
  },
};

export const gitChanges: ProgramRows = {
  add: {
    usage: `-n,--dry-run -v,--verbose -f,--force!:tree --sparse -i,--interactive! -p,--patch! -e,--edit!:opaque
      -u,--update:sources! -A,--all --no-all,--ignore-removal -N,--intent-to-add --refresh --ignore-errors
      --ignore-missing --renormalize:sources! --chmod=text! --pathspec-from-file=in!:opaque:elsewhere --pathspec-file-nul
      <unignored>...`,
    with: { '--all': '<unignored=.>...' },
  },
  branch: {
    usage: `${refs} -d,--delete! -D! -m,--move!:opaque -M!:opaque -c,--copy!:opaque -C!:opaque --show-current -t,--track[=text]!:opaque --no-track
      -u,--set-upstream-to=text!:opaque --unset-upstream!:opaque --edit-description!:opaque --recurse-submodules! <text!>...`,
    with: listing,
    implies: { '-D': '--delete --force', '-M': '--move --force', '-C': '--copy --force' },
  },
  tag: {
    usage: `${refs} -a,--annotate! -s,--sign! --no-sign -u,--local-user=text! -d,--delete! -v,--verify!:opaque -n*
      -m,--message=text! -F,--file=in! --trailer=text! -e,--edit! --cleanup=text <text!>...`,
    with: listing,
  },
  commit: `-a,--all -p,--patch! -C,--reuse-message=text -c,--reedit-message=text! --fixup=text --squash=text --reset-author
    --short --branch --porcelain --long -z,--null -F,--file=in --author=text --date=text -m,--message=text
    -t,--template=in -s,--signoff --no-signoff --trailer=text -n,--no-verify! --verify --allow-empty
    --allow-empty-message --cleanup=text -e,--edit! --no-edit --amend! --no-post-rewrite -i,--include -o,--only
    --pathspec-from-file=in --pathspec-file-nul -u*,--untracked-files[=text] -v,--verbose -q,--quiet --dry-run
    --status --no-status -S*,--gpg-sign[=text]! --no-gpg-sign --interactive! <sources>... opaque`,
  push: {
    usage: `--all,--branches --prune! --mirror! -n,--dry-run --porcelain -d,--delete! --tags --follow-tags --no-follow-tags
      --signed[=text]! --no-signed --atomic --no-atomic -o,--push-option=text! --receive-pack,--exec=code
      --force-with-lease[=text]! --no-force-with-lease --force-if-includes --no-force-if-includes -f,--force!
      --repo=target -u,--set-upstream! --thin --no-thin -q,--quiet -v,--verbose --progress --recurse-submodules=text!
      --no-recurse-submodules --verify --no-verify! -4,--ipv4 -6,--ipv6 <target> <text!>... opaque`,
    implies: { '+': '--force', ':': '--delete', '--mirror': '--force --delete' },
  },
  fetch: { usage: `${fetching} -n -q,--quiet -v,--verbose <remote> <text!>...`, implies: { '+': '--force' } },
  pull: {
    usage: `${fetching} ${merging} -j*,--jobs[=text] -r,--rebase[=text] --no-rebase <remote> <text!>... opaque .=history`,
    implies: { '+': '--force' },
  },
  merge: `${merging} <text!>... opaque .=history`,
  rebase: `--onto=text! --keep-base --continue! --abort! --quit! --skip! --edit-todo!:opaque --show-current-patch --apply
    --empty=text --no-keep-empty --keep-empty --reapply-cherry-picks --allow-empty-message -m,--merge
    -s,--strategy=text! -X,--strategy-option=text! --rerere-autoupdate -S*,--gpg-sign[=text]! --no-gpg-sign -q,--quiet
    -v,--verbose --stat -n,--no-stat --no-verify! --verify -C=text -f,--no-ff,--force-rebase! --fork-point
    --no-fork-point --ignore-whitespace --whitespace=text --committer-date-is-author-date --ignore-date
    --reset-author-date --signoff -i,--interactive!:opaque -r,--rebase-merges[=text]! -x,--exec=code --root!
    --autosquash --no-autosquash --autostash --no-autostash --reschedule-failed-exec --update-refs! <text!>... opaque
    .=history`,
  'cherry-pick, revert': `-e,--edit! --no-edit --cleanup=text -x -r -m,--mainline=text -n,--no-commit -s,--signoff -S*,--gpg-sign[=text]!
    --no-gpg-sign --ff --allow-empty --allow-empty-message --empty=text --keep-redundant-commits --strategy=text!
    -X,--strategy-option=text! --rerere-autoupdate --reference --continue! --skip! --quit! --abort! <text!>... opaque
    .=history`,
  switch: `-q,--quiet --progress --no-progress -f,--force,--discard-changes! -c,--create=text! -C,--force-create=text!
    -t*,--track[=text] --no-track --guess --no-guess -d,--detach --orphan=text! -m,--merge! --conflict=text
    --ignore-other-worktrees! --overwrite-ignore! --recurse-submodules[=text]! <text!>... opaque .=history`,
  checkout: `-q,--quiet --progress --no-progress -f,--force! --ours --theirs -b=text! -B=text!
    -t*,--track[=text] --no-track --guess --no-guess -l! -d,--detach --orphan=text!
    --ignore-skip-worktree-bits -m,--merge! --conflict=text -p,--patch! --ignore-other-worktrees! --overwrite-ignore!
    --recurse-submodules[=text]! --overlay --no-overlay --pathspec-from-file=in!:.=worktree --pathspec-file-nul <pathspec>... opaque
    .=history`,
  restore: {
    usage: `-s,--source=text -p,--patch! -W,--worktree -S,--staged -q,--quiet --progress --no-progress --ours --theirs
      -m,--merge! --conflict=text --ignore-unmerged --ignore-skip-worktree-bits --recurse-submodules[=text]! --overlay
      --no-overlay --pathspec-from-file=in!:.=worktree --pathspec-file-nul <pathspec>...`,
    // Affects only the index.
    with: { '--worktree': '<pathspec>...', '--staged': '<text!>...' },
  },
  reset: `--soft! --mixed! -N --hard!:.=worktree --merge!:.=worktree --keep!:.=worktree --recurse-submodules[=text]! -q,--quiet
    --no-quiet --refresh --no-refresh --pathspec-from-file=in --pathspec-file-nul --intent-to-add -p,--patch! <text!>...`,
  clean: '-d! -f,--force! -i,--interactive! -n,--dry-run -q,--quiet -e,--exclude=text -x! -X! <pathspecs=.>...',
  rm: `-f,--force! -n,--dry-run -r! --cached:text! --ignore-unmatch --sparse -q,--quiet
    --pathspec-from-file=in!:.=worktree --pathspec-file-nul <pathspecs>...`,
  mv: '-f,--force! -k -n,--dry-run -v,--verbose --sparse <tree>... <onto>',
  stash: {
    usage: `-p,--patch! -S,--staged -k,--keep-index --no-keep-index -u,--include-untracked -a,--all -q,--quiet
      -m,--message=text .=worktree`,
    commands: {
      list: `${gitLogOptions} <text>...`,
      show: `${gitDiffOptions} -u,--include-untracked --only-untracked <text>...`,
      'push, save': `-p,--patch! -S,--staged -k,--keep-index -u,--include-untracked -a,--all -q,--quiet -m,--message=text
        --pathspec-from-file=in <pathspec>... .=worktree`,
      'pop, apply, branch': '--index -q,--quiet <text!>... .=worktree',
      'drop, clear, create, store': '-q,--quiet -m,--message=text <text!>...',
    },
  },
  remote: {
    usage: '-v,--verbose',
    commands: {
      show: '-n <text!>...',
      'get-url': '--push --all <text>',
      // They change how git connects from then on.
      'add, rename, remove, rm=remove, set-head, set-branches, set-url, prune, update': `-t=text! -m=text! -f! --tags --no-tags --mirror[=text]! --push! --add! --delete! -a! -d! -n -p <remote>...
        opaque`,
    },
  },
  config: {
    usage: `--global:elsewhere --system:elsewhere --local --worktree -f,--file=either --blob=lines --replace-all! --add!
      --get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool --unset! --unset-all! --rename-section!
      --remove-section! -l,--list --fixed-value --type=text --bool --int --bool-or-int --path --expiry-date -z,--null
      --name-only --show-origin --show-scope --default=text -e,--edit!:opaque --includes:elsewhere --no-includes <text>
      <harmful>... .=writes`,
    with: {
      '--get': 'untouched -f,--file=in <text>...',
      '--get-all': 'untouched -f,--file=in <text>...',
      '--get-regexp': 'untouched -f,--file=in <text>...',
      '--get-urlmatch': 'untouched -f,--file=in <text>...',
      '--get-color': 'untouched -f,--file=in <text>...',
      '--get-colorbool': 'untouched -f,--file=in <text>...',
      '--list': 'untouched -f,--file=in <text>...',
    },
  },
  apply: {
    usage: `--stat --numstat --summary --check --index --cached --intent-to-add -3,--3way --build-fake-ancestor=out
    -R,--reverse --reject! -z -p=text -C=text --unidiff-zero --apply! --no-add --exclude=text --include=text
    --ignore-space-change --ignore-whitespace --whitespace=text --inaccurate-eof -v,--verbose -q,--quiet --recount
    --directory=writes --unsafe-paths!:unsure --allow-empty <in>... .=worktree`,
    with: {
      '--apply': '<in>...',
      '--check': 'untouched <in>...',
      '--stat': 'untouched <in>...',
      '--numstat': 'untouched <in>...',
      '--summary': 'untouched <in>...',
    },
  },
  am: `-s,--signoff -k,--keep -3,--3way -q,--quiet -i,--interactive! --directory=writes --exclude=text --include=text
    --reject -p=text --continue! --skip! --abort! --quit! --show-current-patch[=text] --no-verify!
    -S*,--gpg-sign[=text]! <in>... opaque .=history`,
  bisect: {
    commands: {
      run: '-- <program> opaque',
      'log, terms': '<text>...',
      'visualize, view': `${gitDiffOptions} <text>... opaque`,
      'start, good, bad, old, new, skip, reset, next, replay': `--term-new=text --term-old=text --term-good=text --term-bad=text --no-checkout --first-parent <text!>...
        opaque .=history`,
    },
  },
  submodule: {
    usage: '-q,--quiet --cached',
    commands: {
      foreach: '--recursive -q,--quiet -- <code>... opaque',
      'status, summary': '--cached --recursive --files -n,--summary-limit=text <reads>...',
      'update, init, sync, deinit, absorbgitdirs': `opaque --init! --recursive --remote! -N,--no-fetch --checkout --merge! --rebase! -f,--force! --all!
        --reference=reads! --dissociate --depth=text -j,--jobs=text --single-branch --no-single-branch --filter=text
        --recommend-shallow --no-recommend-shallow --progress -q,--quiet <sources!>... .=history`,
      '*': 'opaque <remote>... .=history',
    },
  },
  'filter-branch': `--setup=code --subdirectory-filter=text! --env-filter=code --tree-filter=code --index-filter=code
    --parent-filter=code --msg-filter=code --commit-filter=code --tag-name-filter=code --prune-empty! --original=text!
    -d=writes -f,--force! --state-branch=text! <text!>... opaque .=writes`,
  worktree: {
    commands: {
      list: '-v,--verbose --porcelain -z --expire=text',
      add: `-f,--force! -b=text! -B=text! -d,--detach --checkout --no-checkout --lock --reason=text --orphan! -q,--quiet
        --track --guess-remote <filled> <text!> opaque`,
      move: '-f,--force! <tree> <filled>',
      'remove, prune, lock, unlock, repair':
        '-f,--force! -n,--dry-run -v,--verbose --expire=text --reason=text <tree>...',
    },
  },
  clone: `-l,--local --no-hardlinks -s,--shared --reference=reads --reference-if-able=reads --dissociate -q,--quiet
    -v,--verbose --progress --server-option=text! -n,--no-checkout --reject-shallow --bare --sparse --filter=text
    --mirror -o,--origin=text -b,--branch=text --revision=text -u,--upload-pack=code --template=script
    -c,--config=harmful --depth=text --shallow-since=text --shallow-exclude=text --single-branch --no-single-branch
    --tags --no-tags --recursive,--recurse-submodules[=text]! --shallow-submodules --remote-submodules! --separate-git-dir=writes
    --ref-format=text -j,--jobs=text --bundle-uri=remote -4,--ipv4 -6,--ipv6 <remote> <filled=.>`,
  init: `-q,--quiet --bare --template=script --separate-git-dir=writes --object-format=text --ref-format=text
    -b,--initial-branch=text --shared[=text] <writes=.>`,
  archive: `--format=text -l,--list -v,--verbose --prefix=text -o,--output=out --worktree-attributes --remote=remote
    --exec=code --add-file=in --add-virtual-file=text -NUM <tracked>...`,
  'format-patch': {
    usage: `${gitDiffOptions} -NUM -o,--output-directory=writes -n,--numbered -N,--no-numbered --start-number=text --numbered-files
    -k,--keep-subject -s,--signoff --stdout --attach[=text] --thread[=text] --subject-prefix=text
    -v,--reroll-count=text --to=text --cc=text --cover-letter --signature=text --suffix=text --zero-commit
    --base=text --progress --filename-max-length=text --rfc --cover-from-description=text
    --ignore-if-in-upstream --add-header=text --from[=text] --in-reply-to=text --inline[=text] --signature-file=in
    --interdiff=text --range-diff=text --creation-factor=text --no-signature --no-thread --force-in-body-from
    <text>... .=writes`,
    with: { '--stdout': 'untouched' },
  },
  difftool: `-d,--dir-diff -y,--no-prompt --prompt -t,--tool=program --tool-help --symlinks --no-symlinks -x,--extcmd=code
    -g,--gui --trust-exit-code ${gitDiffOptions} <reads>... opaque`,
  mergetool: '-t,--tool=program --tool-help -y,--no-prompt --prompt -g,--gui -O=in <writes>... opaque .=writes',
  bundle: {
    commands: {
      create: '-q --progress --version=text <out> <text>...',
      'verify, list-heads': '-q <in> <text>...',
      unbundle: '<in> <text!>...',
    },
  },
  notes: 'opaque <text!>...',
  lfs: gitLfs,
  'gc, prune, repack, maintenance, pack-refs, prune-packed':
    '--aggressive! --auto --prune[=text]! --no-prune -q,--quiet --force! -a -d! -f! -n,--dry-run -v <text!>... opaque',
  'update-index, update-ref, symbolic-ref, write-tree, commit-tree': 'opaque <text!>... .=writes',
  'checkout-index, read-tree, sparse-checkout': 'opaque <text!>... .=worktree',
};
