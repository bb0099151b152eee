/** Programs that read text and print it: filters, pagers, comparisons, checksums, text search. */

import { joinNames, type ProgramRows } from '../../usage/program-row.ts';
import { scanAwk } from '../../embedded-code/scan-awk.ts';
import { scanSed } from '../../embedded-code/scan-sed.ts';

const sums = `safe -b,--binary -c,--check -t,--text -z,--zero --tag --ignore-missing --quiet --status --strict -w,--warn
  -l,--length=text -a,--algorithm=text --untagged --raw --base64 --debug -p -q -r -s,--sysv <in>...`;
const base = `-d,-D,--decode -i,--ignore-garbage -w,--wrap=text --base64 --base64url --base32 --base32hex --base16 --base2msbf
  --base2lsbf --z85 -b=text -o,--output=out <in>`;
const less = `-a,--search-skip-screen -A,--SEARCH-SKIP-SCREEN -b,--buffers=text -B,--auto-buffers -c,--clear-screen -d,--dumb
  -e,--quit-at-eof -E,--QUIT-AT-EOF -f,--force -F,--quit-if-one-screen -g,--hilite-search -G,--HILITE-SEARCH
  -i,--ignore-case -I,--IGNORE-CASE -j,--jump-target=text -J,--status-column -k,--lesskey-file=script
  --lesskey-src=script --lesskey-content=foreign -K,--quit-on-intr -L,--no-lessopen -m,--long-prompt -M,--LONG-PROMPT
  -n,--line-numbers -N,--LINE-NUMBERS -o,--log-file=out -O,--LOG-FILE=out -p,--pattern=text! -P,--prompt=text!
  -q,--quiet,--silent -Q,--QUIET,--SILENT -r,--raw-control-chars -R,--RAW-CONTROL-CHARS -s,--squeeze-blank-lines
  -S,--chop-long-lines -t,--tag=text! -T,--tag-file=in! -u,--underline-special -U -w,--hilite-unread
  -W,--HILITE-UNREAD -x,--tabs=text -X,--no-init -y=text -z,--window=text -~,--tilde --use-color --no-histdups --mouse
  --follow-name --incsearch --header=text -V +*=foreign <in>...`;

const awk = `-F,--field-separator=text -v,--assign=text -f,--file=script:first -b,--characters-as-bytes -c,--traditional
  -C,--copyright -d*,--dump-variables[=out]!:.=writes -D*,--debug[=in]!:opaque -e,--source=foreign:first -E,--exec=script:first:last
  -g,--gen-pot -h -i,--include=script:edited -I,--trace -k,--csv -l,--load=script:edited -L*,--lint[=text] -M,--bignum
  -N,--use-lc-numeric -n,--non-decimal-data -o*,--pretty-print[=out]!:.=writes -O,--optimize -p*,--profile[=out]!:.=writes -P,--posix
  -r,--re-interval -s,--no-optimize -S,--sandbox -t,--lint-old -V -W=harmful -- <foreign> <input>...`;

const jq = `-n,--null-input -R,--raw-input -s,--slurp -c,--compact-output -r,--raw-output -j,--join-output -a,--ascii-output
    --raw-output0 -S,--sort-keys -C,--color-output -M,--monochrome-output --tab --indent=text --unbuffered --stream
    --stream-errors --seq -f,--from-file=script:first -L,--library-path=reads! -e,--exit-status --arg=text&text
    --argjson=text&text --slurpfile=text&in --rawfile=text&in --argfile=text&in --args --jsonargs -h -V <filter> <in>...`;
const yq = `-i,--inplace:edited -o,--output-format=text -p,--input-format=text -P,--prettyPrint -r,--unwrapScalar
    -e,--exit-status -n,--null-input -N,--no-doc -I,--indent=text -j,--tojson -C,--colors -M,--no-colors
    -s,--split-exp=text!:.=writes -v,--verbose -y -Y -c --from-file=script:first --split-exp-file=script:.=writes --expression=expression:first <expression> <in>...`;

/** Option values may be abbreviated. */
const recursing = Object.fromEntries(
  ['recurse', 'recurs', 'recur', 'recu', 'rec'].map((value) => [`--directories ${value}`, '--recursive']),
);

