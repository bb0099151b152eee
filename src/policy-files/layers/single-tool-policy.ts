/** Deciding by the rules that are about a call, where compiling all of them would be most of the work of a short run. */

import type { ToolCall } from '../../kernel/call.ts';
import type { Catalog } from '../../kernel/catalog/catalog.ts';
import type { Policy } from '../../kernel/policy/evaluator/policy.ts';
import type { LocatedText, PolicyFile } from '../policy-file.ts';
import type { CompileContext } from './compile-context.ts';

/** Whether the rules for a target belong to a part of a policy. */
export type TargetFilter = (target: LocatedText) => boolean;

/** True if compiling it has found nothing wrong before and can find nothing now: servers and strictness need more. */
export function wasCheckedBefore(policyFile: PolicyFile, { alreadyChecked, options }: CompileContext): boolean {
  const { strict, servers, rules } = policyFile;
  if (!alreadyChecked || strict === true || servers !== undefined) return false;
  if (options.tools === undefined || options.approver === undefined) return false;
  return rules.every(({ targets }) => targets.every(({ text }) => !text.includes('/')));
}

/** Answers as long as all calls are of one tool; undefined from the first other one on. */
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

/** No target names a server here, and those for local tools may name them by an alias. */
function targetsOfTool(server: string | undefined, tool: string, catalog: Catalog): TargetFilter {
  const isNamed = (text: string): boolean => (catalog.resolveTool(undefined, text)?.name ?? text) === tool;
  return ({ text }) => text === '*' || (server === undefined && isNamed(text));
}
