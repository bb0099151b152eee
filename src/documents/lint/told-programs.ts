/** Programs that run what they are told to: shells, interpreters, wrappers. Which these are, the table of programs knows. */

import { analyseCommand } from '../../shell/analyse-command.ts';

const mark = 'rm';

/** Lines that begin so and by which the program starts something else, or runs code. */
export function toldLines(program: string): readonly string[] {
  const lines = [`-c '${mark} -rf x'`, `-e 'system("${mark} -rf x")'`, `${mark} -rf x`].map(
    (rest) => `${program} ${rest}`,
  );
  return lines.filter(showsMore);
}

/** True for a program that does nothing else: it runs what stands behind it, or what it is given as input. */
export function isTold(program: string): boolean {
  return analyseCommand(program).unknown !== undefined || showsMore(`${program} ${mark} -rf x`);
}

function showsMore(line: string): boolean {
  const { commands, foreign } = analyseCommand(line);
  const startsMark = commands.slice(1).some(({ argv: [first] }) => first?.type === 'literal' && first.value === mark);
  return startsMark || foreign.some((code) => code.includes(mark));
}
