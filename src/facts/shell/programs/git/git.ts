/** git. Its internal writes in `.git` are not listed. */

import type { ProgramRows } from '../../usage/program-row.ts';
import { gitDiffOptions, gitLogOptions } from './git-options.ts';
import { gitChanges, gitLfs } from './git-changes.ts';
import { withManualPages } from '../../usage/manual-pages.ts';

const code =
  `core.pager pager.* core.editor core.sshcommand core.fsmonitor core.askpass core.gitproxy core.alternaterefscommand
    diff.external gpg.program gpg.ssh.program gpg.ssh.defaultkeycommand sequence.editor interactive.difffilter
    uploadpack.packobjectshook`.replaceAll(/\s+/gu, ' ');
const settings =
  `user.* author.* committer.* color.* advice.* init.defaultbranch commit.gpgsign tag.gpgsign core.quotepath
    core.autocrlf core.filemode core.longpaths core.safecrlf core.eol core.ignorecase core.abbrev gc.auto
    protocol.version http.postbuffer http.lowspeedlimit http.lowspeedtime pull.rebase pull.ff push.default
    push.autosetupremote diff.renames diff.algorithm diff.renamelimit merge.conflictstyle merge.ff rebase.autostash
    log.* status.* safe.directory column.* fetch.prune`.replaceAll(/\s+/gu, ' ');

/** Files in the working tree or in the history, like `HEAD:file`. */
const trackedFiles = '<tracked>...';

