/**
 * The rule that keeps path arguments inside workspaces (W01 to W05). It speaks of declared path arguments only: what a
 * command touches, and an argument nobody declared, it cannot see; the second is listed at start.
 */

import type { CheckedPath, Finding, ToolCall } from '../../../kernel/call.ts';
import { findDeclaredArguments, argumentPathText, type DeclaredArgument } from '../../declared-arguments.ts';
import { BridleError } from '../../../kernel/errors.ts';
import type { JsonObject } from '../../../kernel/json.ts';
import { closestName } from '../../../kernel/similar-names.ts';
import type { ToolDeclaration } from '../../../kernel/tool.ts';
import { confineTo, type Confinement, type ConfinementOptions } from './confine-to.ts';
import { quote } from '../resolve/quote.ts';
import { refusePath } from '../resolve/path-refusal.ts';
import { reviewPaths } from './review-paths.ts';

/** A rule that is decided by code of its own instead of a predicate. */
export interface WorkspaceRule {
  readonly type: 'rule';
  readonly effect: 'forbid';
  readonly target: { readonly type: 'all' };
  readonly name: string;
  /** The folders as they resolve: another list is another policy. */
  readonly fingerprint: string;
  readonly when: WorkspaceOptions['when'];
  readonly check: (call: ToolCall, tool: ToolDeclaration) => Finding;
  readonly concerns: (tool: ToolDeclaration) => boolean;
  /** Given every known tool once, answers warnings to show at start. */
  readonly review: (tools: readonly ToolDeclaration[]) => readonly string[];
}

export interface WorkspaceOptions extends ConfinementOptions {
  readonly name?: string | undefined;
  /** Told instead of which argument leads where. */
  readonly reason?: string | undefined;
  /** Narrows the rule to some calls. Anything but a boolean denies. */
  readonly when?: ((args: JsonObject, call: ToolCall) => boolean | Promise<boolean>) | undefined;
}

/** Every path costs system calls that block: more of them in one call is a refusal, not a long wait. */
const maxPaths = 1000;

/**
 * Forbids every call with a path argument that leads outside the folders, or nowhere that can be told.
 *
 * @example
 * ```ts
 * import { workspaceOnly } from 'bridle/facts';
 *
 * const rule = workspaceOnly(['.', '~/notes']);
 * ```
 */
export function workspaceOnly(dirs: readonly string[], options: WorkspaceOptions = {}): WorkspaceRule {
  checkNames(options);
  const confinement = confineTo(dirs, options);
  const { name = 'workspace_only', reason, when } = options;
  return Object.freeze<WorkspaceRule>({
    type: 'rule',
    effect: 'forbid',
    target: { type: 'all' },
    name,
    fingerprint: JSON.stringify([confinement.fingerprint, reason]),
    when,
    check: (call, tool) => {
      const finding = checkCall(confinement, call, tool);
      return finding.matched && reason !== undefined ? { ...finding, reason } : finding;
    },
    concerns: ({ paths = [] }) => paths.length > 0,
    review: (tools) => [
      ...confinement.problems().map((problem) => `workspaceOnly: a workspace in which nothing can be: ${problem}`),
      ...reviewPaths(tools),
    ],
  });
}

const optionNames: readonly string[] = ['name', 'reason', 'when', 'cwd', 'home'] satisfies (keyof WorkspaceOptions)[];

/** A misspelled option must not leave the fence elsewhere than it was meant. */
function checkNames(options: WorkspaceOptions): void {
  const unknown = Object.keys(options).find((option) => !optionNames.includes(option));
  if (unknown === undefined) return;
  const near = closestName(unknown, optionNames);
  const hint = near === undefined ? '' : `; did you mean ${quote(near)}?`;
  throw new BridleError('OPTION_INVALID', `workspaceOnly: option ${quote(unknown)} is not known${hint}`);
}

function checkCall(confinement: Confinement, call: ToolCall, tool: ToolDeclaration): Finding {
  const found = findDeclaredArguments(call.args, tool.paths ?? []);
  if (found.length > maxPaths) return { matched: true, reason: `The call has more than ${maxPaths} paths.`, paths: [] };
  const checks = found.map((argument) => checkArgument(confinement, argument, call.cwd));
  const paths = checks.map((check) => check.checked).filter((checked) => checked !== undefined);
  const reason = checks.map((check) => check.reason).find((text) => text !== undefined);
  return reason === undefined ? { matched: false, paths } : { matched: true, reason, paths };
}

function checkArgument(confinement: Confinement, argument: DeclaredArgument, cwd: string | undefined): ArgumentCheck {
  const { at, value, problem } = argument;
  const check = problem === undefined ? confinement.check(value, { at, cwd }) : refusePath(problem);
  if (check.type === 'inside') return { checked: check.checked };
  const checked = check.type === 'outside' ? check.checked : undefined;
  return { checked, reason: `Argument ${quote(argumentPathText(at))}: ${check.reason}.` };
}

interface ArgumentCheck {
  readonly checked: CheckedPath | undefined;
  readonly reason?: string | undefined;
}
