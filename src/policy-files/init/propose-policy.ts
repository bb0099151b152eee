/**
 * Proposes a policy from recorded calls: the starter policy of the folder, and the commands that agents ran often and
 * that are harmless. A command is harmless if Bridle knows that it only reads, or if a person approved it several times
 * and never refused it. Everything else stays a question and is listed in a comment.
 */

import { join } from 'node:path';
import { recordedTools } from '../replay/recorded-tools.ts';
import { policyFromFiles } from '../load/load-policy.ts';
import type { LoadedPolicy } from '../loaded-policy.ts';
import type { PresetName } from './presets.ts';
import { viewFolder } from './project/folder-view.ts';
import { inspectProject } from './project/inspect-project.ts';
import { type CallGroup, decideRecordedCalls, type RecordedCalls } from './recorded-calls.ts';
import { type StarterFile, starterName, starterText } from './starter-file.ts';
import { yamlText } from './starter-text.ts';

export interface ProposeOptions {
  /** Absolute, without links. */
  readonly folder: string;
  readonly preset: PresetName;
  /** The folder of Bridle's own files. */
  readonly home: string;
}

export interface ProposedPolicy {
  readonly starter: StarterFile;
  /** What the proposed policy decides about the recorded calls. */
  readonly recorded: RecordedCalls;
  /** The commands that the policy allows because of the journal. */
  readonly added: readonly string[];
}

/** `lines` gives the records of the journal; it is called twice. */
export async function proposePolicy(
  lines: () => AsyncIterable<string> | Iterable<string>,
  options: ProposeOptions,
): Promise<ProposedPolicy> {
  const { folder, preset } = options;
  const project = inspectProject(viewFolder(folder));
  const first = await decideRecordedCalls(lines(), policyOf(starterText(project, preset), options));
  // The preset strict has no list of commands.
  const added = preset === 'strict' ? [] : first.commands;
  const withCommands = { ...project, recorded: { commands: added, asked: [] } };
  const recorded =
    added.length === 0
      ? first
      : await decideRecordedCalls(lines(), policyOf(starterText(withCommands, preset), options));
  const asked = recorded.groups
    .filter(({ effect }) => effect === 'ask')
    .slice(0, maxListed)
    // The preset strict has no such rule.
    .map((group) => askedText(preset === 'strict' ? { ...group, missing: undefined } : group));
  const starter = starterText({ ...project, recorded: { commands: added, asked } }, preset);
  return { starter, recorded, added };
}

const maxListed = 30;

function askedText({ call, count, readingTool, missing }: CallGroup): string {
  const hint =
    readingTool !== undefined
      ? `  (seems to read only: - allow: ${yamlText(readingTool)})`
      : missing === undefined
        ? ''
        : `  (to allow it, add ${JSON.stringify(missing)} to the rule "commands")`;
  return `${String(count).padStart(6)}  ${call}${hint}`;
}

/** The policy as if it were in force in the folder. */
export function policyOf(
  { text, policyFile }: StarterFile,
  { folder, home }: Pick<ProposeOptions, 'folder' | 'home'>,
): LoadedPolicy {
  const file = { path: join(folder, starterName), text, stamp: '', hash: '', policyFile, hooks: [], cached: false };
  return policyFromFiles([file], { cwd: folder, home, tools: recordedTools() });
}
