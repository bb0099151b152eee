/** Programs that connect to other machines. */

import { joinNames, type ProgramRows } from '../../usage/program-row.ts';

const ssh = `-4 -6 -A! -a -B=text -b=text -C -c=text -D=text! -E=out -e=text -F=script -f! -G -g! -I=script -i=in -J=text! -K! -k
  -L=text! -l=text -M! -m=text -N -n -O=text! -o=harmful -P=text -p=text -Q=text -q -R=text! -S=writes -s! -T -t -V -v
  -W=text! -w=text! -X! -x -Y! -y`;
const sshKeys = {
  'proxycommand localcommand knownhostscommand': 'code',
  [joinNames(`stricthostkeychecking connecttimeout serveraliveinterval serveralivecountmax batchmode loglevel
    port user hostname identitiesonly compression passwordauthentication pubkeyauthentication connectionattempts
    addressfamily forwardagent requesttty controlmaster controlpersist`)]: 'text!',
  identityfile: 'in!',
  'userknownhostsfile globalknownhostsfile': 'out',
};

export const networkClientPrograms: ProgramRows = {
  ssh: { usage: `${ssh} <text!> <code>... stdin=code`, keys: { '-o': sshKeys } },
  'autossh, mosh, sshpass, et, tsh': 'opaque <harmful>... stdin=code',
  scp: {
    usage: `-3 -4 -6 -A! -B -C -c=text -D=program -F=script -i=in -J=text! -l=text -O -o=harmful -P=text -p -q -R -r
      -S=program -s -T -v -X=text <copied!>... <sync>`,
    keys: { '-o': sshKeys },
  },
  sftp: {
    usage: `-4 -6 -A! -a -B=text -b=script -C -c=text -D=code -F=script -f -i=in -J=text! -l=text -N -o=harmful -P=text -p
      -q -R=text -r -S=program -s=text -v -X=text <text!> <writes> stdin=foreign opaque elsewhere`,
    keys: { '-o': sshKeys },
  },
  'ssh-keygen, ssh-add, ssh-copy-id, ssh-keyscan': 'opaque <harmful>... elsewhere',
  curl: {
    usage: `-0,--http1.0 --http1.1 --http2 --http3 -1,--tlsv1 --tlsv1.2 --tlsv1.3 -4,--ipv4 -6,--ipv6 -a,--append!
    -A,--user-agent=text -b,--cookie=cookie -B,--use-ascii -c,--cookie-jar=out -C,--continue-at=text --cacert=in
    --cert-status -E,--cert=cert --key=in --compressed --connect-timeout=text -d,--data=data --data-ascii=data
    --data-binary=data --data-raw=text! --data-urlencode=encoded --json=data -D,--dump-header=out -e,--referer=text
    --egd-file=in --engine=script -f,--fail --fail-with-body -F,--form=form --form-string=text! -g,--globoff -G,--get
    -H,--header=data -i,--include,--show-headers -I,--head -j,--junk-session-cookies -J,--remote-header-name!:.=writes
    -k,--insecure! -K,--config=script -l,--list-only -L,--location! --location-trusted! -m,--max-time=text
    --max-redirs=text --max-filesize=text -M,--manual -n,--netrc! --netrc-file=in! --netrc-optional! -N,--no-buffer
    -o,--output=numbered --output-dir=writes -O,--remote-name:.=writes --remote-name-all:.=writes --create-dirs!
    -p,--proxytunnel! --proto=text --proto-default=text!:unsure --post301 --post302 -q,--disable -Q,--quote=text!
    -r,--range=text -R,--remote-time --retry=text --retry-delay=text --retry-max-time=text --retry-connrefused
    --retry-all-errors --resolve=text! --connect-to=text! -s,--silent -S,--show-error --no-progress-meter
    -t,--telnet-option=text! -T,--upload-file=upload --trace=out --trace-ascii=out --trace-time --stderr=out
    --libcurl=out --etag-save=out --etag-compare=in --hsts=out --alt-svc=out -u,--user=text! -U,--proxy-user=text!
    --oauth2-bearer=text! --aws-sigv4=text! --unix-socket=text! --abstract-unix-socket=text! -v,--verbose -V
    -w,--write-out=report -x,--proxy=text! --preproxy=text! --noproxy=text --socks5=text! -X,--request=text!
    -y,--speed-time=text -Y,--speed-limit=text --limit-rate=text --url=url --url-query=encoded --variable=encoded
    --expand-url=url -z,--time-cond=text -Z,--parallel -#,--progress-bar --next --path-as-is --tcp-nodelay
    --no-keepalive --keepalive-time=text --ciphers=text --capath=reads --crlfile=in --cert-type=text --key-type=text
    --pass=text! --pinnedpubkey=text --interface=text --local-port=text --dns-servers=text --doh-url=text! --ftp-pasv
    --ssl --ssl-reqd --anyauth --basic --digest --ntlm --negotiate --raw --tr-encoding --ignore-content-length
    --remove-on-error! --skip-existing --no-clobber --parallel-max=text --rate=text --request-target=text --http0.9
    --http2-prior-knowledge --tls-max=text --proxy-insecure! --proxy-cacert=in --suppress-connect-headers --fail-early
    --happy-eyeballs-timeout-ms=text <url>...`,
    with: {
      '--remote-header-name': '<download>... .=anything',
      '--remote-name': '<download>...',
      '--remote-name-all': '<download>...',
    },
  },
  wget: {
    usage: `-V -b,--background!:.=writes -e,--execute=foreign -o,--output-file=out -a,--append-output=out -d,--debug
    -q,--quiet -v,--verbose -nv,--no-verbose --report-speed=text -i,--input-file=in! -F,--force-html -B,--base=text!
    --config=script --rejected-log=out -t,--tries=text --retry-connrefused --retry-on-http-error=text
    -O,--output-document=out -nc,--no-clobber --no-netrc -c,--continue --start-pos=text --progress=text
    --show-progress -N,--timestamping --no-if-modified-since -S,--server-response --spider -T,--timeout=text
    --dns-timeout=text --connect-timeout=text --read-timeout=text -w,--wait=text --waitretry=text --random-wait
    --no-proxy -Q,--quota=text --limit-rate=text --no-dns-cache --restrict-file-names=text --ignore-case
    -4,--inet4-only -6,--inet6-only --user=text! --password=text! --ask-password --use-askpass=program --no-iri
    -nd,--no-directories -x,--force-directories -nH,--no-host-directories --protocol-directories
    -P,--directory-prefix=writes --cut-dirs=text --default-page=text -E,--adjust-extension --http-user=text!
    --http-password=text! --no-cache --header=text! --compression=text --max-redirect=text --proxy-user=text!
    --referer=text --save-headers -U,--user-agent=text --no-http-keep-alive --no-cookies --load-cookies=in!
    --save-cookies=out --post-data=text! --post-file=in! --method=text! --body-data=text! --body-file=in!
    --content-disposition! --no-check-certificate! --certificate=in --private-key=in --ca-certificate=in
    --secure-protocol=text -r,--recursive! -l,--level=text --delete-after! -k,--convert-links -K,--backup-converted
    -m,--mirror! -p,--page-requisites -A,--accept=text -R,--reject=text -D,--domains=text -H,--span-hosts!
    -L,--relative -I,--include-directories=text -X,--exclude-directories=text -np,--no-parent --warc-file=out -h
    <download>... .=writes`,
    with: { '--output-document': 'untouched <text!>...', '--spider': 'untouched <text!>...' },
  },
  [joinNames(`wget2, aria2c, axel, http, https, httpie, xh, lynx, links, w3m, elinks, youtube-dl, yt-dlp, rclone, lftp, ftp,
    tftp, telnet, rsh, rlogin, smbclient, ngrok, cloudflared, tailscale, wg, mitmproxy, tcpdump, tshark, nmap, masscan`)]:
    'opaque <harmful>... elsewhere',
  'nc, ncat, netcat, nc.openbsd, nc.traditional, socat': `opaque -e,--exec=program -c,--sh-exec=code --lua-exec=script -4 -6 -z -v -u -n -N -w=text -q=text -i=text -s=text -l! -k!
      <harmful>...`,
  dig: `-4 -6 -b=text -c=text -f=in -h -i -k=in -m -p=text -q=text -r -t=text -u -v -x=text -y=text! +* <query>...`,
  'host, nslookup': `-4 -6 -a -C -c=text -d -i -l -m=text -N=text -p=text -r -R=text -s -T -t=text -U -v -V -w -W=text <text>
    <text!>`,
  getent: '-A,--no-addrconfig -i,--no-idn -s,--service=text! <text>...',
  whois: `-h,--host=text! -p,--port=text! -I -H --verbose --no-recursion -a -b -B -c -C -d -g=text! -G -i=text -K -l -L -m -M
    -q=text -r -R -s=text -t=text -T=text -v=text -V=text -x <text>...`,
  'ping, ping6': `-4 -6 -a -A -b -B -c=text -C -d -D -e=text -f -h -H -i=text -I=text -l=text -L -m=text -M=text -n -N=text -O
    -p=text -q -Q=text -r -R -s=text -S=text -t=text -T=text -U -v -V -w=text -W=text <text>...`,
  'traceroute, tracepath, mtr': '-4 -6 -n -m=text -q=text -w=text -c=text -r -b -p=text -I -T -U <text>...',
  [joinNames(`ifconfig, iptables, ip6tables, nft, route, arp, ufw, firewall-cmd, nmcli, iw, tc, ethtool, sysctl, brctl,
    hostnamectl, resolvectl`)]: 'opaque <harmful>... elsewhere',
};
