/**
 * Resolves the folder a command runs in when there is no workspace rule: the approver sees the real path, an answer
 * counts for that path only, and a link that is changed in the meantime is noticed (W06).
 */

import type { ToolDeclaration } from '../../../kernel/tool.ts';
import { type WorkspaceRule, workspaceOnly } from './workspace-only.ts';

/** Forbids a call only if the folder of its command cannot be resolved. */
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
