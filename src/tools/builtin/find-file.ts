import { BridleError, messageOf } from '../../kernel/errors.ts';
import { utf8Length } from '../../kernel/json.ts';
import { checkedFolder, staysInFolder } from '../files/checked-argument.ts';
import { visibleName } from './list-directory.ts';
import { GlobAutomaton } from '../../facts/paths/globs/glob-automaton.ts';
import { type GlobAlternative, readGlob } from '../../facts/paths/globs/glob.ts';
import { foldCase } from '../../facts/paths/globs/name-pattern.ts';
import { type RipgrepOptions, searchFiles } from '../search/search-files.ts';
import { kib, outputLimit, type ToolContext } from '../definition/runnable-tool.ts';

const maxFound = 10_000;
/** The names in all alternatives of a pattern: each costs time for every name of every path. */
const maxPatternNames = 512;

interface FindArgs {
  readonly directory_path: string;
  readonly query: string;
}

export function findFile(options: RipgrepOptions): (args: FindArgs, context: ToolContext) => Promise<string> {
  return async ({ directory_path, query }, context) => {
    if (query.includes('\0')) throw new BridleError('TOOL_FAILED', 'The query contains a NUL character.');
    const folder = checkedFolder('directory_path', directory_path, context);
    const fits = fileNameMatcher(query);
    const found: string[] = [];
    const take = (name: string): boolean => !fits(name) || found.push(name) <= maxFound;
    const notes = await searchFiles({ folder, signal: context.signal, take }, options);
    return [listFound(found.filter(staysInFolder(folder)), outputLimit(context, 64 * kib)), ...notes].join('\n');
  };
}

/**
 * A pattern with `*`, `?`, `[…]` or `{a,b}` must match the whole name, or the whole path if it contains a slash. Any
 * other text must be part of the name. Ignores case.
 */
export function fileNameMatcher(query: string): (path: string) => boolean {
  const wanted = foldCase(query);
  const subject = (path: string): string =>
    foldCase(wanted.includes('/') ? path : path.slice(path.lastIndexOf('/') + 1));
  if (!/[*?[{]/.test(wanted)) return (path) => subject(path).includes(wanted);
  const patterns = readPattern(wanted).map(({ parts }) => ({ base: [], parts, isCertain: true }));
  if (patterns.reduce((sum, { parts }) => sum + parts.length, 0) > maxPatternNames) {
    throw new BridleError('TOOL_FAILED', 'The pattern has too many alternatives, or is too long.');
  }
  // Exact, because pattern and names are folded already.
  const automaton = new GlobAutomaton(patterns, false);
  return (path) => automaton.stateAfter(subject(path).split('/')).fits;
}

/** Always a pattern below the folder: `~` and a leading slash have no meaning here. */
function readPattern(wanted: string): readonly GlobAlternative[] {
  try {
    return readGlob(`./${wanted.replace(/^\.?\/+/, '')}`).filter(({ up }) => up === 0);
  } catch (error) {
    throw new BridleError('TOOL_FAILED', messageOf(error).replace('"./', '"'), { cause: error });
  }
}

function listFound(found: readonly string[], bytes: number): string {
  if (found.length === 0) return 'No file was found.';
  let left = bytes;
  const names = found.slice(0, maxFound).toSorted().map(visibleName);
  const shown = names.filter((name) => (left -= utf8Length(name.toWellFormed()) + 1) >= 0);
  const missing = found.length - shown.length;
  const atLeast = found.length > maxFound ? ' or more' : '';
  return [...shown, ...(missing === 0 ? [] : [`[${missing}${atLeast} further files are not shown]`])].join('\n');
}
