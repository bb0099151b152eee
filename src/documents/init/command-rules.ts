/** Which commands run without a question. */

import { callLines, joined, type Words } from './condition-text.ts';
import type { Project, ProjectCommand } from './project.ts';
import { lineCall } from './sample-calls.ts';
import { commentText } from './starter-text.ts';
import type { StarterRule, StarterSection } from './starter-policy.ts';

/** Programs that only look, called so that they can do nothing else: the table of programs knows how. */
const looking = [
  'ls',
  'pwd',
  'cat',
  'head',
  'tail',
  'wc',
  'nl',
  'grep',
  'rg',
  'find',
  'tree',
  'stat',
  'file',
  'du',
  'diff',
  'cmp',
  'sort',
  'uniq',
  'cut',
  'tr',
  'echo',
  'printf',
  'true',
  'date',
  'which',
  'basename',
  'dirname',
  'realpath',
  'jq',
];
const lookingGit = [
  'git status',
  'git diff',
  'git log',
  'git show',
  'git blame',
  'git ls-files',
  'git rev-parse',
  'git describe',
  'git branch --list',
];

/** Nothing a line touches, as far as it shows, lies outside the folder it is run for. */
export const staysInside: readonly string[] = ['readsInside(".")', 'writesInside(".")'];

export function commandSection(project: Project): StarterSection {
  return {
    title: 'Commands',
    text: [
      'A line is allowed if every command in it is one of these, in any order and however joined, and nothing it',
      'reads or writes lies outside this folder. Programs that take paths, options or code by which they could do',
      'more are only matched without those. Everything else is asked.',
      ...shownScripts(project.commands),
    ],
    rules: [commands(project)],
  };
}

/** What the allowed commands run stands in files that anybody can have written: whoever reads the policy sees it. */
function shownScripts(commands: readonly ProjectCommand[]): readonly string[] {
  const shown = new Map<string, string>();
  for (const { line, runs } of commands) if (runs !== undefined && !shown.has(runs)) shown.set(runs, line);
  return Array.from(shown, ([runs, line]) => commentText(`  ${line}: ${JSON.stringify(runs)}`));
}

export function commands(project: Project): StarterRule {
  const [first] = project.commands;
  return {
    effect: 'allow',
    targets: ['run_command'],
    name: 'commands',
    when: joined('&&', runsOnly(project), ...staysInside.map((fact) => [fact])),
    tests: [
      ...(first === undefined ? [] : [lineCall(first.line, 'allow'), lineCall(`${first.line} && ls`, 'allow')]),
      lineCall('ls -la src', 'allow'),
      ...(project.git ? [lineCall('git status --short', 'allow')] : []),
      lineCall('cat README.md | head -20', 'allow'),
    ],
  };
}

function runsOnly(project: Project): readonly string[] {
  const own: Words[] =
    project.commands.length === 0
      ? [{ comment: 'your own commands belong here: "make test", ...' }]
      : [{ comment: "this project's own" }, project.commands.map(({ line }) => line)];
  return callLines(
    'runsOnly',
    ...own,
    { comment: 'looking around' },
    project.git ? [...looking, ...lookingGit] : looking,
  );
}
