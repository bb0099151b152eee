/** Editors: they open files for writing and run commands in their own languages. */

import { joinNames, type ProgramRows } from '../../usage/program-row.ts';
import { scanEd } from '../../embedded-code/scan-ed.ts';
import { unknownScan } from '../../embedded-code/code-scan.ts';

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
