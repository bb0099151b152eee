/** Commands of followed lines that get their files from what other commands list. */

import { reader } from './grow-commands.ts';
import { finder, name, printer, type Growth } from './grow-names.ts';
import { listed, oneOf } from './listed.ts';

const xargs = listed(
  String.raw`xargs ¦ xargs -0 ¦ xargs -I{} ¦ xargs -n1 ¦ xargs -d '\n' ¦ xargs -r ¦ xargs -L1 ¦ xargs -0 -n 2`,
  String.raw`xargs -P2 -n1 ¦ xargs -t ¦ xargs -i ¦ xargs -I% -n1 ¦ xargs -s 900 ¦ xargs -a list.txt ¦ xargs -E b.ts`,
);

/** Passes a list of files to a command. */
export function handOn(growth: Growth): string {
  const { choices } = growth;
  const user = choices.once(4)
    ? choices.pick('touch', 'rm -f', 'sed -i s/tk/tk/', 'tee', 'cp -t empty', 'mv -t empty', 'chmod 600')
    : reader(growth);
  switch (choices.below(10)) {
    case 0:
    case 1:
      return finder(
        growth,
        choices.pick(
          `-exec ${user} {} +`,
          `-exec ${user} {} \\;`,
          `-execdir ${user} {} +`,
          `-exec sh -c 'cat "$1"' _ {} \\;`,
          `-exec cp {} new \\;`,
          `-exec sh -c 'cat {}' \\;`,
          `-exec ${user} ./{} \\;`,
          '-delete',
          '-fprint new',
          '-exec cat .env {} +',
          '-exec mv {} {}.x \\;',
          '-execdir cat .env \\;',
          `-exec ${user} {}/a.ts \\;`,
          '-ok cat {} \\;',
          '-fls new',
          '-files0-from nul.txt',
        ),
      );
    case 2:
      return `${finder(growth, '-print0')} | xargs -0 ${user}`;
    case 3:
      return `${reader(growth)} $(${finder(growth)})`;
    case 4:
      return `${finder(growth)} | while read ${choices.pick('-r f', 'f', "-r -d '' f", '-r f g')}; do ${user} ${choices.pick('"$f"', '$f')}; done`;
    case 5:
      return `${printer(growth)} | ${choices.pick('head -n 2', 'sort', 'grep ts', 'grep -v odd', 'sed s/src/sub/', 'cat', 'tail -n 2', 'grep -l tk -r', "tr '\\n' '\\0'", 'sort -u', 'uniq', 'cat - list.txt', 'tee new', 'cut -c1-4', 'sed "s,^,sub/,"', 'xargs -n1 dirname')} | xargs ${user}`;
    case 6:
      return `${finder(growth)} | ${choices.pick("xargs -I{} cat 'src/{}'", 'xargs -I{} cp {} {}.bak', "xargs -I{} sh -c 'cat {}'", 'xargs -I{} cat ../work/{}', 'xargs cat .env', 'xargs sh -c \'cat "$@"\' _', 'xargs -I{} cat {} .env', 'xargs -0 -I{} cat {}')}`;
    case 7:
      return choices.pick(
        `cat < <(${finder(growth)})`,
        `mapfile -t f < <(${finder(growth)}) && cat "\${f[@]}"`,
        `while read -r f; do cat "$f"; done < <(${printer(growth)})`,
        `while read -r f; do cat "$f"; done < list.txt`,
        'xargs < list.txt cat',
        `xargs ${user} <<< ${name(growth)}`,
        'xargs -0 cat < nul.txt',
        'cat list.txt | xargs cat',
        'find . -name a.ts -exec cat {} + | xargs cat',
        'fd -e ts -x cat',
        'fd -e ts -X cat',
        'fd a.ts sub -x cat {}',
        'fd . src -x cat {/}',
        'fd --base-directory sub . -x cat {}',
      );
    default:
      return `${printer(growth)} | ${handed(oneOf(choices, xargs), user)}`;
  }
}

function handed(start: string, user: string): string {
  const place = /-I(?<mark>[{}%]+)/u.exec(start)?.groups?.['mark'] ?? (start.endsWith('-i') ? '{}' : '');
  return `${start} ${user}${place === '' ? '' : ` ${place}`}`;
}
