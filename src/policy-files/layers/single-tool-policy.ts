/** Compiles only the rules for one tool. Compiling all rules would take most of the time of a short process. */

import type { ToolCall } from '../../kernel/call.ts';
import type { Catalog } from '../../kernel/catalog/catalog.ts';
import type { Policy } from '../../kernel/policy/evaluator/policy.ts';
import type { LocatedText, PolicyFile } from '../policy-file.ts';
import type { CompileContext } from './compile-context.ts';

/** Selects the targets to compile. */
export type TargetFilter = (target: LocatedText) => boolean;

/**
 * True if the file was checked before and compiling it cannot find new problems. Files with servers or `strict` need a
 * full check.
 */
export function wasCheckedBefore(policyFile: PolicyFile, { alreadyChecked, options }: CompileContext): boolean {
  const { strict, servers, rules } = policyFile;
  if (!alreadyChecked || strict === true || servers !== undefined) return false;
  if (options.tools === undefined || options.approver === undefined) return false;
  return rules.every(({ targets }) => targets.every(({ text }) => !text.includes('/')));
}

/** Returns a policy while all calls are for the same tool, and undefined after the first call for another tool. */
export function singleToolPolicy(
  catalog: Catalog,
  compile: (isAbout: TargetFilter) => Policy,
): (call: ToolCall) => Policy | undefined {
  let compiled: { readonly server: string | undefined; readonly tool: string; readonly policy: Policy } | undefined;
  let hasOtherTool = false;
  return ({ server, tool }) => {
    if (hasOtherTool) return undefined;
    compiled ??= { server, tool, policy: compile(targetsOfTool(server, tool, catalog)) };
    hasOtherTool = compiled.server !== server || compiled.tool !== tool;
    return hasOtherTool ? undefined : compiled.policy;
  };
}

/** `wasCheckedBefore` rules out targets with a server. A target may name a local tool by an alias. */
function targetsOfTool(server: string | undefined, tool: string, catalog: Catalog): TargetFilter {
  const isNamed = (text: string): boolean => (catalog.resolveTool(undefined, text)?.name ?? text) === tool;
  return ({ text }) => text === '*' || (server === undefined && isNamed(text));
}
