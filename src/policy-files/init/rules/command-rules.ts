/** The commands that run without asking. */

import { functionCallLines, joinConditions, type ArgumentGroup } from './condition-text.ts';
import { readOnlyCommands, readOnlyCommandsIn } from './read-only-commands.ts';
import type { Project, ProjectCommand } from '../project/project.ts';
import { lineCall } from './starter-test.ts';
import { commentText } from './quote-text.ts';
import type { StarterRule, StarterSection } from './starter-policy.ts';

/** Everything that a line visibly reads or writes is inside the current folder. */
export const staysInside: readonly string[] = ['readsInside(".")', 'writesInside(".")'];
const maxShown = 40;

/** For the preset balanced. */
export function commandRulesSection(project: Project): StarterSection {
  return {
    title: 'Commands',
    text: [
      'A line is allowed if every command in it is in this list, and everything it reads or writes is inside this',
      'folder. Bridle knows which options and paths are harmless for each program. Everything else is asked about.',
      ...trustedCodeText(project),
    ],
    rules: [commandRule(project)],
  };
}

/** Anyone may have written the scripts of a manifest, so the policy shows what it trusts. */
export function trustedCodeText({ commands, folders }: Project): readonly string[] {
  if (commands.length === 0) return [];
  const shown = shownScripts(commands);
  return [
    "The project's own commands run the project's code: tests, configuration, scripts. This policy trusts that code.",
    ...(folders.length === 0 ? [] : ['They are allowed only in the folders listed in worksIn.']),
    ...(shown.length === 0 ? [] : ['When this file was written, the scripts ran:']),
    ...shown,
  ];
}

function shownScripts(commands: readonly ProjectCommand[]): readonly string[] {
  const shown = new Map<string, string>();
  for (const { line, runs, folder = '.' } of commands) {
    const key = JSON.stringify([folder, runs]);
    const place = folder === '.' ? '' : `${folder}: `;
    if (runs !== undefined && !shown.has(key))
      shown.set(key, commentText(`  ${place}${line}: ${JSON.stringify(runs)}`));
  }
  const lines = [...shown.values()];
  const left = lines.length - maxShown;
  return left > 0 ? [...lines.slice(0, maxShown), `  and ${left} more`] : lines;
}

function commandRule(project: Project): StarterRule {
  const [first] = project.commands;
  const [part] = project.folders;
  const own = first === undefined ? [] : [first.line, `${first.line} 2>&1 | tail -20`];
  return {
    effect: 'allow',
    targets: ['run_command'],
    name: 'commands',
    when: joinConditions('&&', runsOnly(project), inProjectFolders(project), ...staysInside.map((fact) => [fact])),
    tests: [
      ...(first?.folder === undefined ? own.map((line) => lineCall(line, 'allow')) : []),
      ...(part === undefined ? [] : [lineCall(`cd ${part} && ls`, 'allow')]),
      lineCall('ls -la src', 'allow'),
      ...(project.git ? [lineCall('git status --short', 'allow')] : []),
      lineCall('cat README.md | head -20', 'allow'),
    ],
  };
}

/**
 * What scripts and git run depends on the folder: a Makefile or repository in another folder does not belong to the
 * project.
 */
function inProjectFolders({ folders }: Project): readonly string[] {
  const named = functionCallLines('worksIn', ['.', ...folders]);
  return joinConditions('||', ['(!opaque() && !runs("git")'], [...named.slice(0, -1), `${named.at(-1) ?? ''})`]);
}

function runsOnly(project: Project): readonly string[] {
  const own: ArgumentGroup[] =
    project.commands.length === 0
      ? [{ comment: 'add your own commands here: "make test", ...' }]
      : [{ comment: "this project's own commands" }, project.commands.map(({ line }) => line)];
  return functionCallLines('runsOnly', ...own, { comment: 'read-only commands' }, [
    ...readOnlyCommands,
    ...readOnlyCommandsIn(project),
  ]);
}