export const gitPrograms: ProgramRows = {
  git: {
    usage: `-C=folder -c=harmful --config-env=text!:unsure --exec-path[=script] --git-dir=script --work-tree=folder
      --namespace=text! -p,--paginate!:opaque -P,--no-pager --bare!:opaque --no-replace-objects --no-lazy-fetch --no-optional-locks
      --no-advice --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs -h -v --html-path
      --man-path --info-path --list-cmds=text --attr-source=text! --super-prefix=text! --help!:opaque repository`,
    keys: { '-c': { [code]: 'code', [settings]: 'text!', 'core.hookspath include.path includeif.*': 'script' } },
    commands: withManualPages({
      status: `-s,--short -b,--branch --show-stash --porcelain[=text] --long -v,--verbose:sources -u*,--untracked-files[=text]
        --ignore-submodules[=text] --ignored[=text] -z,--null --column[=text] --no-column --ahead-behind --no-ahead-behind
        --renames --no-renames --find-renames[=text] <compared>...`,
      'log, whatchanged': `${gitLogOptions} --count ${trackedFiles}`,
      show: `${gitLogOptions} ${trackedFiles}`,
      reflog: {
        usage: `${gitLogOptions} <text>...`,
        commands: { show: `${gitLogOptions} <text>...`, list: '', exists: '<text>', '*': '<harmful>... opaque' },
      },
      shortlog: `${gitLogOptions} -n,--numbered -s,--summary -e,--email -c,--committer -w*! --group=text ${trackedFiles}`,
      diff: `${gitDiffOptions} --cached,--staged --merge-base --no-index:reads -1,--base -2,--ours -3,--theirs -0 -NUM ${trackedFiles}`,
      'diff-tree, diff-index, diff-files': `${gitDiffOptions} --cached --merge-base -r -t --root --stdin -m -v --pretty[=text] --no-commit-id --always ${trackedFiles}`,
      'range-diff, cherry': `${gitDiffOptions} --creation-factor=text --dual-color --no-dual-color --left-only --right-only --notes[=text]
        -v,--verbose <text>...`,
      'blame, annotate': `-b --root --show-stats -L=text -l -t -S=in --reverse --first-parent -p,--porcelain --line-porcelain
        --incremental --encoding=text --contents=in --date=text --progress --no-progress -M* -C* --ignore-rev=text
        --ignore-revs-file=in --color-lines --color-by-age -c --score-debug -f,--show-name -n,--show-number -s
        -e,--show-email -w --minimal --abbrev[=text] ${trackedFiles}`,
      grep: {
        usage: `--cached --untracked --no-index --no-exclude-standard --exclude-standard --recurse-submodules -a,--text
        --textconv:opaque --no-textconv -i,--ignore-case -I --max-depth=text -r,--recursive --no-recursive
        -w,--word-regexp -v,--invert-match -h -H --full-name -E,--extended-regexp -G,--basic-regexp -P,--perl-regexp
        -F,--fixed-strings -n,--line-number --column -l,--files-with-matches,--name-only -L,--files-without-match
        -O*,--open-files-in-pager[=code]!:opaque -z,--null -o,--only-matching -c,--count --color[=text] --no-color --break
        --heading -p,--show-function -C,--context=text -A,--after-context=text -B,--before-context=text
        -W,--function-context -m,--max-count=text --threads=text -f=in:first -e=text:first --and --or --not
        --all-match -q,--quiet -NUM --ext-grep --no-ext-grep .=reads <text> <tracked>...`,
        with: { '--no-index': '<text> <searched=.>...', '--untracked': '<text> <searched=.>...' },
      },
      'ls-files': `-c,--cached -d,--deleted -o,--others -i,--ignored -s,--stage --directory --empty-directory --no-empty-directory -u,--unmerged
        -k,--killed -m,--modified:sources --resolve-undo -z --deduplicate -x,--exclude=text -X,--exclude-from=in
        --exclude-per-directory=in --exclude-standard --error-unmatch --with-tree=text -t -v -f --full-name
        --recurse-submodules --abbrev[=text] --debug --eol:sources --sparse --format=text:sources <entry>...`,
      'ls-tree': `-d -r -t -l,--long -z --name-only --name-status --object-only --full-name --full-tree --abbrev[=text]
        --format=text <text>...`,
      'ls-remote': `-h,--heads,--branches -t,--tags --refs --upload-pack,--exec=code -q,--quiet --get-url --exit-code --sort=text
        --symref -o,--server-option=text! <remote> <text>...`,
      'cat-file': `-t -s -e -p --textconv:opaque --filters:opaque --path=text --batch[=text]!:opaque --batch-check[=text]
        --batch-command[=text]!:opaque --batch-all-objects --buffer --unordered --allow-unknown-type --follow-symlinks -z -Z
        --filter=text --mailmap,--use-mailmap <object>...`,
      'rev-parse': `--parseopt! --sq-quote --keep-dashdash --stop-at-non-option --stuck-long --revs-only --no-revs --flags
        --no-flags --default=text --prefix=text --verify -q,--quiet --sq --short[=text] --not --abbrev-ref[=text]
        --symbolic --symbolic-full-name --output-object-format=text --all --branches[=text] --tags[=text]
        --remotes[=text] --glob=text --exclude=text --disambiguate=text --local-env-vars --path-format=text --git-dir
        --git-common-dir --resolve-git-dir=in --git-path=text --show-toplevel --show-superproject-working-tree
        --shared-index-path --absolute-git-dir --is-inside-git-dir --is-inside-work-tree --is-bare-repository
        --is-shallow-repository --show-cdup --show-prefix --show-object-format[=text] --show-ref-format --since=text
        --after=text --until=text --before=text <text>...`,
      'rev-list': `${gitLogOptions} --count --timestamp --header --objects --objects-edge --objects-edge-aggressive --unpacked
        --disk-usage[=text] --use-bitmap-index --filter=text --no-filter --filter-print-omitted --missing=text
        --no-object-names --object-names --in-commit-order <text>...`,
      'describe, name-rev': `--dirty[=text] --broken[=text] --all --tags --contains --abbrev[=text] --candidates=text --exact-match --debug
        --long --match=text --exclude=text --always --first-parent --refs=text --name-only --no-undefined
        --annotate-stdin <text>...`,
      'merge-tree': `--write-tree --messages --no-messages --name-only -z --allow-unrelated-histories --merge-base=text --quiet --stdin
        -X,--strategy-option=text <text>...`,
      'merge-base': '-a,--all --octopus --independent --is-ancestor --fork-point <text>...',
      'for-each-ref': `--count=text --sort=text --format=text --shell -p,--perl --python --tcl --color[=text] --points-at=text
        --merged[=text] --no-merged[=text] --contains[=text] --no-contains[=text] --ignore-case --omit-empty
        --exclude=text --include-root-refs --stdin <text>...`,
      'show-ref': `--head --heads,--branches --tags -d,--dereference -s,--hash[=text] --verify --exists --abbrev[=text]
        -q,--quiet --exclude-existing[=text] <text>...`,
      'show-branch': `-r -a --current --topo-order --date-order --sparse --more[=text] --list --merge-base --independent --no-name
        --sha1-name --topics -g --color --no-color <text>...`,
      'check-ignore, check-attr, check-mailmap, check-ref-format': `-q,--quiet -v,--verbose --stdin -z -n,--non-matching --no-index -a,--all --cached --source=text --branch
        --normalize --allow-onelevel <text>...`,
      'count-objects, version, var': '-v,--verbose -H,--human-readable -l --build-options <text>...',
      // They start gpg, or the program that the configuration names instead.
      'verify-commit, verify-tag': '-v,--verbose --raw --format=text <text!>... opaque',
      fsck: `--unreachable --dangling --no-dangling --root --tags --cache --no-reflogs --full --strict -v,--verbose
        --lost-found! --progress --name-objects <text>...`,
      'hash-object': '-t=text -w! --stdin --stdin-paths!:opaque --path=text --no-filters --literally <in>...',
      help: '-a,--all -g,--guides -c,--config -m,--man! -i,--info! -w,--web! -v <text!>... opaque',
      ...gitChanges,
    }),
  },
  gitk: 'opaque <harmful>...',
  'git-lfs': gitLfs,
  'git-filter-repo, tig, lazygit, hub, hg, svn, bzr, cvs, jj, fossil': 'opaque <harmful>...',
};
