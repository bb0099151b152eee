/** Shows a call to a person: the complete final call, without invisible characters, and every cut is marked. */

import type { ShownArgument, ShownCall } from '../../approval.ts';
import type { CheckedPath, ToolCall } from '../../call.ts';
import { pairText } from '../../names.ts';
import type { JsonValue } from '../../json.ts';

/** Longer arguments are cut, except for commands. */
const shownLength = 2000;

/** Characters that are invisible or change how others are displayed, and the bracket that marks them. */
const unseen = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u{2800}\u{16FE4}\u{1D159}⟨]/gu;

const named: Readonly<Record<string, string>> = { '\n': '⟨newline⟩\n', '\t': '⟨tab⟩', '\r': '⟨return⟩' };

/** Text with every invisible character written as ⟨U+…⟩. ⟨ itself is escaped too, so that text cannot fake the mark. */
export function makeVisible(text: string): string {
  const seen = text.replaceAll(unseen, (unit) => {
    const code = unit.codePointAt(0) ?? 0;
    return named[unit] ?? `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
  // Trailing spaces are invisible.
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
  // The tool gets the resolved path, which may differ from the given one.
  const leads = paths
    .filter(({ given, path }) => given !== path)
    .map(({ given, path }) => `  ${continued(makeVisible(given))} resolves to ${continued(makeVisible(path))}`);
  const where = call.cwd === undefined ? [] : [`  in ${continued(makeVisible(call.cwd))}`];
  return Object.freeze({ title, args: Object.freeze(args), text: [title, ...lines, ...where, ...leads].join('\n') });
}

/** A line of an argument must not look like another argument. */
function continued(text: string): string {
  return text.replaceAll('\n', '\n    │ ');
}

function showArgument(name: string, value: JsonValue, isComplete: boolean): ShownArgument {
  const full = typeof value === 'string' ? makeVisible(value) : showData(value);
  const text = isComplete ? full : cutShown(full);
  return Object.freeze({ name: showName(name), text, missing: full.length - text.length, full });
}

/** Indented JSON. Line breaks in strings are escaped, so the remaining ones are only layout. */
function showData(value: JsonValue): string {
  return JSON.stringify(value, undefined, 2).split('\n').map(makeVisible).join('\n');
}

/** A name that could be mistaken for a name and a value is quoted. */
function showName(name: string): string {
  return makeVisible(/^[\p{L}\p{N}_.$-]+$/u.test(name) ? name : JSON.stringify(name));
}

/** Cuts between characters, never inside a surrogate pair. */
function cutShown(full: string): string {
  const cut = full.slice(0, shownLength);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}
