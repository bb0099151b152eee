/**
 * The rule that confines path arguments to workspaces (W01 to W05). It checks declared path arguments only. It does not
 * see files that a command touches or undeclared arguments; the latter are listed at start.
 */

import type { CheckedPath, RuleCheckResult, ToolCall } from '../../../kernel/call.ts';
import { findDeclaredArguments, argumentPathText, type DeclaredArgument } from '../../declared-arguments.ts';
import { BridleError } from '../../../kernel/errors.ts';
import type { JsonObject } from '../../../kernel/json.ts';
import { closestName } from '../../../kernel/similar-names.ts';
import type { ToolDeclaration } from '../../../kernel/tool.ts';
import { confineTo, type Confinement, type ConfinementOptions } from './confine-to.ts';
import { quote, refusePath } from '../resolve/path-refusal.ts';
import { reviewPaths } from './review-paths.ts';

/** A rule with its own code for the decision instead of a predicate. */
export interface WorkspaceRule {
  readonly type: 'rule';
  readonly effect: 'forbid';
  readonly target: { readonly type: 'all' };
  readonly name: string;
  /** The resolved folders: another list makes another policy. */
  readonly fingerprint: string;
  readonly when: WorkspaceOptions['when'];
  readonly check: (call: ToolCall, tool: ToolDeclaration) => RuleCheckResult;
  readonly concerns: (tool: ToolDeclaration) => boolean;
  /** Called once with all known tools; returns warnings to show at start. */
  readonly review: (tools: readonly ToolDeclaration[]) => readonly string[];
}

export interface WorkspaceOptions extends ConfinementOptions {
  readonly name?: string | undefined;
  /** Replaces the default reason, which names the argument and its path. */
  readonly reason?: string | undefined;
  /** Limits the rule to some calls. A result that is not a boolean denies the call. */
  readonly when?: ((args: JsonObject, call: ToolCall) => boolean | Promise<boolean>) | undefined;
}

/** Each path costs blocking system calls; a call with more paths is refused. */
const maxPaths = 1000;

/**
 * Forbids every call with a path argument that leads outside the folders or cannot be resolved.
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
      ...confinement.problems().map((problem) => `workspaceOnly: no path is inside this workspace: ${problem}`),
      ...reviewPaths(tools),
    ],
  });
}

const optionNames: readonly string[] = ['name', 'reason', 'when', 'cwd', 'home'] satisfies (keyof WorkspaceOptions)[];

/** A misspelled option must not silently change what is allowed. */
function checkNames(options: WorkspaceOptions): void {
  const unknown = Object.keys(options).find((option) => !optionNames.includes(option));
  if (unknown === undefined) return;
  const near = closestName(unknown, optionNames);
  const hint = near === undefined ? '' : `; did you mean ${quote(near)}?`;
  throw new BridleError('OPTION_INVALID', `workspaceOnly: option ${quote(unknown)} is not known${hint}`);
}

function checkCall(confinement: Confinement, call: ToolCall, tool: ToolDeclaration): RuleCheckResult {
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
