/** Options that many subcommands of git share. */

/** How diffs are shown. */
export const gitDiffOptions = `-p,-u,--patch -s,--no-patch -U*,--unified[=text] --output=out --output-indicator-new=text --output-indicator-old=text
  --output-indicator-context=text --raw --patch-with-raw --indent-heuristic --no-indent-heuristic --minimal --patience
  --histogram --anchored=text --diff-algorithm=text --stat[=text] --stat-width=text --stat-name-width=text
  --stat-count=text --stat-graph-width=text --compact-summary --numstat --shortstat -X*,--dirstat[=text] --cumulative --dirstat-by-file[=text]
  --summary --patch-with-stat -z --name-only --name-status --submodule[=text] --color[=text] --no-color
  --color-moved[=text] --no-color-moved --color-moved-ws=text --word-diff[=text] --word-diff-regex=text
  --color-words[=text] --no-renames --rename-empty --no-rename-empty --check --ws-error-highlight=text --full-index
  --binary --abbrev[=text] --no-abbrev -B*,--break-rewrites[=text] -M*,--find-renames[=text] -C*,--find-copies[=text]
  --find-copies-harder -D,--irreversible-delete -l=text --diff-filter=text -S=text -G=text --find-object=text
  --pickaxe-all --pickaxe-regex -O=in --skip-to=text --rotate-to=text -R --relative[=text] --no-relative -a,--text
  --ignore-cr-at-eol --ignore-space-at-eol -b,--ignore-space-change -w,--ignore-all-space --ignore-blank-lines
  -I,--ignore-matching-lines=text --inter-hunk-context=text -W,--function-context --exit-code --quiet
  --follow --ext-diff:opaque --no-ext-diff --textconv:opaque --no-textconv --ignore-submodules[=text] --src-prefix=text
  --dst-prefix=text --no-prefix --default-prefix --line-prefix=text --ita-invisible-in-index --ita-visible-in-index
  --cc -c --combined-all-paths`;

/** Which commits are shown, and how. */
export const gitLogOptions = `${gitDiffOptions} --no-decorate --decorate[=text] --decorate-refs=text --decorate-refs-exclude=text
  --clear-decorations --source --mailmap --no-mailmap --use-mailmap --full-diff --log-size -L=lines -n,--max-count=text
  --skip=text --since=text --after=text --since-as-filter=text --until=text --before=text --author=text
  --committer=text --grep-reflog=text --grep=text --all-match --invert-grep -i,--regexp-ignore-case --basic-regexp
  -E,--extended-regexp -F,--fixed-strings -P,--perl-regexp --remove-empty --merges --no-merges --min-parents=text
  --max-parents=text --no-min-parents --no-max-parents --first-parent --exclude-first-parent-only --not --all
  --branches[=text] --tags[=text] --remotes[=text] --glob=text --exclude=text --exclude-hidden=text --reflog
  --alternate-refs --single-worktree --ignore-missing --bisect --stdin --cherry-mark --cherry-pick --left-only
  --right-only --cherry -g,--walk-reflogs --merge --boundary --simplify-by-decoration --show-pulls --full-history
  --dense --sparse --simplify-merges --ancestry-path[=text] --date-order --author-date-order --topo-order --reverse
  --no-walk[=text] --do-walk --pretty[=text] --format=text --abbrev-commit --no-abbrev-commit --oneline
  --encoding=text --expand-tabs[=text] --no-expand-tabs --notes[=text] --no-notes --show-notes-by-default
  --show-notes[=text] --show-signature!:opaque --relative-date --date=text --parents --children --left-right --graph
  --no-graph --show-linear-break[=text] --diff-merges=text --no-diff-merges --remerge-diff --dd -m -t -r --root -NUM
  -q`;
