/** Arguments that a package manager passes to a script of the project. These are harmless, whatever the script runs. */

import { readPassedSource } from './source-argument.ts';
import type { FolderReach, ValueRole } from '../usage/value-role.ts';
import type { ShellWord } from '../words/shell-word.ts';
import { prefixOf } from '../words/inspect-word.ts';

/**
 * Options that filter, report, repeat or fix in every test runner, linter and formatter that has them. None takes a
 * file that is run or written, so a path may follow.
 */
const flags: ReadonlySet<string> = words(`--run --watch --no-watch --watchAll --coverage --no-coverage --no-cov --ci
  --verbose --silent --quiet --bail --fail-fast --failfast --maxfail --exitfirst --runInBand --run-in-band
  --passWithNoTests --pass-with-no-tests --updateSnapshot --update-snapshots --exact --ignored --include-ignored
  --nocapture --no-capture --show-output --test-threads --list --no-color --maxWorkers --max-workers --workers --threads
  --retries --retry --timeout --testTimeout --detectOpenHandles --forceExit --exit --changed --onlyChanged --lf
  --last-failed --durations --fix --fix-dry-run --write --check --list-different --max-warnings --noEmit --pretty
  --dry-run --help --version --headed --headless`);
/** The same, with a text or name in the same word. */
const filters: ReadonlySet<string> = words(`--testNamePattern --test-name-pattern --testPathPattern --testPathPatterns
  --grep --fgrep --filter --only --cov --tb --color --colors --shard`);

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/u));
}

/** Reporters built into the runners. Any other name may be a file. */
const reporters =
  /^--reporters?=(?:default|basic|verbose|dot|line|list|spec|min|tap|tap-flat|json|junit|progress|summary)$/u;
/** Not an option or a path upwards, and nothing that git or a shell treats as more than a name. */
const plainText = /^(?![-/~])(?!.*\.\.)[\w ./,:@|-]*$/u;
/**
 * Letters for: verbose, quiet, a filter, a number of jobs, stop at the first failure, update snapshots. Not `-i`, which
 * makes interpreters read code from standard input.
 */
const letters = /^-[bgjkqstuvwxh]+\d*$/u;

interface ScriptArgument {
  readonly word: ShellWord;
  readonly role: ValueRole;
  readonly reach: FolderReach | undefined;
  readonly harmless: boolean;
}

/** Undefined: a path, or a text that is just as harmless. */
export function readScriptArgument(word: ShellWord): ScriptArgument | undefined {
  if (isOption(word)) return { word, role: 'text', reach: undefined, harmless: true };
  const text = prefixOf(word);
  // `NAME=value` may set a variable, and `@file` may read options.
  const isPlain = /^[\w./*[{(^"':]/u.test(text) && !/^[^/]*=/u.test(text);
  return isPlain ? readPassedSource(word) : { word, role: 'harmful', reach: undefined, harmless: false };
}

function isOption(word: ShellWord): boolean {
  if (word.type === 'open') return false;
  const { value } = word;
  if (value === '--' || reporters.test(value) || letters.test(value)) return true;
  const [name = '', ...rest] = value.split('=');
  if (filters.has(name)) return rest.length === 0 || plainText.test(rest.join('='));
  return flags.has(name) && (rest.length === 0 || /^(?:true|false|\d{1,9}%?)$/u.test(rest.join('=')));
}
