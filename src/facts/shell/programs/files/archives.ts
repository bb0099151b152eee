/** Programs that pack, unpack and copy file trees. */

import type { ProgramRow, ProgramRows } from '../../usage/program-row.ts';

const gzip = `-a,--ascii -c,--stdout,--to-stdout:zipped -d,--decompress,--uncompress -f,--force! -h -k,--keep -l,--list:zipped -L
  -n,--no-name -N,--name!:unsure -q,--quiet -r,--recursive:tree -S,--suffix=text!:unsure -t,--test:zipped -v,--verbose -V -NUM --fast
  --best --rsyncable --synchronous`;
const xz = `-z,--compress -d,--decompress,--uncompress -t,--test:in -l,--list:in -k,--keep -f,--force!
  -c,--stdout,--to-stdout:in --single-stream --no-sparse -S,--suffix=text!:unsure --files[=in]!:unsure --files0[=in]!:unsure
  -F,--format=text -C,--check=text --ignore-check -NUM -e,--extreme -T,--threads=text -M,--memlimit,--memory=text
  -q,--quiet -v,--verbose -Q,--no-warn -h -H -V`;
const zstd = `-d,--decompress,--uncompress -z,--compress -o,--output=out -f,--force! -c,--stdout:in -k,--keep --rm!
  -t,--test:in -l,--list:in -q,--quiet -v,--verbose -r:tree --filelist=in!:unsure --output-dir-flat=writes
  --output-dir-mirror=writes -D=in -T*! --long[=text] --fast[=text] --ultra --adapt -NUM -h -H -V`;

/** Packs its operands, or unpacks them if an option says so. */
function packer(usage: string): ProgramRow {
  return { usage: `${usage} <packs>...`, with: { '--decompress': '<packed>...' } };
}

