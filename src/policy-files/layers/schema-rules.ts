/** The schemas of a policy file as rules: args that do not fit are refused, whatever other rules say. */

import type { Finding } from '../../kernel/call.ts';
import { pairText, quoteName } from '../../kernel/names.ts';
import { issuesText } from '../../kernel/catalog/read-call.ts';
import { lazy } from '../../kernel/lazy.ts';
import type { Rule } from '../../kernel/policy/rules/rule.ts';
import { parseTarget } from '../../kernel/policy/rules/target.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { schemaIssues } from '../../tools/json-schema/standard-schema.ts';
import type { PolicyFileTool, PolicyFile } from '../policy-file.ts';
import { acceptedSchema } from '../read/fields/argument-schema.ts';
import type { CompileContext } from './compile-context.ts';

/** What decisions call the rule that enforces the schema of a tool. */
export function schemaRuleName(target: string): string {
  return `schema of ${target}`;
}

/**
 * One forbid rule for each schema. It sees the args as the tool's own schema gives them, and changes nothing about
 * them: each layer checks alone, so no layer can weaken what another one refuses.
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
    // A rule for a server that nobody has registered is an error, and what a file tells of its tools is none.
    target: server === undefined || servers.includes(server) ? named : { type: 'all' },
    name: schemaRuleName(target.text),
    concerns: isTarget,
    check: ({ args, tool: name, server: home }, tool): Finding => {
      if (!isTarget(tool)) return { matched: false };
      const accepted = read();
      const issues = accepted === undefined ? [{ message: 'the schema cannot be used' }] : schemaIssues(accepted, args);
      if (issues.length === 0) return { matched: false };
      const call = quoteName(pairText(home, name));
      return { matched: true, reason: `The args of ${call} do not fit the schema in ${at}: ${issuesText(issues)}` };
    },
    // A tool that this agent does not have needs no schema, but a misspelled one is worth a warning.
    optional: true,
    at,
    fingerprint: JSON.stringify(schema),
  };
}

function namesOf({ server, name, aliases }: ToolDeclaration): readonly string[] {
  return [name, ...(aliases?.names ?? [])].map((each) => pairText(server, each));
}
