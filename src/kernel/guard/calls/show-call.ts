/** What a person is shown: the whole final call, nothing invisible, nothing cut without saying so. */

import type { ShownArgument, ShownCall } from '../../approval.ts';
import type { CheckedPath, ToolCall } from '../../call.ts';
import { pairText } from '../../names.ts';
import type { JsonValue } from '../../json.ts';

/** Longer arguments are cut, except commands. */
const shownLength = 2000;

/** Everything that draws nothing or changes how its neighbours are drawn, and the bracket used to spell it out. */
const unseen = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u{2800}\u{16FE4}\u{1D159}⟨]/gu;

const named: Readonly<Record<string, string>> = { '\n': '⟨newline⟩\n', '\t': '⟨tab⟩', '\r': '⟨return⟩' };

/** Text with every character that cannot be seen spelled out as ⟨U+…⟩; ⟨ itself is too, so nothing can pretend. */
export function makeVisible(text: string): string {
  const seen = text.replaceAll(unseen, (unit) => {
    const code = unit.codePointAt(0) ?? 0;
    return named[unit] ?? `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
  // Blanks are seen only where something follows them.
  let end = seen.length;
  while (seen[end - 1] === ' ') end--;
  return seen.slice(0, end) + '⟨U+0020⟩'.repeat(seen.length - end);
}

export function showCall(call: ToolCall, commands: readonly string[], paths: readonly CheckedPath[] = []): ShownCall {
  const title = makeVisible(pairText(call.server, call.tool));
  const args = Object.entries(call.args).map(([name, value]) => showArgument(name, value, commands.includes(name)));
  const lines = args.map(({ name, text, missing }) => {
    const cut = missing === 0 ? '' : `… [${missing} more characters]`;
    return `  ${name}: ${continued(text)}${cut}`;
  });
  // The tool gets what a path leads to, and that can be elsewhere than it looks.
  const leads = paths
    .filter(({ given, path }) => given !== path)
    .map(({ given, path }) => `  ${continued(makeVisible(given))} leads to ${continued(makeVisible(path))}`);
  const where = call.cwd === undefined ? [] : [`  in ${continued(makeVisible(call.cwd))}`];
  return Object.freeze({ title, args: Object.freeze(args), text: [title, ...lines, ...where, ...leads].join('\n') });
}

/** A line of an argument must not look like an argument of its own. */
function continued(text: string): string {
  return text.replaceAll('\n', '\n    │ ');
}

function showArgument(name: string, value: JsonValue, isComplete: boolean): ShownArgument {
  const full = typeof value === 'string' ? makeVisible(value) : showData(value);
  const text = isComplete ? full : cutShown(full);
  return Object.freeze({ name: showName(name), text, missing: full.length - text.length, full });
}

/** Data, laid out. Line breaks inside its texts are escaped, so those that are left are only layout. */
function showData(value: JsonValue): string {
  return JSON.stringify(value, undefined, 2).split('\n').map(makeVisible).join('\n');
}

/** A name that could be taken for a name and a value stands in quotes. */
function showName(name: string): string {
  return makeVisible(/^[\p{L}\p{N}_.$-]+$/u.test(name) ? name : JSON.stringify(name));
}

/** Cut between characters, never inside one. */
function cutShown(full: string): string {
  const cut = full.slice(0, shownLength);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}
