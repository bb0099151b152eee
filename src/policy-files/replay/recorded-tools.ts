/** The tools of recorded calls. */

import type { ToolDeclaration } from '../../kernel/tool.ts';
import { declareBuiltins } from '../../tools/declare-builtins.ts';

/** Calls of coding agents have arguments that the tools of Bridle's own agents do not have. */
export function recordedTools(): readonly ToolDeclaration[] {
  return declareBuiltins().map(({ schema: _schema, args: _args, ...tool }) => {
    if (tool.name !== 'create_file' && tool.name !== 'edit_file') return tool;
    const { reads = [], writes = [] } = tool.touches ?? {};
    const several = ['file_paths'];
    const touches = { ...tool.touches, reads: [...reads, ...several], writes: [...writes, ...several] };
    return { ...tool, paths: [...(tool.paths ?? []), ...several], touches };
  });
}
