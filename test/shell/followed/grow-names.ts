/** Words of followed lines: names, patterns, variables, and words that other commands print. */

import type { Choices } from '../random/choices.ts';
import { listed, oneOf } from './listed.ts';

/** What is decided while a line grows. */
export interface Growth {
  readonly choices: Choices;
  /** Variables that the line has set. Only some of them are used before. */
  readonly variables: Set<string>;
  /** True while everything is certain to run, and to fail the line if it fails. */
  straight: boolean;
}

const folders = listed(String.raw`src sub lib src/deep odd out here .. sub/back deep src/up docs`);
const rareFolders = listed(String.raw`mixed empty missing locked gone round ../outside ../home . e.d raw`);
const more = listed(String.raw`sub/sub here/sub lib/deep/.. out/../work a.ts ../work/src sub/../src made new`);

export function folder({ choices }: Growth): string {
  if (choices.once(3)) return oneOf(choices, [...rareFolders, ...more]);
  return oneOf(choices, folders);
}

const names = listed(String.raw`a.ts .env src/index.ts src/a.ts b.ts index.ts src/link.ts keep.ts README.md`);
const rareNames =
  listed(String.raw`lib/a.ts out/a.ts here/.env deep/a.ts ../a.ts ../.env src/up/a.ts sub/env.ts hard.ts dangling.ts round
  list.txt sub/../a.ts out/../a.ts lib/../.env locked/a.ts missing/a.ts ./a.ts src//a.ts new new/a.ts
  made/a.ts e.d/l src/out.ts twin.ts sub src .`);
const oddNames = listed(
  String.raw`'odd/a .env b.ts' ¦ 'mixed/no .env no.ts' ¦ "odd/two words.ts" ¦ odd/it\'s.ts ¦ 'odd/*.ts' ¦ odd/\?`,
  String.raw`$'odd/new\nline.ts' ¦ 'odd/[ab].ts' ¦ odd/-n ¦ -n ¦ ./-n ¦ \~ ¦ "~" ¦ ./~a.ts ¦ '$f.ts' ¦ odd/é.ts`,
);

export function name(growth: Growth): string {
  const { choices } = growth;
  switch (choices.below(6)) {
    case 4:
      return oneOf(choices, rareNames);
    case 5:
      return choices.once(2) ? oneOf(choices, oddNames) : `${folder(growth)}/a.ts`;
    default:
      return oneOf(choices, names);
  }
}

const globs = listed(String.raw`*.ts src/*.ts * src/* */a.ts odd/*.ts ?.ts s*/*.ts .* src/.e* odd/*`);
const rareGlobs =
  listed(String.raw`*/* */.env ../*.ts [ab].ts l*/a.ts o?t/* docs/*.md mixed/* ./*.ts e.d/* */../*.ts sub/*/a.ts *.missing
  .*/a.ts */ src/**/a.ts **/*.ts h*/.env */*/*.ts "src"/*.ts odd/\** [!a-z]* ?(a).ts *d/a* odd/? raw/*
  locked/* src/l* *[k].ts 'odd/'*b.ts ~+/*.ts new/*`);

export function glob({ choices }: Growth): string {
  return oneOf(choices, choices.once(3) ? rareGlobs : globs);
}

const braces = [
  '{a,b}.ts',
  'src/{a,index}.ts',
  '{src,sub}/a.ts',
  '{.env,a.ts}',
  '{sub,src}/*.ts',
  '{a..c}.ts',
  'src/{a,link}.ts',
];

/** The name of a variable, mostly of one that is set. */
export function variable({ choices, variables }: Growth): string {
  const [first, ...rest] = variables;
  if (first === undefined || choices.once(12)) return choices.pick('f', 'g', 'd');
  return choices.pick(first, ...rest);
}

