/** What a person is shown: the whole final call, nothing invisible, nothing cut without saying so. */

import type { ShownArgument, ShownCall } from '../approval.ts';
import type { ToolCall } from '../call.ts';
import { pairText } from '../catalog/names.ts';
import type { JsonValue } from '../json.ts';

/** Longer arguments are cut, except commands. */
const shownLength = 2000;

/** Everything that draws nothing or changes how its neighbours are drawn, and the bracket used to spell it out. */
const unseen = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u{2800}⟨]/gu;

const named: Readonly<Record<string, string>> = { '\n': '⟨newline⟩\n', '\t': '⟨tab⟩', '\r': '⟨return⟩' };

/** Text with every character that cannot be seen spelled out as ⟨U+…⟩; ⟨ itself is too, so nothing can pretend. */
export function makeVisible(text: string): string {
  return text.replaceAll(unseen, (unit) => {
    const code = unit.codePointAt(0) ?? 0;
    return named[unit] ?? `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}

export function showCall(call: ToolCall, commands: readonly string[]): ShownCall {
  const title = makeVisible(pairText(call.server, call.tool));
  const args = Object.entries(call.args).map(([name, value]) => showArgument(name, value, commands.includes(name)));
  const lines = args.map(({ name, text, missing }) => {
    const cut = missing === 0 ? '' : `… [${missing} more characters]`;
    return `  ${name}: ${text}${cut}`;
  });
  return Object.freeze({ title, args, text: [title, ...lines].join('\n') });
}

function showArgument(name: string, value: JsonValue, whole: boolean): ShownArgument {
  const full = makeVisible(typeof value === 'string' ? value : JSON.stringify(value, undefined, 2));
  const text = whole ? full : full.slice(0, shownLength).toWellFormed();
  return Object.freeze({ name: makeVisible(name), text, missing: full.length - text.length, full });
}
