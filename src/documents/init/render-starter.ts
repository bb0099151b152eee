/** The text of a starter policy: a file that explains itself. */

import type { JsonValue } from '../../json.ts';
import { isJsonObject } from '../../json.ts';
import type { Project } from './project.ts';
import {
  decidedName,
  type StarterPolicy,
  type StarterRule,
  type StarterSection,
  type StarterTest,
} from './starter-policy.ts';
import { commentText, yamlText, yamlTexts } from './starter-text.ts';

const lineWidth = 100;

export function renderStarter(policy: StarterPolicy, project: Project): string {
  const lines = [
    ...(project.hasSchema ? ['# yaml-language-server: $schema=./node_modules/bridle/policy.schema.json'] : []),
    ...heading(policy.preset),
    'version: 1',
    '',
    '# The decision about a call that no rule matches.',
    `default: ${policy.default}`,
    '',
    '# No tool gets a path outside these folders, whatever the rules say. Paths are relative to this file.',
    "workspaces: ['.']",
    '',
    ...servers(policy, project),
    'rules:',
    ...policy.sections.flatMap(section),
    ...tests(policy),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

function heading(preset: string): string[] {
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
    '#   bridle trust       trusts this file; until then, it can only make decisions stricter',
    '',
  ];
}

function servers({ servers: names }: StarterPolicy, { mcp }: Project): string[] {
  if (names.length === 0) return [];
  return [
    `# MCP servers, as named in ${mcp.map(({ file }) => file).join(', ')}.`,
    'servers:',
    ...names.map((name) => `  - ${yamlText(name)}`),
    '',
  ];
}

function section({ title, text, rules }: StarterSection): string[] {
  const rule = '-'.repeat(Math.max(3, lineWidth - title.length - 8));
  return [
    `  # -- ${commentText(title)} ${rule}`,
    ...text.map((line) => `  # ${line}`.trimEnd()),
    ...rules.flatMap((item) => [...oneRule(item), '']),
  ];
}

function oneRule({ effect, targets, name, reason, when, unknown }: StarterRule): string[] {
  return [
    `  - ${effect}: ${yamlTexts(targets)}`,
    `    name: ${yamlText(name)}`,
    ...(reason === undefined ? [] : [`    reason: ${yamlText(reason)}`]),
    ...(when === undefined ? [] : condition(when)),
    ...(unknown === undefined ? [] : [`    unknown: ${unknown}`]),
  ];
}

function condition(when: readonly string[]): string[] {
  const [only = '', ...more] = when;
  if (more.length === 0) return [`    when: ${yamlText(only)}`];
  return ['    when: |-', ...when.map((line) => `      ${line}`)];
}

function tests({ sections, undecided }: StarterPolicy): string[] {
  const ruled = sections.flatMap(({ rules }) => rules.flatMap((rule) => rule.tests.map((test) => oneTest(test, rule))));
  const rest = undecided.map((test) => oneTest(test));
  return [
    '# What the rules above must decide: "bridle test" runs these.',
    'tests:',
    ...ruled,
    ...(rest.length === 0 ? [] : ['  # Decided by the default:', ...rest]),
  ];
}

function oneTest(test: StarterTest, rule?: StarterRule): string {
  const { call, args, expect } = test;
  const name = rule === undefined ? undefined : decidedName(rule, test);
  const decidedBy = name === undefined ? '' : `, rule: ${yamlText(name)}`;
  return `  - { call: ${yamlText(call)}, args: ${flow(args)}, expect: ${expect}${decidedBy} }`;
}

/** A JSON value on one line, its texts as YAML likes them. */
function flow(value: JsonValue): string {
  if (typeof value === 'string') return yamlText(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (!isJsonObject(value)) return `[${value.map(flow).join(', ')}]`;
  const fields = Object.entries(value).map(([key, field]) => `${yamlText(key)}: ${flow(field)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}
