/** System information, services, users, devices and keys. */

import { joinNames, type ProgramRows } from '../../usage/program-row.ts';

const changes = 'opaque <harmful>... elsewhere';

export const systemPrograms: ProgramRows = {
  systemctl: {
    usage: `-H,--host=text! -M,--machine=text! --user --system --no-pager -l,--full -a,--all -t,--type=text --state=text
      -n,--lines=text -o,--output=text -q,--quiet --no-legend --plain -p,--property=text --value --failed`,
    inherits: true,
    commands: {
      [joinNames(`status, show, cat, list-units, list-unit-files, list-timers, list-sockets, list-dependencies, list-jobs,
        is-active, is-enabled, is-failed, get-default`)]: '<text>... pager',
      '*': 'opaque <text!>... elsewhere',
    },
  },
  journalctl: `-a,--all -f,--follow -e,--pager-end -n,--lines[=text] --no-tail -r,--reverse -o,--output=text --utc -x,--catalog
    -q,--quiet -m,--merge -b,--boot[=text] --list-boots -k,--dmesg -t,--identifier=text -u,--unit=text
    --user-unit=text -p,--priority=text -g,--grep=text -S,--since=text -U,--until=text -F,--field=text -N,--fields
    --system --user --no-pager --no-hostname --no-full --disk-usage -D,--directory=reads --file=upload --vacuum-size=text!:elsewhere
    --vacuum-time=text!:elsewhere --rotate!:elsewhere --flush!:elsewhere --sync! --cursor-file=either <text>... pager`,
  'date, gdate': `-d,--date=text --debug -f,--file=in -I*,--iso-8601[=text] --resolution -R,--rfc-email --rfc-3339=text
    -r,--reference=in -s,--set=text! -u,--utc,--universal -j -v=text -n +* <text!>...`,
  'sleep, usleep': 'safe <text>...',
  'seq, gseq': 'safe -f,--format=text -s,--separator=text -w,--equal-width -NUM <text>...',
  'expr, factor, yes': 'safe <text>...',
  /** Its language can compute and print, but not open files or start programs. */
  bc: `-e,--expression=text -f,--file=in -h -i,--interactive -l,--mathlib -q,--quiet -s,--standard -w,--warn
    <in>...`,
  cal: '-1 -3 -s -m -j -y -Y -w -A=text -B=text <text>...',
  printenv: 'safe -0,--null <text>...',
  'whoami, logname, tty, nproc, groups, hostid': 'safe -s,--silent,--quiet --all --ignore=text <text>...',
  users: 'safe <in>...',
  'id, gid': 'safe -a -Z,--context -g,--group -G,--groups -n,--name -r,--real -u,--user -z,--zero -p -P -F <text>...',
  'uname, guname': `safe -a,--all -s,--kernel-name -n,--nodename -r,--kernel-release -v,--kernel-version -m,--machine -p,--processor
    -i,--hardware-platform -o,--operating-system`,
  hostname: `-a,--alias -A,--all-fqdns -b,--boot! -d,--domain -f,--fqdn,--long -F,--file=in! -i,--ip-address
    -I,--all-ip-addresses -s,--short -y,--yp,--nis <text!>`,
  'free, vmstat, w, lastlog, pinky':
    '-a -b -c -d -g -h -i -k -l -m -p -q -r -s -t -T -u -w -W -H -V --human,--si --giga --mega <text>...',
  uptime: 'safe -p,--pretty -r,--raw -s,--since -h -V <in>',
  who: `safe -a,--all -b,--boot -d,--dead -H,--heading -l,--login --lookup -m -p,--process -q,--count -r,--runlevel
    -s,--short -t,--time -T,-w,--mesg,--message,--writable -u,--users <in> <text>...`,
  'last, lastb': `safe -NUM -a,--hostlast -d,--dns -f,--file=in -F,--fulltimes -i,--ip -n,--limit=text -p,--present=text -R,--nohostname
    -s,--since=text -t,--until=text -T,--tab-separated -w,--fullnames -x,--system --time-format=text -h -V <text>...`,
  ps: `-A -a -d -e -f -F -g=text -G=text -H -j -l -L -M -N -o,--format=text -O=text -p,--pid=text -q=text -s=text -t=text
    -T -u=text -U=text -V -w -y -Z --forest --headers --no-headers --sort=text --ppid=text --cols=text --columns=text
    --rows=text -c -h -m -r -v -x -X -E!:opaque -S -C=text <letters>...`,
  'pgrep, pidof, pstree, lsmod, lsblk, lscpu, lspci, lsusb, lsmem, locale, getconf, sw_vers, uuidgen, tput':
    '-a -c -d=text -f -g=text -i -l -n -o -P=text -s -t=text -u=text -U=text -v -w -x -b -e -p -S -h <text>...',
  top: `-b -c -H -i -S -s -1 -n=text -d=text -p=text -u=text -U=text -o=text -e=text -E=text -w* -l=text -F -R -O -h -V <text!>...`,
  'htop, btop, iotop': 'opaque <text!>...',
  ss: `-h -V -H,--no-header -O,--oneline -n,--numeric -r,--resolve -a,--all -l,--listening -B,--bound-inactive -o,--options
    -e,--extended -m,--memory -p,--processes -T,--threads -i,--info -s,--summary -E,--events -Z,--context -z,--contexts
    -N,--net=text! -b,--bpf -4,--ipv4 -6,--ipv6 -0,--packet -t,--tcp -M,--mptcp -S,--sctp -u,--udp -d,--dccp -w,--raw
    -x,--unix --tipc --vsock --xdp --tos --cgroup -f,--family=text -A,--query=text -D,--diag=out -F,--filter=in!:opaque
    -K,--kill!:opaque <text>...`,
  netstat: `-r,--route -g,--groups -i,--interfaces -M,--masquerade -s,--statistics -a,--all -l,--listening -n,--numeric
    --numeric-hosts --numeric-ports --numeric-users -N,--symbolic -e,--extend -p,--programs -o,--timers -v,--verbose
    -c,--continuous -W,--wide -F,--fib -C,--cache -Z,--context -t,--tcp -u,--udp -U,--udplite -S,--sctp -w,--raw -x,--unix
    -4 -6 -A=text -f=text -h -V <text>...`,
  lsof: `-? -a -b -c=text -C -d=text -D*=harmful -e=text +e=text -E +E -f* +f* -F* -g* -h -i* -j -k=harmful -K* -l -L* +L* -m* -M
    +M -n -N -o* -O -p=text -P -Q -r* +r* -R -s* -S* -t -T* -u=text -U -v -V -w +w -x* +x* -X -z* -Z* +d=text +D=text +c=text
    +m* <text>...`,
  ip: {
    style: 'dash',
    usage: `-4 -6 -0 -M -B -br -brief -c* -color* -d -details -j -json -p -pretty -o -oneline -s -stats -statistics -h -human
      -human-readable -iec -r -resolve -t -timestamp -ts -tshort -f=text -family=text -l=text -loops=text -n=text! -netns=text!
      -b=script -batch=script -force! -a! -all! -N -Numeric -V -Version opaque`,
    commands: {
      [joinNames(`a=address, addr=address, address, l=link, link, r=route, route, n=neighbour, neigh=neighbour, neighbour, ru=rule,
        rule, maddress, tunnel`)]: {
        commands: {
          'show, s=show, sh=show, list, ls=list, lst=list, get': '<text>...',
          '*': 'opaque <text!>... elsewhere',
        },
      },
      '*': 'opaque <harmful>... elsewhere',
    },
  },
  'pkill, killall, fuser, renice, skill, snice, xkill':
    '-e -f -g=text! -i -n -o -P=text! -s,--signal=text! -t=text! -u=text! -x -I -q -r -v -w -k! -NUM <text!>...',
  [joinNames(`service, launchctl, initctl, rc-service, rc-update, chkconfig, update-rc.d, loginctl, timedatectl, localectl,
    busctl, sv, s6-svc, supervisorctl, monit`)]: changes,
  'shutdown, reboot, halt, poweroff, init, telinit, pm-suspend, rtcwake': changes,
  crontab: {
    usage: '-u=text! -l:stdin=data -r! -i -e!:opaque -s -V <script> elsewhere stdin=code',
    with: { '-l': 'untouched <script>' },
  },
  at: { usage: '-V -q=text -f=script -t=text -m -M -l -r! -d! -b -v -c stdin=code <text>... opaque' },
  batch: 'stdin=code <text>... opaque',
  'atq, atrm, anacron, cron, crond': changes,
  [joinNames(`mount, umount, losetup, mkfs, mkfs.ext4, mkswap, swapon, swapoff, fdisk, parted, sfdisk, gdisk, wipefs,
    blkdiscard, hdparm, lvm, cryptsetup, mdadm, zfs, zpool, btrfs, fsck, tune2fs, resize2fs, diskutil, hdiutil, eject,
    fusermount, sshfs, debugfs`)]: changes,
  [joinNames(`useradd, userdel, usermod, groupadd, groupdel, groupmod, passwd, chpasswd, chsh, chfn, visudo, vipw, adduser,
    deluser, gpasswd, dscl, newusers, login`)]: changes,
  dmesg: `-C,--clear!:opaque -c,--read-clear!:opaque -D,--console-off!:opaque -d,--show-delta -E,--console-on!:opaque -e,--reltime -F,--file=in -f,--facility=text
    -H,--human!:opaque -J,--json -k,--kernel -L*,--color[=text] -l,--level=text -n,--console-level=text!:opaque -P,--nopager
    -p,--force-prefix -r,--raw -S,--syslog -s,--buffer-size=text -T,--ctime -t,--notime --time-format=text -u,--userspace
    -w,--follow -W,--follow-new -x,--decode --since=text --until=text -h -V <text!>...`,
  [joinNames(`insmod, modprobe, rmmod, depmod, setcap, getcap, setenforce, semanage, restorecon, auditctl, ldconfig,
    update-alternatives, alternatives, update-ca-certificates, bpftrace, bpftool, kexec, efibootmgr, grub-install,
    update-grub, dracut, mkinitcpio, update-initramfs`)]: changes,
  'pbcopy, pbpaste': { style: 'dash', usage: '-pboard=text -Prefer=text -help' },
  xclip: {
    style: 'dash',
    usage: `-i -in -o -out -sel=text -selection=text -d=text -display=text -l=text -loops=text -t=text -target=text -r -rmlastnl -f
      -filter -noutf8 -silent -quiet -verbose -sensitive -h -version <in>...`,
  },
  [joinNames(`defaults, plutil, xsel, wl-copy, wl-paste, open, xdg-open, gio, notify-send, say,
    screencapture, import, scrot, xdotool, osacompile, dbus-send, gdbus, gsettings, dconf, logger, wall, write, mesg,
    mail, mailx, sendmail, mutt, msmtp`)]: 'opaque <harmful>... elsewhere',
  openssl: {
    style: 'dash',
    usage: 'opaque',
    commands: {
      version: '-a -b -c -d -e -f -m -o -p -r -v',
      rand: '-hex -base64 -out=out -writerand=out -rand=in -engine=script -provider=script -provider-path=script <text>',
      x509: `-in=in -inform=text -noout -text -subject -issuer -dates -startdate -enddate -fingerprint -sha1 -sha256 -serial -email
        -purpose -modulus -pubkey -hash -subject_hash -issuer_hash -ext=text -checkend=text -checkhost=text -checkip=text
        -nameopt=text -certopt=text -out=out`,
      '*': { style: 'gnu', usage: 'opaque <harmful>... elsewhere' },
    },
  },
  [joinNames(`gpg, gpg2, gpgv, gpgconf, age, minisign, signify, cosign, keytool, certbot, mkcert, pass, secret-tool,
    security, keyctl`)]: 'opaque <harmful>... elsewhere',
  'tmutil, csrutil, spctl, codesign, dtrace, instruments, pfctl': changes,
  'clear, reset, tset': '-x -V -T=text <text>...',
  stty: '-a,--all -g,--save -F,--file=in! <text!>...',
  [joinNames(`identify, exiftool, ffprobe, mediainfo, pdfinfo, pdftotext, pandoc, convert, magick, mogrify, ffmpeg, sox, gs,
    inkscape, soffice, libreoffice, latex, pdflatex, xelatex, lualatex, tex, bibtex, latexmk, dot, plantuml, mmdc,
    qpdf, wkhtmltopdf`)]: 'opaque <harmful>... .=writes elsewhere',
};
