/** Programs that create, move, change and delete files, or list them. */

import type { ProgramRows } from '../../usage/program-row.ts';

const ownership = `-c,--changes -f,--silent,--quiet -v,--verbose --dereference -h,--no-dereference --from=text --no-preserve-root!
  --preserve-root --reference=entry:first -R,--recursive:tree -H -L:links -P -x <text!> <out>...`;

export const filePrograms: ProgramRows = {
  'ls, dir, vdir, gls': `safe -a,--all -A,--almost-all --author -b,--escape --block-size=text -B,--ignore-backups -c -C --color[=text]
    -d,--directory -D,--dired -f -F,--classify[=text] --file-type --format=text --full-time -g
    --group-directories-first -G,--no-group -h,--human-readable --si -H,--dereference-command-line
    --dereference-command-line-symlink-to-dir --hide=text --hyperlink[=text] --indicator-style=text -i,--inode
    -I,--ignore=text -k,--kibibytes -l -L,--dereference -m -n,--numeric-uid-gid -N,--literal -o -p
    -q,--hide-control-chars --show-control-chars -Q,--quote-name --quoting-style=text -r,--reverse -R,--recursive
    -s,--size -S --sort=text --time=text --time-style=text -t -T,--tabsize=text -u -U -v -w,--width=text -x -X
    -Z,--context --zero -1 -@ -e <entry=.>...`,
  'cp, gcp': {
    usage: `-a,--archive:copies --attributes-only -b,--backup[=text]! --copy-contents! -c! -d:copies --debug -f,--force!
      -i,--interactive -H! -l,--link!:tree -L,--dereference:links -n,--no-clobber --update[=text] -P,--no-dereference:copies
      -p --preserve[=text] --no-preserve=text --parents!:unsure -R,-r,--recursive:copies --reflink[=text] --remove-destination!
      --sparse=text --strip-trailing-slashes -s,--symbolic-link!:tree -S,--suffix=backup! -t,--target-directory=writes
      -T,--no-target-directory -u -v,--verbose --keep-directory-symlink! -x,--one-file-system -Z --context[=text]
      <in>... <into>`,
    with: {
      '--target-directory': '<in>...',
      '--no-target-directory': '<in>... <writes>',
      '--symbolic-link': '<in>... <writes>',
      '--backup': '<in>... <writes>',
      '--suffix': '<in>... <writes>',
      '--link': '<either>... <into>',
    },
    implies: { '--archive': '--recursive' },
  },
  'mv, gmv': {
    usage: `-b,--backup[=text]! --debug --exchange! -f,--force! -h -i,--interactive -n,--no-clobber --no-copy
      --strip-trailing-slashes -S,--suffix=backup! -t,--target-directory=onto -T,--no-target-directory --update[=text]
      -u -v,--verbose -Z,--context <tree>... <onto>`,
    with: {
      '--target-directory': '<tree>...',
      '--no-target-directory': '<tree>... <writes>',
      '--exchange': '<writes>...',
      '--backup': '<tree>... <writes>',
      '--suffix': '<tree>... <writes>',
    },
  },
  'rm, grm': `-f,--force! -i -I --interactive[=text] --one-file-system --no-preserve-root! --preserve-root[=text]
    -r,-R,--recursive!:tree -d,--dir! -P! -W! -x -v,--verbose <out>...`,
  'unlink, trash-put': '<tree>...',
  'rmdir, grmdir': '--ignore-fail-on-non-empty -p,--parents!:.=writes -v,--verbose <out>...',
  'mkdir, gmkdir': '-m,--mode=text -p,--parents -v,--verbose -Z --context[=text] <path>...',
  mkfifo: '-m,--mode=text -Z --context[=text] <out>...',
  mknod: '-m,--mode=text -Z --context[=text] <out> <text!>...',
  'touch, gtouch':
    '-a -c,--no-create -d,--date=text -f -h,--no-dereference -m -r,--reference=entry -t=text --time=text -A=text <out>...',
  'ln, gln': {
    usage: `-b,--backup[=text]! -d,-F,--directory! -f,--force! -i,--interactive -L,--logical -n,-h,--no-dereference
      -P,--physical -r,--relative -s,--symbolic! -S,--suffix=backup! -t,--target-directory=writes
      -T,--no-target-directory -v,--verbose <tree>... <link=.>`,
    with: {
      '--target-directory': '<writes>...',
      '--no-target-directory': '<writes>...',
      '--no-dereference': '<tree>... <link=.> .=writes',
    },
  },
  link: '<writes>...',
  'install, ginstall': {
    usage: `-b,--backup[=text]! -c -C,--compare --debug -d,--directory! -D! -g,--group=text! -m,--mode=text!
      -o,--owner=text! -p,--preserve-timestamps -s,--strip! --strip-program=program -S,--suffix=text!
      -t,--target-directory=writes -T,--no-target-directory -v,--verbose -Z --context[=text] <in>... <into>`,
    with: { '--directory': '<out>...', '--target-directory': '<in>...', '--no-target-directory': '<in>... <writes>' },
  },
  'chmod, gchmod': `-c,--changes -f,--silent,--quiet -v,--verbose --no-preserve-root! --preserve-root --reference=entry:first
    -R,--recursive:tree --dereference -H -L:links -P -h,--no-dereference -r,-w,-x,-X,-s,-t,-u,-g,-o,-a!:first <text!>
    <out>...`,
  'chown, gchown': ownership,
  chgrp: ownership,
  chattr: '-R:tree -V -f -v=text! -p=text! <text!> <out>...',
  lsattr: '-R -V -a -d -l -p -v <in=.>...',
  setfacl:
    '-m,--modify=text! -x,--remove=text! -M=in! -X=in! -b! -k! -R:tree -d! -n -L:links -P --restore=in! --set=text! <out>...',
  getfacl: '-a,--access -d,--default -c,--omit-header -e -E -s -R,--recursive -L -P -t -p -n <entry>...',
  xattr: 'opaque <harmful>...',
  'dd, gdd': {
    style: 'pairs',
    usage: `if=in of=out bs=text ibs=text obs=text cbs=text count=text conv=text iflag=text oflag=text seek=text oseek=text
      skip=text iseek=text status=text`,
  },
  'truncate, gtruncate': '-c,--no-create -o,--io-blocks -r,--reference=entry -s,--size=text <out>...',
  fallocate: '-c! -d! -i! -l=text -n -o=text -p! -x! -v -z! <out>',
  'tee, gtee': '-a,--append -i,--ignore-interrupts -p --output-error[=text] <out>...',
  sponge: '-a <out>',
  'split, gsplit': `-a,--suffix-length=text -b,--bytes=text -C,--line-bytes=text -d,--numeric-suffixes[=text] -e,--elide-empty-files
    --filter=code -x,--hex-suffixes[=text] -l,--lines=text -n,--number=text -t,--separator=text -u,--unbuffered
    --verbose --additional-suffix=text -NUM -p=text <in> <prefix=.>`,
  'csplit, gcsplit': `-b,--suffix-format=prefix -f,--prefix=prefix -k,--keep-files -m,--suppress-matched -n,--digits=text
    -s,-q,--quiet,--silent -z,--elide-empty-files <in> <text>... .=anything`,
  'shred, srm, wipe': `-f,--force -n,--iterations=text --random-source=in -s,--size=text -u --remove[=text] -v,--verbose -x,--exact
    -z,--zero <tree>...`,
  'mktemp, gmktemp':
    '-d,--directory -u,--dry-run -q,--quiet -p=writes --tmpdir[=writes] --suffix=text -t <writes> elsewhere',
  'stat, gstat': `safe -L,--dereference -f,--file-system -c,--format=text --printf=text -t,--terse --cached=text -F -l -n -q -r -s
    -x <entry>...`,
  file: `-b,--brief -C,--compile!:.=writes -c,--checking-printout -d -e,--exclude=text --exclude-quiet=text --extension -E
    -F,--separator=text -f,--files-from=in!:opaque:elsewhere -h,--no-dereference -i,--mime --mime-type --mime-encoding -I
    -k,--keep-going -l,--list -L,--dereference -m,--magic-file=harmful -N,--no-pad -n,--no-buffer -p,--preserve-date
    -P,--parameter=text -r,--raw -s,--special-files -0,--print0 -v -z,--uncompress! -Z! <in>...`,
  'du, gdu': `safe -0,--null -a,--all --apparent-size -A -B,--block-size=text -b,--bytes -c,--total -D,-H,--dereference-args
    -d,--max-depth=text --files0-from=in!:opaque:elsewhere -h,--human-readable --inodes -k -L,--dereference -l,--count-links
    -m -g -P,--no-dereference -S,--separate-dirs --si -s,--summarize -t,--threshold=text --time[=text]
    --time-style=text -X,--exclude-from=in --exclude=text -x,--one-file-system <entry=.>...`,
  'df, gdf': `safe -a,--all -B,--block-size=text -h,--human-readable -H,--si -i,--inodes -k -l,--local -m -g --no-sync
    --output[=text] -P,--portability --sync --total -t,--type=text -T,--print-type -x,--exclude-type=text -v <in>...`,
  tree: `-a -d -l -f -x -L=text -R!:.=writes -P=text -I=text --gitignore --gitfile=in --ignore-case --matchdirs --metafirst
    --prune --info --infofile=in --noreport --charset=text --filelimit=text --timefmt=text -o=out -q -N -Q -p -u -g -s
    -h --si --du -D -F --inodes --device -v -t -c -U -r --dirsfirst --filesfirst --sort=text -i -A -S -n -C -X -J
    -H=text -T=text --nolinks --hintro=in --houtro=in --fromfile:in --fromtabfile:in --fflinks --opt-toggle <entry=.>...`,
  'realpath, grealpath': `safe -e,--canonicalize-existing -m,--canonicalize-missing -L,--logical -P,--physical -q,--quiet --relative-to=text
    --relative-base=text -s,--strip,--no-symlinks -z,--zero -E <text>...`,
  'readlink, greadlink': `safe -f,--canonicalize -e,--canonicalize-existing -m,--canonicalize-missing -n,--no-newline -q,-s,--quiet,--silent
    -v,--verbose -z,--zero <text>...`,
  'basename, gbasename': 'safe -a,--multiple -s,--suffix=text -z,--zero <text>...',
  'dirname, gdirname': 'safe -z,--zero <text>...',
  pathchk: '-p -P --portability <text>...',
  namei: '-x,--mountpoints -m,--modes -o,--owners -l,--long -n,--nosymlinks -v,--vertical -Z <text>...',
  sync: '-d,--data -f,--file-system <in>...',
  'eza, exa': `-1,--oneline -G,--grid -l,--long -R,--recurse -T,--tree -x,--across -F,--classify[=text] --color[=text]
    --colour[=text] --icons[=text] -a,--all -A,--almost-all -d,--list-dirs -L,--level=text -r,--reverse -s,--sort=text
    --group-directories-first -D,--only-dirs -I,--ignore-glob=text --git-ignore -b,--binary -B,--bytes -g,--group
    -h,--header -H,--links -i,--inode -m,--modified -S,--blocksize -t,--time=text -u,--accessed -U,--created
    -n,--numeric --no-permissions --no-filesize --no-user --no-time --time-style=text -@,--extended <entry=.>...`,
  lsd: `-a,--all -A,--almost-all -l,--long -1,--oneline -R,--recursive -h,--human-readable --tree --depth=text
    -d,--directory-only -r,--reverse -S,--sizesort -t,--timesort <entry=.>...`,
};
