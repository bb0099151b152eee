import { anyTool, Catalog, type ToolLookup } from '../../kernel/catalog/catalog.ts';
import type { ServerDeclaration, ToolDeclaration } from '../../kernel/tool.ts';

/**
 * A catalog for asking about calls where nobody knows all tools: what is declared is found as usual, every other
 * well-formed name is a tool that declares nothing.
 */
export class OpenCatalog extends Catalog {
  constructor(
    tools: readonly ToolDeclaration[],
    servers: readonly ServerDeclaration[],
    /** Servers whose tools are all among `tools`; all servers if not given. */
    private readonly listedServers?: ReadonlySet<string | undefined>,
  ) {
    super(tools, servers);
  }

  /** Of a server that has listed nothing, files describe some tools only: that is no reason to doubt the others. */
  override knownNames(server: string | undefined): readonly string[] {
    return server !== undefined && this.listedServers?.has(server) === false ? [] : super.knownNames(server);
  }

  override find(server: string | undefined, name: string): ToolLookup {
    const declared = this.resolveTool(server, name);
    return declared === undefined ? anyTool.find(server, name) : super.find(server, name);
  }
}
