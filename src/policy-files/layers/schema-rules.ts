/** Compiles the schemas of a policy file to rules that forbid arguments that do not match. */

import type { RuleCheckResult } from '../../kernel/call.ts';
import { pairText, quoteName } from '../../kernel/names.ts';
import { issuesText } from '../../kernel/catalog/read-call.ts';
import { lazy } from '../../kernel/lazy.ts';
import type { Rule } from '../../kernel/policy/rules/rule.ts';
import { parseTarget } from '../../kernel/policy/rules/target.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { schemaIssues } from '../../tools/json-schema/standard-schema.ts';
import type { PolicyFileTool, PolicyFile } from '../policy-file.ts';
import { acceptedSchema } from '../read/shapes/json-object.ts';
import type { CompileContext } from './compile-context.ts';

/** The name of the rule that enforces a tool's schema. */
export function schemaRuleName(target: string): string {
  return `schema of ${target}`;
}

/**
 * One forbid rule per schema. It checks the args after the tool's own schema and does not change them. Each layer
 * checks separately, so no layer can weaken another.
 */
export function schemaRules({ file, tools }: PolicyFile, context: CompileContext): readonly Rule[] {
  return tools.flatMap((tool) => (tool.schema === undefined ? [] : [schemaRule(file, { ...tool, ...context })]));
}

function schemaRule(file: string, { target, schema = {}, options }: PolicyFileTool & CompileContext): Rule {
  const at = `${file}:${target.at.line}`;
  const read = lazy(() => acceptedSchema(schema));
  const named = parseTarget(target.text);
  const server = named.type === 'tool' ? named.server : undefined;
  const servers = (options.servers ?? []).map((each) => (typeof each === 'string' ? each : each.name));
  const isTarget = (tool: ToolDeclaration): boolean => namesOf(tool).includes(target.text);
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

function namesOf({ server, name, aliases }: ToolDeclaration): readonly string[] {
  return [name, ...(aliases?.names ?? [])].map((each) => pairText(server, each));
}
