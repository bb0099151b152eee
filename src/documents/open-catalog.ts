import { anyTool, Catalog, type Found } from '../catalog/catalog.ts';
import type { ServerDeclaration, ToolDeclaration } from '../tool.ts';

/**
 * A catalog for asking about calls where nobody knows all tools: what is declared is found as usual, every other
 * well-formed name is a tool that declares nothing.
 */
export class OpenCatalog extends Catalog {
  constructor(
    tools: readonly ToolDeclaration[],
    servers: readonly ServerDeclaration[],
    /** Servers whose tools are all among `tools`; all servers if not given. */
    private readonly listed?: ReadonlySet<string | undefined>,
  ) {
    super(tools, servers);
  }

  /** Of a server that has listed nothing, files describe some tools only: that is no reason to doubt the others. */
  override known(server: string | undefined): readonly string[] {
    return server !== undefined && this.listed?.has(server) === false ? [] : super.known(server);
  }

  override find(server: string | undefined, name: string): Found {
    const declared = this.canonical(server, name);
    return declared === undefined ? anyTool.find(server, name) : super.find(server, name);
  }
}
