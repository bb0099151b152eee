import type { ToolContext } from './runnable-tool.ts';

/** Room for the note about what was cut. */
const noteBytes = 512;

/** How many bytes of output a tool may produce: its grant, minus room for a note. */
export function outputLimit({ grant }: Pick<ToolContext, 'grant'>, own: number): number {
  const bytes = Math.min(grant.outputBytes ?? own, own);
  return Math.max(bytes - noteBytes, Math.ceil(bytes / 2));
}
