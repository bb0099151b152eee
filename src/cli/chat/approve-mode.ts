/**
 * How much of a chat is asked about: `ask`, `edits` or `read-only`. The mode never allows what the policy or a hook
 * refuses. `edits` is an answer of the person to the policy's general questions; `read-only` is a hook that refuses.
 */

import { basename, sep } from 'node:path';
import type { ApprovalRequest, Approver } from '../../kernel/approval.ts';
import { reject } from '../../kernel/hooks/points/actions.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { policyFileNames } from '../../policy-files/own-file-rules.ts';
import { usageError } from '../command/command-row.ts';

export const approveModes = {
  ask: 'you are asked about every call that needs approval',
  edits: 'edits of files in the folder run without asking; hidden files, policies and everything else still ask',
  'read-only': 'calls that can have side effects are denied',
} as const;

export type ApproveModeName = keyof typeof approveModes;

/** Reads the value of `--accept`: how a chat starts. */
export function readAcceptOption(given: string | undefined): ApproveModeName {
  if (given === undefined) return 'ask';
  if (given === 'edits') return given;
  throw usageError(`--accept must be "edits" (edits of files in the folder), not ${JSON.stringify(given)}`);
}

export class ApproveMode {
  /** Who answers in this mode, for the journal. */
  private by = '--accept edits';

  constructor(
    private name: ApproveModeName,
    /** The folder whose files may be edited without asking: absolute, with links resolved. */
    private readonly folder: string,
    /** Files that control the chat, such as its agent and its hooks: absolute, with links resolved. */
    private readonly controlFiles: readonly string[] = [],
  ) {}

  /** The tools of the agent. Until they are known, every question is asked. */
  tools: () => readonly ToolDeclaration[] = () => [];

  get current(): ApproveModeName {
    return this.name;
  }

  /** Changes the mode on the person's command. */
  set(name: ApproveModeName): void {
    this.name = name;
    this.by = `/approve ${name}`;
  }

  /** Answers questions about edits in mode `edits`; all others go to `ask`. */
  approver(ask: Approver): Approver {
    return (request, options) =>
      this.name === 'edits' && this.isAcceptedEdit(request) ? { type: 'approve', by: this.by } : ask(request, options);
  }

  /** `tools: []`: it covers no tool, so an agent without rules still does not start. */
  readonly hook: Hook = {
    name: 'read-only mode',
    gate: true,
    tools: [],
    preToolCall: ({ call }) =>
      this.name === 'read-only' && call.tier !== 'observe'
        ? reject(`Denied ${call.displayName}: the chat is in read-only mode. To be asked instead, type /approve ask.`)
        : undefined,
  };

  private isAcceptedEdit({ call, questions, paths }: ApprovalRequest): boolean {
    if (call.server !== undefined || !editTools.has(call.tool)) return false;
    const { touches } = this.tools().find(({ server, name }) => server === undefined && name === call.tool) ?? {};
    const writesOnly = touches?.writes?.length === 1 && touches.bash === undefined && touches.urls === undefined;
    if (!writesOnly || paths.length === 0) return false;
    return questions.every(isGeneral) && paths.every(({ path }) => this.isPlainFile(path));
  }

  /** Hidden files control other programs (`.git/hooks`, `.envrc`, `.github`), and policies control agents. */
  private isPlainFile(path: string): boolean {
    if (this.controlFiles.includes(path)) return false;
    const root = this.folder.endsWith(sep) ? this.folder : `${this.folder}${sep}`;
    if (!path.startsWith(root)) return false;
    const isHidden = `${sep}${path.slice(root.length)}`.includes(`${sep}.`);
    return !isHidden && !(policyFileNames as readonly string[]).includes(basename(path).toLowerCase());
  }
}

const editTools = new Set(['create_file', 'edit_file']);

/**
 * The default, and the rule of `safeDefaults()`, ask about every tool alike. A hook and all other rules ask on purpose, and
 * so does a deny rule that may apply.
 */
function isGeneral({ rule, hook }: ApprovalRequest['questions'][number]): boolean {
  if (hook !== undefined) return false;
  return rule === undefined || (rule.effect === 'ask' && rule.name === 'safe_confirm' && rule.at === undefined);
}
