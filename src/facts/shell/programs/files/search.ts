/** Programs that search for files and may run something for each. */

import type { ProgramRows } from '../../usage/program-row.ts';

export const searchPrograms: ProgramRows = {
  'find, gfind': {
    style: 'dash',
    usage: `-H -L:links -P -E -X -x -s -d -f=entry -D=text -O* -maxdepth=text -mindepth=text -depth -daystart -follow:links
      -ignore_readdir_race -noignore_readdir_race -mount -xdev -noleaf -nowarn -warn -regextype=text
      -files0-from=in!:opaque:elsewhere -amin=text -anewer=entry -atime=text -cmin=text -cnewer=entry -ctime=text -empty
      -executable -false -fstype=text -gid=text -group=text -ilname=text -iname=text -inum=text -ipath=text
      -iregex=text -iwholename=text -links=text -lname=text -mmin=text -mtime=text -name=text:include -newer=entry -newerXY=entry
      -neweraa=entry -neweram=entry -newercm=entry -newermm=entry -newermt=text -newerat=text -newerct=text -nogroup -nouser
      -path=text -perm=text -readable -regex=text -samefile=entry -size=text -true -type=text -uid=text -used=text
      -user=text -wholename=text -writable -xtype=text -context=text -Bmin=text -Btime=text -flags=text -a -and -o,-or:unfiltered
      -not:unfiltered -prune -quit -print -print0 -printf=text -ls -delete:out:tree:decides -exec=program;! -execdir=program;!
      -ok=program;! -okdir=program;! -fprint=out -fprint0=out -fls=out -fprintf=out&text <entry=.>...`,
  },
  'fd, fdfind': `-H,--hidden -I,--no-ignore -u,--unrestricted --no-ignore-vcs --no-ignore-parent -s,--case-sensitive
    -i,--ignore-case -g,--glob --regex -F,--fixed-strings --and=text -a,--absolute-path --relative-path
    -l,--list-details! -L,--follow -p,--full-path -0,--print0 -d,--max-depth=text --min-depth=text --exact-depth=text
    --prune -E,--exclude=text --ignore-file=in -t,--type=text -e,--extension=text -S,--size=text --changed-within=text
    --changed-before=text --newer=text --older=text -o,--owner=text --format=text -x,--exec=program;!
    -X,--exec-batch=program;! --batch-size=text -c,--color=text -j,--threads=text --max-results=text -1 -q,--quiet
    --show-errors --base-directory=folder --path-separator=text --search-path=entry --strip-cwd-prefix[=text]
    --one-file-system -h -V <text> <entry=.>...`,
  rg: `-e,--regexp=text:first -f,--file=in:first --pre=program --pre-glob=text --hostname-bin=program -z,--search-zip!
    -s,--case-sensitive -i,--ignore-case -S,--smart-case -F,--fixed-strings -P,--pcre2 --engine=text -v,--invert-match
    -w,--word-regexp -x,--line-regexp -U,--multiline --multiline-dotall -m,--max-count=text -j,--threads=text --mmap
    --no-mmap -a,--text --binary --dfa-size-limit=text -E,--encoding=text --no-unicode --crlf --null-data
    --stop-on-nonmatch --max-columns-preview -L,--follow:links -g,--glob=text:globs --iglob=text:tree --glob-case-insensitive:tree
    -.,--hidden:tree --ignore-file=in:tree --ignore-file-case-insensitive:tree -d,--max-depth,--maxdepth=text --max-filesize=text
    --no-ignore:tree --no-ignore-dot:tree --no-ignore-exclude:tree --no-ignore-files:tree --no-ignore-global:tree
    --no-ignore-parent:tree --no-ignore-vcs:tree --no-require-git --one-file-system -t,--type=text:types -T,--type-not=text --type-add=text:tree
    --type-clear=text:tree -u,--unrestricted:tree -A,--after-context=text -B,--before-context=text -C,--context=text
    --block-buffered -b,--byte-offset --color=text --colors=text --column --context-separator=text
    --field-context-separator=text --field-match-separator=text --heading --no-heading --hyperlink-format=text
    --include-zero --line-buffered -n,--line-number -N,--no-line-number -M,--max-columns=text -0,--null
    -o,--only-matching --path-separator=text --passthru -p,--pretty -q,--quiet -r,--replace=text --sort=text
    --sortr=text --trim --vimgrep -H,--with-filename -I,--no-filename -c,--count --count-matches
    -l,--files-with-matches --files-without-match --json --files:first --type-list --stats --no-messages --no-config
    --debug --trace -h -V <text> <visible=.>...`,
  'sift, pt, ugrep, ug': 'opaque <harmful>...',
  ag: `-i,--ignore-case -s,--case-sensitive -S,--smart-case -w,--word-regexp -l,--files-with-matches -L,--files-without-matches -c,--count
    -v,--invert-match -A,--after=text -B,--before=text -C,--context=text -G,--file-search-regex=text -g=text -Q,--literal -F -H
    -o,--only-matching --hidden:tree --ignore=text --ignore-dir=text -p,--path-to-ignore=in:tree --nocolor --color
    --nogroup --group --column --pager=code -f,--follow:tree -a,--all-types:tree -u,--unrestricted:tree
    -U,--skip-vcs-ignores:tree -t,--all-text:tree -r,--recurse -R -n,--norecurse --depth=text --stats -z,--search-zip:tree
    <text> <visible=.>... opaque`,
  ack: `-i,--ignore-case -s,--case-sensitive -S,--smart-case -w,--word-regexp -l,--files-with-matches
    -L,--files-without-matches -c,--count -v,--invert-match -n -A,--after=text -B,--before=text -C,--context=text
    -G=text -g=text -Q,--literal -F -H -o --hidden --ignore=text --ignore-dir=text --nocolor --color --nogroup --group
    --column --pager=code -f -a -u -r -R <text> <reads=.>... opaque`,
  'locate, plocate, mlocate, mdfind': `-A,--all -b,--basename -c,--count -d,--database=in -e,--existing -i,--ignore-case -l,--limit=text -N -0,--null
    -r,--regexp=text --regex -w,--wholename <text>...`,
  updatedb: 'opaque <harmful>...',
  'which, gwhich':
    'safe -a,--all -s --skip-alias --skip-dot --skip-functions --tty-only --show-dot --show-tilde <text>...',
  whereis: 'safe -b -m -s -u -B=text -M=text -S=text -f -g -l <text>...',
  fzf: 'opaque <harmful>...',
};
