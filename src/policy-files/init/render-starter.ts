/** Renders a starter policy as YAML with comments that explain it. */

import type { JsonValue } from '../../kernel/json.ts';
import { isJsonObject } from '../../kernel/json.ts';
import type { Project } from './project/project.ts';
import {
  decidingRuleName,
  type StarterPolicy,
  type StarterRule,
  type StarterSection,
  type StarterTest,
} from './rules/starter-policy.ts';
import { commentText, yamlText, yamlTexts } from './rules/quote-text.ts';

const lineWidth = 100;

export function renderStarter(policy: StarterPolicy, project: Project): string {
  const lines = [
    ...(project.hasSchema ? ['# yaml-language-server: $schema=./node_modules/bridle/policy.schema.json'] : []),
    ...renderHeading(policy.preset),
    'version: 1',
    '',
    '# The decision about a call that no rule matches.',
    `default: ${policy.default}`,
    '',
    '# No tool gets a path outside these folders, regardless of the rules. Paths are relative to this file.',
    "workspaces: ['.']",
    '',
    ...renderServers(policy, project),
    'rules:',
    ...policy.sections.flatMap(renderSection),
    ...renderTests(policy),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

function renderHeading(preset: string): string[] {
  return [
    `# What an agent may do in this folder. Written by "bridle init" (preset ${preset}); change it as you like.`,
    '#',
    '#   forbid             always wins',
    '#   deny, ask, allow   a rule for a tool by name comes before one for server/*, and that before one for *;',
    '#                      at the same level deny comes before ask, and ask before allow',
    '#   when               a condition in CEL: yes, no, or unknown if Bridle cannot tell',
    '#   unknown: ask       if the condition of a forbid or deny is unknown, ask (without this line: deny);',
    '#                      an allow whose condition is unknown does not count',
    '#',
    '#   bridle test        runs the tests at the end of this file',
    '#   bridle explain     shows which rule decides a call, and why',
    '#   bridle trust       trusts this file; until then, it cannot allow calls with side effects',
    '',
  ];
}

function renderServers({ servers: names }: StarterPolicy, { mcp }: Project): string[] {
  if (names.length === 0) return [];
  return [
    `# MCP servers, as named in ${mcp.map(({ file }) => file).join(', ')}.`,
    'servers:',
    ...names.map((name) => `  - ${yamlText(name)}`),
    '',
  ];
}

function renderSection({ title, text, rules }: StarterSection): string[] {
  const rule = '-'.repeat(Math.max(3, lineWidth - title.length - 8));
  return [
    `  # -- ${commentText(title)} ${rule}`,
    ...text.map((line) => `  # ${line}`.trimEnd()),
    ...rules.flatMap((item) => [...renderRule(item), '']),
  ];
}

function renderRule({ effect, targets, name, reason, when, unknown }: StarterRule): string[] {
  return [
    `  - ${effect}: ${yamlTexts(targets)}`,
    `    name: ${yamlText(name)}`,
    ...(reason === undefined ? [] : [`    reason: ${yamlText(reason)}`]),
    ...(when === undefined ? [] : renderCondition(when)),
    ...(unknown === undefined ? [] : [`    unknown: ${unknown}`]),
  ];
}

function renderCondition(when: readonly string[]): string[] {
  const [only = '', ...more] = when;
  if (more.length === 0) return [`    when: ${yamlText(only)}`];
  return ['    when: |-', ...when.map((line) => `      ${line}`)];
}

function renderTests({ sections, undecided }: StarterPolicy): string[] {
  const ruled = sections.flatMap(({ rules }) =>
    rules.flatMap((rule) => rule.tests.map((test) => renderTest(test, rule))),
  );
  const rest = undecided.map((test) => renderTest(test));
  return [
    '# What the rules above must decide: "bridle test" runs these.',
    'tests:',
    ...ruled,
    ...(rest.length === 0 ? [] : ['  # Decided by the default:', ...rest]),
  ];
}

function renderTest(test: StarterTest, rule?: StarterRule): string {
  const { call, args, expect } = test;
  const name = rule === undefined ? undefined : decidingRuleName(rule, test);
  const decidedBy = name === undefined ? '' : `, rule: ${yamlText(name)}`;
  return `  - { call: ${yamlText(call)}, args: ${renderFlow(args)}, expect: ${expect}${decidedBy} }`;
}

/** A JSON value as YAML on one line. */
function renderFlow(value: JsonValue): string {
  if (typeof value === 'string') return yamlText(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (!isJsonObject(value)) return `[${value.map(renderFlow).join(', ')}]`;
  const fields = Object.entries(value).map(([key, field]) => `${yamlText(key)}: ${renderFlow(field)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}
