/** The rules that a policy file implies besides its own: for the schemas of tools, for servers and for workspaces. */

import { dirname } from 'node:path';
import type { RuleCheckResult } from '../../kernel/call.ts';
import { pairText, quoteName } from '../../kernel/names.ts';
import { issuesText } from '../../kernel/catalog/read-call.ts';
import { lazy } from '../../kernel/lazy.ts';
import { workspaceOnly } from '../../facts/paths/workspace/workspace-only.ts';
import type { CompileOptions } from '../../kernel/policy/compiler/compile-options.ts';
import type { Rule } from '../../kernel/policy/rules/rule.ts';
import { parseTarget } from '../../kernel/policy/rules/target.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { schemaIssues } from '../../tools/json-schema/standard-schema.ts';
import type { PolicyFileTool, PolicyFile } from '../policy-file.ts';
import { acceptedSchema } from '../read/shapes/json-object.ts';
import { targetsOf } from './open-catalog.ts';

/** The name of the rule that enforces a tool's schema. */
export function schemaRuleName(target: string): string {
  return `schema of ${target}`;
}

/**
 * One forbid rule per schema. It checks the args after the tool's own schema and does not change them. Each layer
 * checks separately, so no layer can weaken another.
 */
export function schemaRules({ file, tools }: PolicyFile, { servers = [] }: CompileOptions): readonly Rule[] {
  const names = servers.map((each) => (typeof each === 'string' ? each : each.name));
  return tools.flatMap((tool) => (tool.schema === undefined ? [] : [schemaRule(file, tool, names)]));
}

function schemaRule(file: string, { target, schema = {} }: PolicyFileTool, servers: readonly string[]): Rule {
  const at = `${file}:${target.at.line}`;
  const read = lazy(() => acceptedSchema(schema));
  const named = parseTarget(target.text);
  const server = named.type === 'tool' ? named.server : undefined;
  const isTarget = (tool: ToolDeclaration): boolean => targetsOf(tool).includes(target.text);
  return {
    type: 'rule',
    effect: 'forbid',
    // A rule for an unregistered server is an error, but a declaration of its tools is not.
    target: server === undefined || servers.includes(server) ? named : { type: 'all' },
    name: schemaRuleName(target.text),
    concerns: isTarget,
    check: ({ args, tool: name, server }, tool): RuleCheckResult => {
      if (!isTarget(tool)) return { matched: false };
      const accepted = read();
      const issues = accepted === undefined ? [{ message: 'the schema cannot be used' }] : schemaIssues(accepted, args);
      if (issues.length === 0) return { matched: false };
      const call = quoteName(pairText(server, name));
      return {
        matched: true,
        reason: `The arguments of ${call} do not match the schema in ${at}: ${issuesText(issues)}`,
      };
    },
    // The agent may not have this tool, but a misspelled name should cause a warning.
    optional: true,
    at,
    fingerprint: JSON.stringify(schema),
  };
}

/** Forbids the tools that a file disables, even if the server lists them. */
export function serverRules({ file, servers = [] }: PolicyFile): readonly Rule[] {
  return servers.flatMap(({ name, enabledTools, disabledTools, at }): readonly Rule[] => {
    if (enabledTools === undefined && disabledTools === undefined) return [];
    const disabled = new Set(disabledTools);
    const enabled = enabledTools === undefined ? undefined : new Set(enabledTools);
    return [
      {
        type: 'rule',
        effect: 'forbid',
        target: { type: 'server', server: name },
        name: `tools of ${name}`,
        reason: `The policy disables this tool of the server "${name}"`,
        when: (_args, { tool }) => disabled.has(tool) || (enabled !== undefined && !enabled.has(tool)),
        at: `${file}:${at.line}`,
        fingerprint: JSON.stringify([enabledTools ?? null, disabledTools ?? null]),
      },
    ];
  });
}

/** `path`: the absolute path of the file. Relative workspaces start in its folder. */
export function workspaceRules({ file, workspaces }: PolicyFile, path: string): readonly Rule[] {
  if (workspaces === undefined) return [];
  const [first] = workspaces;
  const rule = workspaceOnly(
    workspaces.map(({ text }) => text),
    { cwd: dirname(path), name: 'workspaces' },
  );
  return [{ ...rule, at: `${file}:${first?.at.line ?? 1}` }];
}
