/** The tools of a policy: those that are given, those that its files declare, and any other name. */

import { pairText } from '../../kernel/names.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { parseTarget } from '../../kernel/policy/rules/target.ts';
import type { StandardSchema, ToolDeclaration, ServerDeclaration } from '../../kernel/tool.ts';
import type { PolicyFileOnDisk } from '../read/read-policy-files.ts';
import { anyTool, Catalog, type ToolLookup } from '../../kernel/catalog/catalog.ts';

/**
 * A catalog for a policy whose tools are not all known. Declared tools are found as usual; any other valid name is a
 * tool without declarations.
 */
export class OpenCatalog extends Catalog {
  constructor(
    tools: readonly ToolDeclaration[],
    servers: readonly ServerDeclaration[],
    /** Servers whose tools are all in `tools`. Default: all servers. */
    private readonly listedServers?: ReadonlySet<string | undefined>,
  ) {
    super(tools, servers);
  }

  /**
   * If a server has not listed its tools, the files declare only some of them, so an unknown name is not suspicious.
   */
  override knownNames(server: string | undefined): readonly string[] {
    return server !== undefined && this.listedServers?.has(server) === false ? [] : super.knownNames(server);
  }

  override find(server: string | undefined, name: string): ToolLookup {
    const declared = this.resolveTool(server, name);
    return declared === undefined ? anyTool.find(server, name) : super.find(server, name);
  }
}

/** The given tools, plus those that only the files declare. */
export function declaredTools(
  given: readonly ToolDeclaration[],
  files: readonly Pick<PolicyFileOnDisk, 'policyFile'>[],
): readonly ToolDeclaration[] {
  const described = files.flatMap(({ policyFile }) => policyFile.tools);
  if (described.length === 0) return given;
  const givenTargets = new Set(given.flatMap(targetsOf));
  const declared = new Map<string, ToolDeclaration>();
  for (const { target, args, paths, touches, tier, schema } of described) {
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

/** How rules can name a tool: by its name or an alias. */
export function targetsOf({ name, server, aliases }: ToolDeclaration): readonly string[] {
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
