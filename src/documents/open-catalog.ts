import { anyTool, Catalog, type Found } from '../catalog/catalog.ts';

/**
 * A catalog for asking about calls where nobody knows all tools: what is declared is found as usual, every other
 * well-formed name is a tool that declares nothing.
 */
export class OpenCatalog extends Catalog {
  override find(server: string | undefined, name: string): Found {
    const declared = this.canonical(server, name);
    return declared === undefined ? anyTool.find(server, name) : super.find(server, name);
  }
}
