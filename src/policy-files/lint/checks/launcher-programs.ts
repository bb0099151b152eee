/** Programs that run what they are told to: shells, interpreters, wrappers. Which these are, the table of programs knows. */

import { analyseCommand } from '../../../facts/shell/analysis/analyse-command.ts';

const markerCommand = 'rm';

/** Lines that begin so and by which the program starts something else, or runs code. */
export function launchLines(program: string): readonly string[] {
  const lines = [`-c '${markerCommand} -rf x'`, `-e 'system("${markerCommand} -rf x")'`, `${markerCommand} -rf x`].map(
    (rest) => `${program} ${rest}`,
  );
  return lines.filter(launchesMarker);
}

/** True for a program that does nothing else: it runs what stands behind it, or what it is given as input. */
export function isLauncher(program: string): boolean {
  return analyseCommand(program).unknown !== undefined || launchesMarker(`${program} ${markerCommand} -rf x`);
}

function launchesMarker(line: string): boolean {
  const { commands, foreign } = analyseCommand(line);
  const startsMark = commands
    .slice(1)
    .some(({ argv: [first] }) => first?.type === 'literal' && first.value === markerCommand);
  return startsMark || foreign.some((code) => code.includes(markerCommand));
}
