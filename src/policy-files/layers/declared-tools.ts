import { pairText } from '../../kernel/names.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { parseTarget } from '../../kernel/policy/rules/target.ts';
import type { StandardSchema, ToolDeclaration } from '../../kernel/tool.ts';
import type { PolicyFileOnDisk } from '../read/read-policy-files.ts';

/** The given tools, plus those that only the files declare. */
export function declaredTools(
  given: readonly ToolDeclaration[],
  files: readonly Pick<PolicyFileOnDisk, 'policyFile'>[],
): readonly ToolDeclaration[] {
  const givenTargets = new Set(given.flatMap(targetsOf));
  const declared = new Map<string, ToolDeclaration>();
  for (const { target, args, paths, touches, tier, schema } of files.flatMap(({ policyFile }) => policyFile.tools)) {
    const read = parseTarget(target.text);
    if (read.type !== 'tool' || givenTargets.has(target.text)) continue;
    declared.set(target.text, {
      name: read.tool,
      server: read.server,
      tier,
      args,
      paths,
      touches,
      schema: schema && descriptiveSchema(schema),
    });
  }
  return [...given, ...declared.values()];
}

function targetsOf({ name, server, aliases }: ToolDeclaration): readonly string[] {
  return [name, ...(aliases?.names ?? [])].map((each) => pairText(server, each));
}

/** A schema that describes arguments without validating them. The rules of the file that declares it enforce it. */
export function descriptiveSchema(schema: JsonObject): StandardSchema {
  return {
    '~standard': {
      version: 1,
      vendor: 'bridle',
      validate: (value) => ({ value }),
      jsonSchema: { input: () => schema, output: () => schema },
    },
  };
}
