import { anyTool, Catalog, type ToolLookup } from '../../kernel/catalog/catalog.ts';
import type { ServerDeclaration, ToolDeclaration } from '../../kernel/tool.ts';

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
