/**
 * The rule that keeps path arguments inside workspaces (W01 to W05). It speaks of declared path arguments only: what a
 * command touches, and an argument nobody declared, it cannot see; the second is listed at start.
 */

import type { CheckedPath, ToolCall } from '../call.ts';
import type { ToolDeclaration } from '../tool.ts';
import { confineTo, type Confinement, type ConfinementOptions } from './confine-to.ts';
import { findPathArguments, showPlace, type PathArgument } from './path-arguments.ts';
import { quote } from './quote.ts';
import { refuse } from './refusal.ts';
import { reviewPaths } from './review-paths.ts';

/** What a check found: `matched` means the rule applies, for `reason`; `paths` is what was resolved on the way. */
export interface Finding {
  readonly matched: boolean;
  readonly reason?: string | undefined;
  readonly paths?: readonly CheckedPath[] | undefined;
}

/** A rule that is decided by code of its own instead of a predicate. */
export interface CheckRule {
  readonly type: 'rule';
  readonly effect: 'forbid';
  readonly target: { readonly type: 'all' };
  readonly name: 'workspace_only';
  readonly reason?: undefined;
  readonly check: (call: ToolCall, tool: ToolDeclaration) => Finding;
  /** Given every known tool once, answers warnings to show at start. */
  readonly review: (tools: readonly ToolDeclaration[]) => readonly string[];
}

/** Every path costs system calls that block: more of them in one call is a refusal, not a long wait. */
const mostPaths = 1000;

/**
 * Forbids every call with a path argument that leads outside the folders, or nowhere that can be told.
 *
 * @example
 * ```ts
 * import { workspaceOnly } from 'bridle/paths';
 *
 * const rule = workspaceOnly(['.', '~/notes']);
 * ```
 */
export function workspaceOnly(dirs: readonly string[], options: ConfinementOptions = {}): CheckRule {
  const confinement = confineTo(dirs, options);
  return Object.freeze<CheckRule>({
    type: 'rule',
    effect: 'forbid',
    target: { type: 'all' },
    name: 'workspace_only',
    check: (call, tool) => checkCall(confinement, call, tool),
    review: (tools) => [
      ...confinement.problems().map((problem) => `workspaceOnly: nothing is inside the workspace ${problem}`),
      ...reviewPaths(tools),
    ],
  });
}

function checkCall(confinement: Confinement, call: ToolCall, tool: ToolDeclaration): Finding {
  const found = findPathArguments(call.args, tool.paths ?? []);
  if (found.length > mostPaths)
    return { matched: true, reason: `The call has more than ${mostPaths} paths.`, paths: [] };
  const checks = found.map((argument) => checkArgument(confinement, argument, call.cwd));
  const paths = checks.map((check) => check.checked).filter((checked) => checked !== undefined);
  const reason = checks.map((check) => check.reason).find((text) => text !== undefined);
  return reason === undefined ? { matched: false, paths } : { matched: true, reason, paths };
}

function checkArgument(confinement: Confinement, argument: PathArgument, cwd: string | undefined): ArgumentCheck {
  const { at, value, problem } = argument;
  const check = problem === undefined ? confinement.check(value, { at, cwd }) : refuse(problem);
  if (check.type === 'inside') return { checked: check.checked };
  const checked = check.type === 'outside' ? check.checked : undefined;
  return { checked, reason: `Argument ${quote(showPlace(at))}: ${check.reason}.` };
}

interface ArgumentCheck {
  readonly checked: CheckedPath | undefined;
  readonly reason?: string | undefined;
}
