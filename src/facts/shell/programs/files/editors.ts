/** Editors: they open files for writing and run commands in their own languages. */

import { type CodeUse, unknownScan } from '../../embedded-code/code-scan.ts';
import { type ProgramRows, joinNames } from '../../usage/program-row.ts';

const vim = `-c=foreign --cmd=foreign -S=script -s=script -W=out -w=out -u=script -U=script -i=writes -t=text! -q=in! -T=text -d
  -e! -E! -es! -R -m -M -b -l -n -N -C -o* -O* -p* -r! -L! -v -x -X -y -Z -A -F -H -g! -f -V* --clean --noplugin
  --remote! --remote-send=foreign --remote-expr=foreign --servername=text! --startuptime=out --headless --embed!
  --listen=text! -h +*=foreign <either>... stdin=foreign opaque`;

export const editorPrograms: ProgramRows = {
  'vim, vi, nvim, view, rvim, rview, gvim, vimdiff, nvi, elvis, vimx, ex, vim.basic, vim.tiny': {
    usage: vim,
    scan: unknownScan,
  },
  'ed, red': {
    usage: `-E,--extended-regexp -G,--traditional -l,--loose-exit-status -p,--prompt=text -q,--quiet,--silent -r,--restricted
      -s,--script -v,--verbose --strip-trailing-cr -h -V <buffer> stdin=foreign opaque`,
    scan: scanEd,
  },
  'emacs, emacsclient, emacs-nox': {
    usage: `--eval,--execute,-eval=foreign -f,--funcall=text! -l,--load=script --script=script --insert=in -q -Q --batch! -nw
    -t -c -a=code -n -u=text! -d=text! +*=text <either>... opaque`,
    scan: unknownScan,
  },
  'nano, rnano, pico': 'opaque -s,--speller=program -R -v +* <either>...',
  [joinNames(`micro, joe, jed, mg, ne, kak, helix, hx, kate, gedit, subl, mate, zed, code, code-insiders, cursor, idea,
    webstorm, xed, notepad, mcedit, mc, ranger, nnn, lf, vifm, broot, yazi`)]: 'opaque <harmful>...',
};

const address = /^(?:[\d.,;$%+\-\s]|'[a-z]|\/(?:[^/\\[]|\\.)*\/|\?(?:[^?\\[]|\\.)*\?)*/u;
/** Commands that touch only the text. */
const plain =
  /^(?:[pnldjuhHPqQ=]|[pnl]{1,3}|k[a-z]|[mt][\d.$+-]*|z\d*|x|s(?:\/(?:[^/\\[]|\\.)*\/(?:[^/\\]|\\.)*(?:\/[gpnlI\d]*)?)?)\s*$/u;

/** The files and commands that an `ed` script uses. Undefined if it cannot be parsed. */
function scanEd(script: string): readonly CodeUse[] | undefined {
  const uses: CodeUse[] = [];
  let typing = false;
  for (const line of script.split('\n')) {
    if (typing) typing = line !== '.';
    else {
      const command = line.replace(address, '');
      if (/^[aic][pnl]?\s*$/u.test(command)) typing = true;
      else if (command !== '' && !plain.test(command)) {
        const use = fileUse(command);
        if (use === undefined) return undefined;
        uses.push(...use);
      }
    }
  }
  return uses;
}

/** `r file`, `w !code`, `!code`. */
function fileUse(command: string): readonly CodeUse[] | undefined {
  const run = /^(?:[reEwW]\s*)?!(.*)$/u.exec(command);
  if (run !== null) return [{ role: 'code', text: /[%!\\]/u.test(run[1] ?? '') ? undefined : run[1] }];
  const [, letter = '', file = ''] = /^([reEfwW])q?(?:\s+(\S.*))?$/u.exec(command) ?? [];
  if (letter === '') return undefined;
  if (file === '') return [];
  // A file that becomes the current one can be read and written later.
  if (letter === 'r') return [{ role: 'reads', text: file }];
  if (letter === 'w' || letter === 'W') return [{ role: 'writes', text: file }];
  return [
    { role: 'reads', text: file },
    { role: 'writes', text: file },
  ];
}
