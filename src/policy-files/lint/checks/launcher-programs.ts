/** Detects programs that run other commands or code: shells, interpreters, wrappers. The program table knows them. */

import { analyseCommand } from '../../../facts/shell/analysis/analyse-command.ts';

const markerCommand = 'rm';

/** Lines with which the program starts another command or runs code. */
export function launchLines(program: string): readonly string[] {
  const lines = [`-c '${markerCommand} -rf x'`, `-e 'system("${markerCommand} -rf x")'`, `${markerCommand} -rf x`].map(
    (rest) => `${program} ${rest}`,
  );
  return lines.filter(launchesMarker);
}

/** True for a program whose only purpose is to run the rest of its line or its input. */
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