export const archivePrograms: ProgramRows = {
  'tar, gtar, bsdtar': {
    style: 'bundle',
    usage: `-A,--catenate,--concatenate! -c,--create! -d,--diff,--compare --delete! -r,--append! -t,--list --test-label
      -u,--update! -x,--extract,--get!:.=anything -C,--directory=folder -f,--file=either
      -I,--use-compress-program=program --to-command=code --checkpoint-action=code --checkpoint[=text]
      -F,--info-script,--new-volume-script=code --rmt-command=program --rsh-command=program -T,--files-from=script
      -X,--exclude-from=in --exclude=text --exclude-vcs --exclude-vcs-ignores --exclude-backups --exclude-caches
      --exclude-tag=text --include=text -a,--auto-compress -z,--gzip,--gunzip,--ungzip -j,--bzip2 -J,--xz --zstd
      --lzma --lzip --lzop -Z,--compress,--uncompress -v,--verbose -k,--keep-old-files --keep-newer-files
      --skip-old-files --overwrite! --overwrite-dir! --recursive-unlink! -U,--unlink-first! --remove-files!:either
      -W,--verify -m,--touch -p,--preserve-permissions,--same-permissions --same-owner --no-same-owner
      --no-same-permissions -s,--preserve-order,--same-order --owner=text --group=text --mode=text --mtime=text
      --numeric-owner --sort=text --strip-components=text --transform,--xform=text!:unsure -h,--dereference
      --hard-dereference -P,--absolute-names!:unsure -S,--sparse -l,--check-links,--one-file-system -n,--seek
      -N,--newer,--after-date=text --newer-mtime=text -O,--to-stdout -K,--starting-file=text -L,--tape-length=text
      -M,--multi-volume! -V,--label=text -b,--blocking-factor=text -B,--read-full-records -g,--listed-incremental=out
      -G,--incremental -H,--format=text --posix --old-archive -o -w,--interactive -R,--block-number --index-file=out
      --totals[=text] --utc --full-time --quoting-style=text --no-recursion --recursion --wildcards --no-wildcards
      --anchored --no-anchored --ignore-case --show-defaults --show-transformed-names --null --no-null --warning=text
      --ignore-failed-read --ignore-zeros -i --occurrence[=text] --one-top-level[=writes] --force-local --xattrs --acls
      --selinux <either>...`,
    with: {
      '--to-stdout': 'untouched -f,--file=archive <text>...',
      '--create': '-f,--file=archived <reads>...',
      '--append': '-f,--file=archived <reads>...',
      '--update': '-f,--file=archived <reads>...',
      '--extract': '-f,--file=archive <text>...',
      '--list': '-f,--file=archive <text>...',
      '--diff': '-f,--file=archive <reads>...',
    },
    keys: { '--checkpoint-action': { exec: 'code', 'dot echo ttyout sleep bell totals wait': 'text' } },
  },
  'gzip, pigz, bzip2, pbzip2, lbzip2, compress, lzop': packer(gzip),
  'gunzip, bunzip2, uncompress, unpigz, lunzip, plunzip': `${gzip} <packed>...`,
  'xz, lzma': packer(xz),
  'unxz, unlzma': `${xz} <packed>...`,
  'zstd, brotli, pzstd, zstdmt': packer(zstd),
  'unzstd, unbrotli': `${zstd} <packed>...`,
  'lz4, unlz4, lz4c, lzip, plzip':
    '-d,--decompress -f,--force! -k,--keep -q,--quiet -v,--verbose -c,--stdout,--to-stdout:in -t,--test:in -NUM -h -V <packed>... .=writes',
  zip: `-r,--recurse-paths -R!:opaque -j,--junk-paths -q,--quiet -v,--verbose -u,--update -f,--freshen -d,--delete! -m,--move!:either
    -y,--symlinks -x=data -i=data -e,--encrypt! -P,--password=text! -@!:opaque -o,--latest-time -D,--no-dir-entries
    -X,--no-extra -l -s=text -T,--test!:unsure -TT,--unzip-command=code -b,--temp-path=writes -O,--output-file=out
    -sf,--show-files -lf,--logfile-path=out -la,--log-append -li,--log-info -NUM -h <zip> <reads>...`,
  unzip: {
    usage: `-l -t -p -c -z -Z! -v -f! -n -o! -u -q -a -j -C -L -M -V -X -K! -x=text -d=writes -P=text <in> <text>...
      .=anything`,
    with: {
      '-l': 'untouched <in> <text>...',
      '-t': 'untouched <in> <text>...',
      '-p': 'untouched <in> <text>...',
      '-v': 'untouched <in> <text>...',
      '-c': 'untouched <in> <text>...',
      '-Z': 'untouched <in> <text>...',
      '-z': 'untouched <in> <text>...',
      '-d': 'untouched opaque <in> <text>...',
    },
  },
  zipinfo: '-1 -2 -s -m -l -v -h -t -T -z -C -x=text <in> <text>...',
  '7z, 7za, 7zr, 7zz, rar, unrar': {
    usage: 'opaque',
    commands: {
      'x, e': 'opaque -o*=writes <either>... .=anything',
      'l, t, i, h, b, lb, lt, v, vb, vt': 'opaque <either>...',
      'a, u': 'opaque <out> <reads!>... .=writes',
      '*': 'opaque <either>... .=writes',
    },
  },
  'unar, xar, jar, pax': 'opaque <either>... .=anything',
  lsar: 'opaque <in>...',
  cpio: `-i,--extract!:unsure:.=anything -o,--create!:opaque -p,--pass-through!:opaque -t,--list -d,--make-directories -F,--file=either! -I=archive
    -O=archived -E,--pattern-file=in -H,--format=text -m,--preserve-modification-time -u,--unconditional! -v,--verbose
    -V,--dot -0,--null -a -A -b -B -c -C=text -f -k -l -L -n -r -R,--owner=text! -s -S -D,--directory=folder
    --no-absolute-filenames --absolute-filenames! --rsh-command=program --to-stdout --quiet <writes>... elsewhere`,
  ar: 'opaque <either>... .=anything',
  'ranlib, strip, objcopy': 'opaque <either>...',
  rsync: {
    usage: `-v,--verbose --info=text --debug=text --stderr=text -q,--quiet --no-motd -c,--checksum -a,--archive
      -r,--recursive -R,--relative --no-implied-dirs -b,--backup! --backup-dir=writes --suffix=backup -u,--update
      --inplace --append --append-verify -d,--dirs --old-dirs --mkpath -l,--links -L,--copy-links:links --copy-unsafe-links:links
      --safe-links --munge-links -k,--copy-dirlinks:links -K,--keep-dirlinks! -H,--hard-links -p,--perms -E,--executability
      --chmod=text -A,--acls -X,--xattrs -o,--owner -g,--group --devices --specials -D -t,--times -U,--atimes
      -N,--crtimes -O,--omit-dir-times -J,--omit-link-times --super! --fake-super -S,--sparse --preallocate
      --write-devices! -n,--dry-run -W,--whole-file --checksum-choice=text -x,--one-file-system -B,--block-size=text
      -e,--rsh=code --rsync-path=code --existing --ignore-existing --remove-source-files! --del --delete!
      --delete-before! --delete-during! --delete-delay! --delete-after! --delete-excluded! --ignore-missing-args
      --delete-missing-args! --ignore-errors! --force! --max-delete=text --max-size=text --min-size=text
      --max-alloc=text --partial --partial-dir=writes --delay-updates -m,--prune-empty-dirs --numeric-ids
      --usermap=text! --groupmap=text! --chown=text! --timeout=text --contimeout=text -I,--ignore-times --size-only
      -@,--modify-window=text -T,--temp-dir=writes -y,--fuzzy --compare-dest=reads --copy-dest=reads --link-dest=reads
      -z,--compress --compress-choice=text --compress-level=text --skip-compress=text -C,--cvs-exclude
      -f,--filter=rules -F --exclude=text --exclude-from=in --include=text --include-from=in --files-from=in!:opaque:elsewhere
      -0,--from0 --old-args! -s,--secluded-args,--protect-args --trust-sender! --copy-as=text! --address=text
      --port=text --sockopts=text --blocking-io --outbuf=text --stats -8 -h,--human-readable --progress -P
      -i,--itemize-changes -M,--remote-option=text! --out-format=text --log-file=out --log-file-format=text
      --password-file=in --early-input=in --list-only --bwlimit=text --stop-after=text --stop-at=text --fsync
      --write-batch=out --only-write-batch=out --read-batch=in --protocol=text --iconv=text --checksum-seed=text
      -4,--ipv4 -6,--ipv6 --daemon!:opaque --config=script -V <synced>... <sync>`,
    with: {
      '--remove-source-files': '<either>... <writes>',
      // With these options it deletes existing files or creates other names.
      '--delete': '<synced>... <writes>',
      '--relative': '<synced>... <writes>',
      '--files-from': '<synced>... <writes>',
      '--backup': '<synced>... <writes>',
      '--iconv': '<synced>... <writes>',
    },
    implies: {
      '--archive': '--recursive --links --perms --times --group --owner',
      '--del': '--delete',
      '--delete-before': '--delete',
      '--delete-during': '--delete',
      '--delete-delay': '--delete',
      '--delete-after': '--delete',
      '--delete-excluded': '--delete',
    },
  },
};
