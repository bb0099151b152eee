/**
 * Follows the folder a command is to run in where no workspace does: it is shown as where it leads, an answer counts for
 * that place alone, and a link that is turned elsewhere meanwhile is noticed (W06).
 */

import type { ToolDeclaration } from '../../../kernel/tool.ts';
import { type WorkspaceRule, workspaceOnly } from './workspace-only.ts';

/** Forbids nothing but a folder of which nobody can tell where it is. */
export function commandFolders(): WorkspaceRule {
  const anywhere = workspaceOnly(['/'], { name: 'command_folders', cwd: '/' });
  return Object.freeze<WorkspaceRule>({
    ...anywhere,
    check: (call, tool) => (concerns(tool) ? anywhere.check(call, tool) : { matched: false }),
    concerns,
    review: () => [],
  });
}

function concerns({ touches = {}, paths = [] }: ToolDeclaration): boolean {
  return touches.folder !== undefined && paths.includes(touches.folder);
}
