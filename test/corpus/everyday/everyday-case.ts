/** The lines of the everyday corpus, as stored in `everyday.jsonl`: one JSON object per line. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const everydayClasses = [
  'look',
  'search',
  'git-read',
  'git-write',
  'build',
  'test',
  'lint',
  'format',
  'install',
  'files-write',
  'delete',
  'network',
  'containers',
  'databases',
  'processes',
  'code-in-line',
  'scripts',
  'system',
] as const;

/** The projects that `projects.sh` builds. */
export const projectNames = ['ts', 'js', 'mono', 'py', 'django', 'go', 'rust', 'c', 'ops', 'scratch'] as const;

export type ProjectName = (typeof projectNames)[number];

export interface EverydayCase {
  readonly id: string;
  readonly class: (typeof everydayClasses)[number] | 'bench';
  readonly folder: ProjectName;
  /** `{project}` is replaced by the absolute path of the folder. */
  readonly line: string;
  /** It only reads, builds, tests, lints or formats inside the folder. */
  readonly plain?: true;
  /** It runs a program that connects to another machine, which `strict` denies. */
  readonly network?: true;
  /** A protected file that it certainly touches, so a denial is correct. */
  readonly denies?: string;
  /** Written later and by another method. Never used for tuning. */
  readonly held?: true;
}

const dataFile = fileURLToPath(new URL('../everyday.jsonl', import.meta.url));

export function everydayCases(): EverydayCase[] {
  return readFileSync(dataFile, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as EverydayCase);
}
