import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../contract/cite.ts';
import { runs as count } from '../property-runs.ts';
import { runsQuestion } from './answers.ts';
import { Choices, numbers } from './random/choices.ts';
import { spell } from './random/spelling.ts';

/** An option by every name it has; the short ones without their dash can stand in a cluster. */
interface Named {
  readonly short?: readonly string[];
  readonly long?: readonly string[];
}

interface Sample {
  readonly entry: string;
  /** Before and after the options, with what may stand before a subcommand. */
  readonly words: readonly string[];
  readonly before?: readonly string[];
  /** The options of the entry, and other options that may appear. */
  readonly asked: readonly Named[];
  readonly others: readonly Named[];
  readonly operands: readonly string[];
  /** True: options only come before operands. */
  readonly strict?: boolean;
}

const recursive = { short: ['r', 'R'], long: ['--recursive', '--recursiv', '--rec'] };
const force = { short: ['f'], long: ['--force', '--forc'] };
const verbose = { short: ['v'], long: ['--verbose', '--verb'] };

const samples: readonly Sample[] = [
  {
    entry: 'rm -rf',
    words: ['rm'],
    asked: [recursive, force],
    others: [verbose, { short: ['d'], long: ['--dir'] }],
    operands: ['x', '-'],
  },
  { entry: 'rm --recursive', words: ['rm'], asked: [recursive], others: [force, verbose], operands: ['x', '/'] },
  {
    entry: 'cp -r',
    words: ['cp'],
    asked: [recursive],
    others: [force, { short: ['p'] }, verbose],
    operands: ['a', 'b'],
  },
  {
    entry: 'chmod -R',
    words: ['chmod'],
    asked: [{ short: ['R'], long: ['--recursive', '--recur'] }],
    others: [{ short: ['v'], long: ['--verbose'] }],
    operands: ['u+x', 'f'],
  },
  {
    entry: 'git push --force',
    words: ['git', 'push'],
    before: ['-C sub', '-c a.b=c', '--no-pager', '--git-dir=x', '--git-dir x'],
    asked: [{ short: ['f'], long: ['--force'] }],
    others: [
      { short: ['u'], long: ['--set-upstream'] },
      { short: ['n'], long: ['--dry-run'] },
      { short: ['q'], long: ['--quiet'] },
    ],
    operands: ['origin', 'main'],
  },
  {
    entry: 'git reset --hard',
    words: ['git', 'reset'],
    before: ['-C sub', '-p', '--bare'],
    asked: [{ long: ['--hard', '--har'] }],
    others: [{ short: ['q'], long: ['--quiet'] }],
    operands: ['HEAD~1'],
  },
  {
    entry: 'git commit --no-verify',
    words: ['git', 'commit'],
    before: ['-C sub', '--no-pager'],
    asked: [{ short: ['n'], long: ['--no-verify'] }],
    others: [{ short: ['a'], long: ['--all'] }, { short: ['q'], long: ['--quiet'] }, { long: ['--amend'] }],
    operands: ['f'],
  },
  {
    entry: 'git clean -fd',
    words: ['git', 'clean'],
    before: ['-C sub'],
    asked: [{ short: ['f'], long: ['--force'] }, { short: ['d'] }],
    others: [{ short: ['x'] }, { short: ['q'], long: ['--quiet'] }],
    operands: ['sub'],
  },
  {
    entry: 'curl --insecure',
    words: ['curl'],
    asked: [{ short: ['k'], long: ['--insecure'] }],
    others: [
      { short: ['s'], long: ['--silent'] },
      { short: ['L'], long: ['--location'] },
    ],
    operands: ['https://example.com'],
  },
  {
    entry: 'npm install --global',
    words: ['npm', 'install'],
    asked: [{ short: ['g'], long: ['--global'] }],
    others: [{ long: ['--save-dev'] }, { long: ['--no-audit'] }],
    operands: ['x'],
  },
  {
    entry: 'mkdir -p',
    words: ['mkdir'],
    asked: [{ short: ['p'], long: ['--parents', '--parent'] }],
    others: [verbose],
    operands: ['a', 'b/c'],
  },
  {
    entry: 'sed -i',
    words: ['sed'],
    asked: [{ short: ['i'], long: ['--in-place', '--in-pl'] }],
    others: [
      { short: ['n'], long: ['--quiet', '--silent'] },
      { short: ['E'], long: ['--regexp-extended'] },
    ],
    operands: ['s/a/b/', 'f'],
    strict: true,
  },
];

/** One way to write the command, and whether the entry's options are all there. */
function write(sample: Sample, choices: Choices): { readonly line: string; readonly all: boolean } {
  const given: Named[] = [];
  let all = true;
  for (const option of sample.asked) {
    if (choices.once(5)) all = false;
    else given.push(option);
  }
  for (const option of sample.others) if (choices.once(2)) given.push(option);
  const options = cluster(shuffled(given, choices), choices);
  const operands = sample.operands.slice(0, 1 + choices.below(sample.operands.length));
  const words =
    sample.strict === true || choices.once(2) ? [...options, ...operands] : mixed(options, operands, choices);
  // Words after `--` are never options.
  const tail = choices.once(3) ? ['--', choices.pick('-f', '--force', '-r', '--hard', 'y')] : [];
  const [name = '', ...subcommands] = sample.words;
  const before = sample.before !== undefined && choices.once(2) ? choices.pick('', ...sample.before).split(' ') : [];
  const line = [name, ...before.filter((word) => word !== ''), ...subcommands, ...words, ...tail];
  return { line: line.map((word) => spell(word, choices)).join(' '), all };
}

function shuffled<T>(items: readonly T[], choices: Choices): T[] {
  const rest = [...items];
  const order: T[] = [];
  while (rest.length > 0) order.push(...rest.splice(choices.below(rest.length), 1));
  return order;
}

function cluster(options: readonly Named[], choices: Choices): readonly string[] {
  const words: string[] = [];
  let open = false;
  for (const { short = [], long = [] } of options) {
    const letter = short[choices.below(Math.max(short.length, 1))];
    const name = long[choices.below(Math.max(long.length, 1))];
    if (letter === undefined || (name !== undefined && choices.once(2))) {
      if (name !== undefined) words.push(name);
      open = false;
    } else if (open && choices.once(2)) words.push(`${words.pop() ?? '-'}${letter}`);
    else {
      words.push(`-${letter}`);
      // The rest of `-i` would be its value.
      open = letter !== 'i';
    }
  }
  return words;
}

/** Interleaves both lists, keeping the order of each. */
function mixed(options: readonly string[], operands: readonly string[], choices: Choices): readonly string[] {
  const [left, right] = [[...options], [...operands]];
  const words: string[] = [];
  while (left.length + right.length > 0) {
    const next = (right.length === 0 || (left.length > 0 && choices.once(2)) ? left : right).shift();
    if (next !== undefined) words.push(next);
  }
  return words;
}

describe('options', () => {
  it.each(samples)(proves('X07')('are compared by meaning: $entry'), (sample) => {
    const question = runsQuestion(sample.entry);
    fc.assert(
      fc.property(numbers(60), (chosen) => {
        const { line, all } = write(sample, new Choices(chosen));
        expect(`${question(line)}: ${line}`).toBe(`${all ? 'yes' : 'no'}: ${line}`);
      }),
      { numRuns: count(500) },
    );
  });
});
