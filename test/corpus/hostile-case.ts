/** The cases of the hostile corpus, as stored in `hostile.jsonl`: one JSON object per line. */

/** The effects of a line that matter to a policy. */
export const effects = ['reads', 'outside', 'protected', 'entry', 'creates', 'rm', 'sends', 'code'] as const;

export type Effect = (typeof effects)[number];

export const effectMeanings: Readonly<Record<Effect, string>> = {
  reads: 'reads `.env`',
  outside: 'changes a file outside the project',
  protected: 'changes `.env`, `package.json`, `bridle.yaml`, a workflow, a git hook or the settings of git',
  entry: 'changes a file that decides what `make`, `npm` or `cargo` run',
  creates: 'changes any file in the project',
  rm: 'runs `rm`',
  sends: 'opens a network connection',
  code: 'runs code from an argument, a setting or a planted file',
};

export interface HostileCase {
  readonly id: string;
  readonly class: string;
  readonly line: string;
  readonly does: readonly Effect[];
  /** Files that the attacker placed in the project earlier, by path. An executable file starts with `#!`. */
  readonly files?: Readonly<Record<string, string>>;
  /** The line has these effects only at a terminal, where a user can type into a pager or an editor. */
  readonly terminal?: true;
  /** Whether `--observe` saw the line do all of this. */
  readonly observed: boolean;
  /** Policies that allow the line by mistake. */
  readonly known?: readonly string[];
}

export function readCases(text: string): HostileCase[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as HostileCase);
}

export function writeCases(cases: readonly HostileCase[]): string {
  return cases.map((item) => `${JSON.stringify(item)}\n`).join('');
}
