import { pairText } from '../catalog/names.ts';
import type { JsonObject } from '../json.ts';
import { readTarget } from '../policy/target.ts';
import type { StandardSchema, ToolDeclaration } from '../tool.ts';
import type { PolicyFileRead } from './policy-files.ts';

/** The given tools, and those that only files tell of. */
export function declaredTools(
  given: readonly ToolDeclaration[],
  files: readonly Pick<PolicyFileRead, 'document'>[],
): readonly ToolDeclaration[] {
  const known = new Set(given.flatMap(targetsOf));
  const told = new Map<string, ToolDeclaration>();
  for (const { target, args, paths, touches, tier, schema } of files.flatMap(({ document }) => document.tools)) {
    const read = readTarget(target.text);
    if (read.type !== 'tool' || known.has(target.text)) continue;
    told.set(target.text, {
      name: read.tool,
      server: read.server,
      tier,
      args,
      paths,
      touches,
      schema: schema && describing(schema),
    });
  }
  return [...given, ...told.values()];
}

function targetsOf({ name, server, aliases }: ToolDeclaration): readonly string[] {
  return [name, ...(aliases?.names ?? [])].map((each) => pairText(server, each));
}

/** Describes the arguments without validating them: the rules of the file that gives a schema enforce it. */
export function describing(schema: JsonObject): StandardSchema {
  return {
    '~standard': {
      version: 1,
      vendor: 'bridle',
      validate: (value) => ({ value }),
      jsonSchema: { input: () => schema, output: () => schema },
    },
  };
}
