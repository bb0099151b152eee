/** Grows a line for bash from random choices: the same choices give the same line, fewer choices a shorter one. */

import { Choices } from '../random/choices.ts';
import { assign, move, read, set, write } from './grow-commands.ts';
import { handOn } from './grow-lists.ts';
import { folder, name, printer, words, type Growth } from './grow-names.ts';

export interface GrownLine {
  readonly line: string;
  /** True: every command of it runs, and the line fails if one of them does. */
  readonly straight: boolean;
}

/** A part that may not run, or may fail without failing the line. */
const unsure = /[;|&\n]|\$\(|<\(|\[\[|\bfind\b|\bfd\b/u;

export function growLine(numbers: readonly number[]): GrownLine {
  const growth: Growth = { choices: new Choices(numbers), variables: new Set(), straight: true };
  const line = list(growth, 2);
  return { line, straight: growth.straight && !unsure.test(line.replaceAll('&&', ' ')) };
}

function list(growth: Growth, depth: number): string {
  const { choices } = growth;
  let line = statement(growth, depth);
  const most = depth === 2 ? 4 : 2;
  for (let count = 1; count < most && !choices.spent && choices.below(5) > 0; count++)
    line += `${choices.pick(' && ', '; ', ' && ', ' || ', '\n', '; ', ' && ')}${statement(growth, depth)}`;
  return line;
}

function statement(growth: Growth, depth: number): string {
  const { choices } = growth;
  switch (choices.below(depth > 0 ? 18 : 11)) {
    case 0:
    case 1:
    case 2:
      return read(growth);
    case 3:
    case 4:
    case 5:
      return move(growth);
    case 6:
      return write(growth);
    case 7:
    case 8:
      return choices.once(4) ? set(growth) : assign(growth);
    case 9:
    case 10:
      return handOn(growth);
    case 11:
    case 12:
      return loop(growth, depth - 1);
    default:
      return compound(growth, depth - 1);
  }
}

function loop(growth: Growth, depth: number): string {
  const { choices, variables } = growth;
  growth.straight = false;
  const it = choices.pick('f', 'g', 'd');
  const over = choices.pick(
    () => words(growth),
    () => `${words(growth)} ${words(growth)}`,
    () => `$(${printer(growth)})`,
    () => `${folder(growth)} ${folder(growth)}`,
  )();
  variables.add(it);
  const body = list(growth, depth);
  switch (choices.below(6)) {
    case 4:
      return `for ${it} in ${over}; do ${body}; done | ${choices.pick('cat', 'sort', 'xargs', 'xargs cat', 'while read -r g; do cat "$g"; done')}`;
    case 5:
      return choices.pick(
        `for ((i = 0; i < 2; i++)); do ${body}; done`,
        `n=0; while ((n++ < 2)); do ${body}; done`,
        `for ${it} do ${body}; done`,
        `until ${body}; do ${move(growth)}; break; done`,
        `while ${body}; do cat a.ts; break; done`,
        `for ${it} in ${over}; do ${body}; continue; done`,
      );
    default:
      return `for ${it} in ${over}; do ${body}; done`;
  }
}

function compound(growth: Growth, depth: number): string {
  const { choices } = growth;
  growth.straight = false;
  const left = list(growth, depth);
  const right = (): string => list(growth, depth);
  switch (choices.below(22)) {
    case 0:
      return `( ${left} )`;
    case 1:
      return `{ ${left}; }`;
    case 2:
      return `if ${left}; then ${right()}; else ${right()}; fi`;
    case 3:
      return `if ${left}; then ${right()}; fi`;
    case 4:
      return `{ ${left}; } | { ${right()}; }`;
    case 5:
      return `${choices.pick('!', 'time')} ${left}`;
    case 6:
      return `{ ${left}; } & wait`;
    case 7:
      return `case ${name(growth)} in ${choices.pick('*', 'a*', '.env', 'src/*')}) ${left} ;; *) ${right()} ;; esac`;
    case 8:
      return `echo "$(${left})"`;
    case 9:
      return `cat <(${left})`;
    case 10:
      return `fn() { ${left}; }; ${choices.pick('fn', `fn ${name(growth)}`, `fn && ${right()}`, right())}`;
    case 11:
      return `${choices.pick('cd', 'pushd', 'cat', 'head')}() { ${choices.pick('builtin cd odd', 'command cat .env', 'builtin cd "$1/.."', left)}; }; ${right()}`;
    case 12:
      return `shopt -s expand_aliases\nalias ${choices.pick("cd='cd sub;'", "cat='cat .env'", "cd='builtin cd'", 'ls=cat', "src='cd src'")}\n${right()}`;
    case 13:
      return `trap '${quoted(left)}' ${choices.pick('EXIT', 'DEBUG', 'ERR', 'RETURN')}; ${right()}`;
    case 14:
      return `eval '${quoted(left)}'`;
    case 15:
      return `bash -c '${quoted(left)}'`;
    case 16:
      return choices.pick(
        `[ -d ${folder(growth)} ] && ${left}`,
        `[[ -f ${name(growth)} ]] || ${left}`,
        `test -e ${name(growth)} && ${left}`,
      );
    case 17:
      return choices.pick(
        `false && ${left}`,
        `true || ${left}`,
        `${left} || true`,
        `true && ${left}`,
        `false || ${left}`,
      );
    case 18:
      return `coproc { ${left}; }; wait`;
    case 19:
      return choices.pick(
        `{ ${left}; } > ${name(growth)}`,
        `{ ${left}; } < ${name(growth)}`,
        `( ${left} ) 2>&1 | cat`,
        `{ ${left}; } > >(cat)`,
        `eval "${doubled(left)}"`,
      );
    case 20:
      return choices.pick(
        `fn() ( ${left} ); fn; ${right()}`,
        `fn() { local f=.env; ${left}; }; fn`,
        `fn() { ${left}; return; ${right()}; }; fn`,
        `exec bash -c '${quoted(left)}'`,
      );
    default:
      return choices.pick(
        `${left} | cat`,
        `cat list.txt | { ${left}; }`,
        `${left} & ${right()}`,
        `( ${left}; exit ); ${right()}`,
        `${left} |& cat`,
      );
  }
}

function quoted(text: string): string {
  return text.replaceAll("'", `'\\''`);
}

function doubled(text: string): string {
  return text.replaceAll(/["\\`]/gu, '\\$&');
}