export function expansion(growth: Growth): string {
  const { choices } = growth;
  const it = variable(growth);
  switch (choices.below(12)) {
    case 0:
    case 1:
    case 2:
      return `"$${it}"`;
    case 3:
    case 4:
      return `$${it}`;
    case 5:
      return `\${${it}}`;
    case 6:
      return `src/$${it}`;
    case 7:
      return `"./$${it}"`;
    case 8:
      return choices.pick(
        `"\${${it}%.ts}.ts"`,
        `\${${it}##*/}`,
        `"\${${it}:-a.ts}"`,
        `\${${it}/a/b}`,
        `"\${${it}[0]}"`,
      );
    case 9:
      return choices.pick(`"\${${it}[@]}"`, `\${!${it}}`, '"$@"', '$1', '$*', `$${it}.ts`, '"$_"', '"$OLDPWD"/a.ts');
    case 10:
      return `$${it}*`;
    default:
      return choices.pick(`"$${it}"/a.ts`, `./$${it}/*.ts`, `"$${it}"*`, `$PWD/$${it}`, `"$PWD/a.ts"`, '"$HOME"/a.ts');
  }
}

/** One or more words that name files. */
export function word(growth: Growth): string {
  const { choices, variables } = growth;
  const used = variables.size > 0 && choices.once(2);
  if (used) return expansion(growth);
  switch (choices.below(10)) {
    case 5:
    case 6:
    case 7:
      return glob(growth);
    case 8:
      return oneOf(choices, [...braces, '~/a.ts', '~+/a.ts', '~-/a.ts', '"$PWD"/a.ts']);
    case 9:
      return choices.once(2) ? expansion(growth) : `$(${printer(growth)})`;
    default:
      return name(growth);
  }
}

export function words(growth: Growth): string {
  const { choices } = growth;
  return choices.once(4) ? `${word(growth)} ${word(growth)}` : word(growth);
}

/** A command that prints names. */
export function printer(growth: Growth): string {
  const { choices } = growth;
  switch (choices.below(8)) {
    case 0:
      return `echo ${words0(growth)}`;
    case 1:
      return `printf '%s\\n' ${words0(growth)}`;
    case 2:
      return `ls ${choices.once(2) ? folder(growth) : glob(growth)}`;
    case 3:
      return choices.pick('cat list.txt', 'pwd', 'dirname src/a.ts', 'realpath src/link.ts', 'readlink src/link.ts');
    default:
      return finder(growth);
  }
}

function words0(growth: Growth): string {
  return growth.choices.once(3) ? glob(growth) : name(growth);
}

const tests = [
  "-name '*.ts'",
  '-name .env',
  '-type f',
  "-type f -name '*.ts'",
  '-type l',
  "-name 'a*'",
  "-path '*src*'",
];
const rareTests = listed(
  String.raw`-maxdepth 1 -type f ¦ -mindepth 2 -name a.ts ¦ -not -name .env -type f ¦ -name '*.ts' -o -name .env`,
  String.raw`-name odd -prune -o -type f -print ¦ -samefile a.ts ¦ -newer a.ts ¦ -xtype f ¦ -iname 'A.TS' ¦ -empty ¦ `,
  String.raw`\( -name a.ts -o -name b.ts \) ¦ -links 2 ¦ -size -2 ¦ -regex '.*x.ts' ¦ -perm 000 ¦ -lname "*env"`,
);

/** A program that lists files below a folder. */
export function finder(growth: Growth, end = ''): string {
  const { choices } = growth;
  switch (choices.below(9)) {
    case 6:
      return choices.pick(
        'git ls-files',
        "git ls-files '*.ts'",
        'git ls-files src',
        'git ls-files -o',
        'git -C sub ls-files',
        'git ls-files -z',
      );
    case 7:
      return choices.pick(
        'rg --files',
        'rg --files src',
        "rg --files -g '*.ts'",
        'rg --files --hidden',
        'rg --files -L',
        'rg -l tk',
        'rg --files -0',
      );
    case 8:
      return choices.pick(
        'fd',
        'fd -e ts',
        'fd . src',
        'fd -H env',
        'fd -L . sub',
        'fd -t f',
        'fd -0 a',
        'fd --no-ignore',
      );
    default: {
      const options = choices.once(6) ? choices.pick('-L ', '-H ', '-P ') : '';
      const start = choices.once(3)
        ? folder(growth)
        : choices.pick('.', 'src', 'sub', '', 'odd', 'docs', 'lib/', 'src sub', '"$PWD"');
      const test = oneOf(choices, choices.once(4) ? rareTests : tests);
      return `find ${options}${start} ${test}${end === '' ? '' : ` ${end}`}`;
    }
  }
}
