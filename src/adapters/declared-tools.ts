/** The declarations of a framework's tools. A tool that was renamed since is another tool: rules go by names. */

import type { ToolDeclaration } from '../kernel/tool.ts';

export class DeclaredTools<Tool extends object> {
  private readonly known = new WeakMap<Tool, { readonly name: string; readonly declaration: ToolDeclaration }>();

  constructor(private readonly nameOf: (tool: Tool) => string) {}

  get(tool: Tool): ToolDeclaration | undefined {
    const known = this.known.get(tool);
    return known?.name === this.nameOf(tool) ? known.declaration : undefined;
  }

  set(tool: Tool, declaration: ToolDeclaration): void {
    this.known.set(tool, { name: this.nameOf(tool), declaration });
  }
}
