/** The entries of Bridle in a settings file of Claude Code. */

import type { JsonObject } from '../../kernel/json.ts';
import type { EventKind, HookCommand } from '../settings/host-settings.ts';

export const claudeEvents: Readonly<Record<string, EventKind>> = {
  PreToolUse: 'gate',
  PostToolUse: 'gate',
  PostToolUseFailure: 'gate',
  UserPromptSubmit: 'gate',
  ConfigChange: 'gate',
  SessionStart: 'note',
  SessionEnd: 'note',
  Stop: 'note',
  PreCompact: 'note',
  PostCompact: 'note',
};

/** With `args`, Claude Code starts the program without a shell. Its time limits are in seconds. */
export function claudeEntry(
  event: string,
  kind: EventKind,
  { wrapper, limitSeconds, observe }: HookCommand,
): JsonObject {
  const failClosed: JsonObject = kind === 'gate' && !observe ? { onFailure: 'block' } : {};
  const hook = { type: 'command', command: wrapper, args: [kind], timeout: limitSeconds, ...failClosed };
  return { ...(event.includes('ToolUse') ? { matcher: '*' } : {}), hooks: [hook] };
}
