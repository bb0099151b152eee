/**
 * Groups calls into classes that rules without conditions cannot distinguish: one class per tool that is known or named
 * in a rule, one for all other tools of each server, and one for all other local tools.
 */

import { pairText } from '../../kernel/names.ts';
import type { ServerDeclaration, ToolDeclaration } from '../../kernel/tool.ts';
import type { CheckRequest, LoadedPolicy } from '../loaded-policy.ts';
import { PolicyRules } from '../policy-rules.ts';
import { sampleArgs } from './sample-args.ts';

export interface CallClass {
  readonly server: string | undefined;
  /** For the class of other tools: a name that no tool has. */
  readonly tool: string;
  /** The declaration of the tool. */
  readonly declared: ToolDeclaration | undefined;
  readonly isNamed: boolean;
}

/** All classes under any of the policies. */
export function callClasses(
  policies: readonly LoadedPolicy[],
  extraTools: readonly ToolDeclaration[] = [],
): readonly CallClass[] {
  const tools = [...policies.flatMap((policy) => policy.tools), ...extraTools];
  const servers = policies.flatMap((policy) => policy.servers);
  const targets = policies.flatMap((policy) => new PolicyRules(policy).entries.map(({ target }) => target));
  const named = new Map<string, CallClass>();
  const add = (server: string | undefined, tool: string, declared?: ToolDeclaration): void => {
    const key = JSON.stringify([server, tool]);
    if (!named.has(key)) named.set(key, { server, tool, declared, isNamed: true });
  };
  for (const tool of tools) add(tool.server, tool.name, tool);
  for (const target of targets) if (target.type === 'tool') add(target.server, target.tool);
  const serverNames = new Set<string | undefined>([undefined, ...servers.map(({ name }) => name)]);
  for (const target of targets) if (target.type !== 'all') serverNames.add(target.server);
  const classes = [...named.values()];
  const others = Array.from(serverNames, (server) => ({
    server,
    tool: unusedName(classes.filter((each) => each.server === server).map(({ tool }) => tool)),
    declared: undefined,
    isNamed: false,
  }));
  return [...classes, ...others];
}

/** The classes whose calls reach the policy: servers hide some of their tools. */
export function visibleClasses(
  policy: LoadedPolicy,
  extraTools: readonly ToolDeclaration[] = [],
): readonly CallClass[] {
  const servers = [...policy.servers, ...policy.layers.flatMap(({ policyFile }) => policyFile.servers ?? [])];
  return callClasses([policy], extraTools).filter((each) => !servers.some((server) => hides(server, each)));
}

function hides({ name, enabledTools, disabledTools }: ServerDeclaration, { server, tool }: CallClass): boolean {
  if (name !== server) return false;
  return enabledTools?.includes(tool) === false || disabledTools?.includes(tool) === true;
}

function unusedName(taken: readonly string[]): string {
  let name = 'another_tool';
  for (let count = 2; taken.includes(name); count++) name = `another_tool_${count}`;
  return name;
}

/** A call of a class. Its args match the tool's schema, if there is one. */
export function sampleCallOf({ server, tool, declared }: CallClass, args?: CheckRequest['args']): CheckRequest {
  const sampledArgs = args ?? (declared === undefined ? {} : sampleArgs(declared));
  return server === undefined ? { tool, args: sampledArgs } : { tool, server, args: sampledArgs };
}

/** How messages name a class. */
export function callClassName({ server, tool, isNamed }: CallClass): string {
  if (isNamed) return pairText(server, tool);
  return server === undefined ? 'any other local tool' : `any other tool of ${server}`;
}
