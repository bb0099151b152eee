/** The schema of a policy file: the reader and `policy.schema.json` come from it. */

import type { Effect } from '../../kernel/call.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { PolicyFile } from '../policy-file.ts';
import { hookModules, locatedPaths } from './shapes/name-shapes.ts';
import { rule } from './shapes/rule.ts';
import { server, tools } from './shapes/servers-and-tools.ts';
import { about, boolean, choice, type Definitions, fields, list, type Shape } from './shapes/shape.ts';
import { test } from './shapes/test.ts';

/** The migrations check the version before anything else is read. */
const version: Shape<1> = { read: () => 1, schema: () => ({ const: 1 }) };

export const policyFileShape = fields<Omit<PolicyFile, 'file' | 'migratedFrom'>>(
  {
    version: about('The version of this format.', version),
    default: about(
      'The decision for a call that no rule matches. Default: deny.',
      choice<Effect>('allow', 'ask', 'deny'),
    ),
    strict: about('If true, findings at load time, such as an unknown tool, are errors.', boolean),
    extends: about(
      'Files of higher layers, relative to this file. Each layer decides on its own; the strictest decision wins.',
      locatedPaths,
      ['../org/bridle.yaml', ['~/.bridle/policy.yaml', '../org/bridle.yaml']],
    ),
    workspaces: about('Folders that path arguments must stay in, relative to this file.', locatedPaths, [
      ['.'],
      ['.', '../shared'],
    ]),
    hooks: about(
      'Modules whose default export is a hook or a list of hooks, relative to this file. They run only if the file and the modules are trusted.',
      hookModules,
      [['./hooks/no-secrets.mjs']],
    ),
    servers: about(
      'The MCP servers that rules may name. If this is given, a rule for another server is an error.',
      list(server, 200),
      [['github', { name: 'files', paths: { read: ['path'] } }]],
    ),
    tools: about("Declarations of tools that don't declare themselves: your own, and those of MCP servers.", tools, [
      { deploy: { tier: 'confirm' }, 'github/search': { tier: 'observe' } },
    ]),
    rules: about(
      'A matching forbid rule denies. Otherwise the most specific target decides, deny before ask before allow; of equal rules the first.',
      list(rule),
    ),
    tests: about('Calls and the decision each must get. `bridle test` runs them.', list(test)),
  },
  { title: 'a policy file', required: { version: 'the version is missing; begin with "version: 1"' } },
);

/** The JSON Schema of a policy file, as `policy.schema.json` contains it. */
export function policyJsonSchema(): JsonObject {
  const definitions: Definitions = {};
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Bridle policy',
    description: 'What an agent may do: rules for tool calls, and tests of the rules.',
    ...policyFileShape.schema(definitions),
    definitions,
  };
}