export const textPrograms: ProgramRows = {
  'cat, gcat': `safe -A,--show-all -b,--number-nonblank -e -E,--show-ends -n,--number -s,--squeeze-blank -t -T,--show-tabs -u
    -v,--show-nonprinting <in>... prints=stdin`,
  'head, ghead':
    'safe -c,--bytes=text -n,--lines=text -q,--quiet,--silent -v,--verbose -z,--zero-terminated -NUM <in>...',
  'tail, gtail': `safe -c,--bytes=text -f,--follow[=text] -F -n,--lines=text --max-unchanged-stats=text --pid=text
    -q,--quiet,--silent --retry -s,--sleep-interval=text -v,--verbose -z,--zero-terminated -r -NUM +* <in>...`,
  'wc, gwc': `safe -c,--bytes -m,--chars -l,--lines --files0-from=in!:opaque:elsewhere -L,--max-line-length -w,--words --total=text
      <in>...`,
  'sort, gsort': `-b,--ignore-leading-blanks -d,--dictionary-order -f,--ignore-case -g,--general-numeric-sort
    -i,--ignore-nonprinting -M,--month-sort -h,--human-numeric-sort -n,--numeric-sort -R,--random-sort
    --random-source=in -r,--reverse --sort=text -V,--version-sort --batch-size=text -c,--check[=text] -C
    --compress-program=program --debug --files0-from=in!:opaque:elsewhere -k,--key=text -m,--merge -o,--output=out
    -s,--stable -S,--buffer-size=text -t,--field-separator=text -T,--temporary-directory=writes --parallel=text
    -u,--unique -z,--zero-terminated <in>...`,
  'uniq, guniq': `-c,--count -d,--repeated -D --all-repeated[=text] -f,--skip-fields=text --group[=text] -i,--ignore-case
    -s,--skip-chars=text -u,--unique -w,--check-chars=text -z,--zero-terminated <in> <out>`,
  'cut, gcut': `safe -b,--bytes=text -c,--characters=text -d,--delimiter=text -f,--fields=text -n --complement -s,--only-delimited
    --output-delimiter=text -z,--zero-terminated -w <in>...`,
  'tr, gtr': 'safe -c,-C,--complement -d,--delete -s,--squeeze-repeats -t,--truncate-set1 -u <text>...',
  'tac, rev, gtac': 'safe -b,--before -r,--regex -s,--separator=text -0 <in>...',
  nl: `safe -b,--body-numbering=text -d,--section-delimiter=text -f,--footer-numbering=text -h,--header-numbering=text
    -i,--line-increment=text -l,--join-blank-lines=text -n,--number-format=text -p,--no-renumber
    -s,--number-separator=text -v,--starting-line-number=text -w,--number-width=text <in>...`,
  'fold, fmt': `safe -b,--bytes -s,--spaces -w,--width=text -c,--crown-margin -p,--prefix=text -t,--tagged-paragraph
    -u,--uniform-spacing -g,--goal=text -NUM <in>...`,
  paste: 'safe -d,--delimiters=text -s,--serial -z,--zero-terminated <in>...',
  join: `safe -a=text -e=text -i,--ignore-case -j=text -o=text -t=text -v=text -1=text -2=text --check-order
    --nocheck-order --header -z,--zero-terminated <in>...`,
  'expand, unexpand': 'safe -a,--all --first-only -i,--initial -t,--tabs=text <in>...',
  column: `safe -c,--output-width=text -t,--table -s,--separator=text -o,--output-separator=text -n,--table-name=text
    -N,--table-columns=text -J,--json -R,--table-right=text -x,--fillrows -e -L,--keep-empty-lines <in>...`,
  'comm, gcomm':
    'safe -1 -2 -3 -i --check-order --nocheck-order --output-delimiter=text --total -z,--zero-terminated <in>...',
  'cmp, gcmp': `safe -b,--print-bytes -i,--ignore-initial=text -l,--verbose -n,--bytes=text -s,--quiet,--silent -x -z -h <in> <in>
    <text>...`,
  'diff, gdiff, colordiff': `-q,--brief -s,--report-identical-files -c,--context[=text] -C=text -u,--unified[=text] -U=text -e,--ed -n,--rcs
    -y,--side-by-side -W,--width=text --left-column --suppress-common-lines -p,--show-c-function
    -F,--show-function-line=text --label=text -L=text -t,--expand-tabs -T,--initial-tab --tabsize=text
    --suppress-blank-empty -l,--paginate! -r,--recursive:tree --no-dereference -N,--new-file -P
    --unidirectional-new-file --ignore-file-name-case --no-ignore-file-name-case -x,--exclude=text
    -X,--exclude-from=in -S,--starting-file=text --from-file=reads --to-file=reads -i,--ignore-case
    -E,--ignore-tab-expansion -Z,--ignore-trailing-space -b,--ignore-space-change -w,--ignore-all-space
    -B,--ignore-blank-lines -I,--ignore-matching-lines=text -a,--text --strip-trailing-cr -D,--ifdef=text
    --line-format=text -d,--minimal --horizon-lines=text -H,--speed-large-files --color[=text] --palette=text -NUM
    <reads>...`,
  diff3:
    '-A -e -E -3 -x -X -m,--merge -a,--text -i -L,--label=text -T --strip-trailing-cr --diff-program=program <in>...',
  sdiff: `-o,--output=out:opaque -i -E -Z -b -W -B -I=text --strip-trailing-cr -a -w,--width=text -l -s,--suppress-common-lines -t
    -d -H --diff-program=program <reads>...`,
  strings: `safe -a,--all -d,--data -f,--print-file-name -n,--bytes=text -t,--radix=text -o -w -s=text -e=text -T=text -NUM <given>...`,
  'od, god': `safe -A,--address-radix=text --endian=text -j,--skip-bytes=text -N,--read-bytes=text -S=text --strings[=text]
    -t,--format=text -v,--output-duplicates -w*,--width[=text] --traditional -a -b -c -d -f -h -H -i -l -o -O -s -x -X
    -e -B -D -I -L -F <in>...`,
  xxd: {
    usage: '-a -b -c=text -C -d -E -e -g=text -h -i -l=text -n=text -o=text -p -ps -r -R=text -s=text -u -v <in> <out>',
  },
  'hexdump, hd': `safe -b -c -C,--canonical -d -e=text -f=in -L*,--color[=text] -n,--length=text -o -s,--skip=text -v,--no-squeezing
    -x <in>...`,
  'base64, base32, basenc, gbase64': base,
  [joinNames(`md5sum, sha1sum, sha224sum, sha256sum, sha384sum, sha512sum, b2sum, b3sum, shasum, cksum, sum, crc32,
    gsha256sum`)]: sums,
  md5: 'safe -c=text -n -p -q -r -s=text -t -x <in>...',
  'grep, egrep, fgrep, ggrep': {
    usage: `safe -E,--extended-regexp -F,--fixed-strings -G,--basic-regexp -P,--perl-regexp -e,--regexp=text:first
      -f,--file=in:first -i,-y,--ignore-case --no-ignore-case -w,--word-regexp -x,--line-regexp -z,--null-data
      -s,--no-messages -v,--invert-match -m,--max-count=text -b,--byte-offset -n,--line-number --line-buffered
      -H,--with-filename -h,--no-filename --label=text -o,--only-matching -q,--quiet,--silent --binary-files=text
      -a,--text -I -d,--directories=text -D,--devices=text -r,--recursive -R,--dereference-recursive:links -S:links
      --include=text:include
      --exclude=text:exclude --exclude-from=in:exclude --exclude-dir=text:prune -L,--files-without-match -l,--files-with-matches -c,--count
      -T,--initial-tab -Z,--null -B,--before-context=text -A,--after-context=text -C,--context=text --color[=text]
      --colour[=text] -U,--binary -u -NUM -V <text> <in>...`,
    implies: { ...recursing, '-S': '--dereference-recursive' },
    // Only `-R` follows links that it finds. In BSD grep, `-S` does too.
    with: { '--dereference-recursive': '<text> <reads=.>...', '--recursive': '<text> <walked=.>...' },
  },
  'sed, gsed': {
    usage: `-n,--quiet,--silent -e,--expression=foreign:first -f,--file=script:first -E,-r,--regexp-extended
      -i*,--in-place[=backup]:edited -c,--copy! -I*=backup!:edited -l,--line-length=text -b,--binary --debug --follow-symlinks
      -s,--separate -u,--unbuffered -z,--null-data --posix --sandbox -a <foreign> <in>...`,
    scan: scanSed,
  },
  'awk, gawk, mawk, nawk, original-awk, goawk': { usage: awk, scan: scanAwk },
  'less, zless, bzless, xzless': less,
  'more, most, pg, zmore': '-d -l -f -p -c -s -u -e -n,--lines=text -NUM +*=foreign <in>...',
  man: {
    usage: `-C,--config-file=script -d,--debug -D,--default -f,--whatis -k,--apropos -K,--global-apropos -l,--local-file!
    -w,--where,--path -W,--where-cat -c,--catman! -R,--recode=text -L,--locale=text -m,--systems=text
    -M,--manpath=reads! -S,-s,--sections=text -e,--extension=text -i,--ignore-case -I,--match-case --regex --wildcard
    --names-only -a,--all -u,--update! --no-subpages -P,--pager=code -r,--prompt=text! -7,--ascii -E,--encoding=text
    --no-hyphenation --no-justification -p,--preprocessor=text! -t,--troff -T*,--troff-device[=text]!
    -H*,--html[=program]:opaque -X*,--gxditview[=text]!:opaque -Z,--ditroff -V <page>... pager`,
    with: { '--local-file': '<script>...' },
  },
  'whatis, apropos': `-d -v -e,--exact -r,--regex -w,--wildcard -a,--and -l,--long -s,--sections=text -C,--config-file=script
    -M,--manpath=reads! -m,--systems=text -L,--locale=text <text>...`,
  info: '-a,--all -k,--apropos=text -n,--node=text -o,--output=out -f,--file=script -d,--directory=reads --restore=script <page>... opaque',
  tldr: '-p,--platform=text -L,--language=text -u,--update! -l,--list --render=in <text>...',
  bat: `-A,--show-all -p,--plain -l,--language=text -H,--highlight-line=text --file-name=text -d,--diff --tabs=text
    --wrap=text --terminal-width=text -n,--number --color=text --italic-text=text --decorations=text --paging=text
    --pager=code -P --theme=text --style=text -r,--line-range=text -L,--list-languages --list-themes -f <in>...`,
  'jq, gojq': jq,
  jaq: `-i,--in-place!:edited ${jq}`,
  'yq, xq, tomlq': yq,
  'dasel, fx, mlr': 'opaque -I --prepipe,--prepipex=code <harmful>... .=writes',
  xmllint: `--noout --format --xpath=text --html --recover --encode=text --output=out -o=out --shell!:stdin=foreign
    --schema=in --relaxng=in --schematron=in --dtdvalid=in --valid!:opaque --noent!:opaque --loaddtd!:opaque
    --dtdattr!:opaque --xinclude!:opaque <input>...`,
  iconv: '-f,--from-code=text -t,--to-code=text -c -l,--list -o,--output=out -s,--silent --verbose <in>...',
  'dos2unix, unix2dos, mac2unix': {
    usage: '-b -c=text -f -h -i*:in -k -l -n,--newfile! -o,--oldfile -O,--to-stdout:in -q -r -s -u -ul <edited>...',
    with: { '--newfile': '<either>...' },
  },
  'shuf, gshuf': `-e,--echo -i,--input-range=text -n,--head-count=text -o,--output=out --random-source=in -r,--repeat
    -z,--zero-terminated <in>...`,
  'tsort, bzcat, xzcat, zstdcat, lz4cat': '-f -q -v <in>...',
  'zgrep, zegrep, zfgrep': `-E -F -P -e=text:first -i -w -x -s -v -m=text -n -H -h -o -q -a -L -l -c -B=text -A=text -C=text -NUM --
    <text> <zipped>...`,
  'zcat, gzcat': '-f -q -v <zipped>...',
  numfmt: `-d,--delimiter=text --debug --field=text --format=text --from=text --from-unit=text --grouping --header[=text]
    --invalid=text --padding=text --round=text --suffix=text --to=text --to-unit=text -z <text>...`,
  pr: `-a -b -c -d -D=text -e* -F -f -h=text -i* -J -l=text -m -n* -N=text -o=text -r -s* -S* -t -T -v -w=text
    -W=text -NUM +* <in>...`,
  patch: {
    usage: `-p,--strip=text -i,--input=in -o,--output=out -r,--reject-file=out -R,--reverse -N,--forward -s,--silent,--quiet
    -t,--batch -f,--force -l,--ignore-whitespace -c,--context -e,--ed!:opaque -n,--normal -u,--unified -F,--fuzz=text
    -d,--directory=folder -D,--ifdef=text -E,--remove-empty-files -b,--backup -B,--prefix=backup -z,--suffix=backup
    -V,--version-control=text --dry-run --posix --verbose --binary -Y=backup -T -Z --merge[=text]
    --no-backup-if-mismatch --follow-symlinks! --read-only=text <edited> <in> .=anything`,
    with: { '--dry-run': 'untouched <in> <in>' },
  },
};
