/** The lines of the everyday corpus, as `everyday.jsonl` holds them: one JSON object per line. */

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
  /** `{project}` in it stands for the absolute path of the folder. */
  readonly line: string;
  /** It only reads, builds, tests, lints or formats inside the folder. */
  readonly plain?: true;
  /** It runs a program that talks to another machine, which `strict` denies. */
  readonly network?: true;
  /** What it certainly touches that every preset protects, so that a denial is right. */
  readonly denies?: string;
  /** Written later and by another method; nobody tunes against it. */
  readonly held?: true;
}

const dataFile = fileURLToPath(new URL('../everyday.jsonl', import.meta.url));

export function everydayCases(): EverydayCase[] {
  return readFileSync(dataFile, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as EverydayCase);
}
