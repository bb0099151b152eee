/** Files made to hang or to crash a reader: each is refused, or read, soon. */

import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { someOf } from '../../../test/property-runs.ts';
import { BridleError } from '../../kernel/errors.ts';
import { parsePolicyFile } from './parse-policy-file.ts';

const mib = 1024 * 1024;
/** Ten times what is promised. */
const hanging = 20_000;

/** What the reader says first about a file, or `taken`. */
function answerTo(text: string, file = 'bridle.yaml'): string {
  try {
    parsePolicyFile(text, file);
    return 'taken';
  } catch (error) {
    if (error instanceof BridleError && error.code === 'POLICY_FILE') return error.problems[0] ?? '';
    throw error;
  }
}

function fill(unit: string, { head = '', tail = '' } = {}): string {
  return head + unit.repeat(Math.floor((mib - head.length - tail.length) / unit.length)) + tail;
}

function numbered(unit: (index: number) => string, { head = '', tail = '' } = {}): string {
  let text = head;
  for (let i = 0; text.length + tail.length + unit(i).length <= mib; i++) text += unit(i);
  return text + tail;
}

const version = 'version: 1\n';
const rules = `${version}rules:\n`;
const when = `${rules}  - allow: a\n    when: `;
const tests = `${version}tests:\n  - call: a\n    expect: deny\n    args: `;

const yaml: Readonly<Record<string, string>> = {
  'open brackets': fill('['),
  'open braces': fill('{'),
  'open mappings in braces': fill('{a: '),
  'JSON without an end': fill('{"a":'),
  'dashes in a line': fill('- '),
  'dashes in a column': fill('-\n'),
  'question marks': fill('? '),
  colons: fill(': '),
  'mappings in mappings': fill('a: b: c\n'),
  stairs: numbered((index) => `${' '.repeat(index)}a:\n`),
  'one long text': fill('a'),
  'one long key': fill('a', { tail: ': 1' }),
  'one long quoted key': fill('a', { head: '"', tail: '": 1' }),
  spaces: fill(' ', { head: 'a', tail: 'b' }),
  tabs: fill('\t'),
  'line ends': fill('\n', { tail: 'a' }),
  'keys that are almost right': numbered((index) => `rules_${index}: 1\n`, { head: version }),
  'keys in braces': fill('a: 1,', { head: '{', tail: '}' }),
  commas: fill(',', { head: '[', tail: ']' }),
  'as many errors as possible': '"" '.repeat(149_000),
  'single quotes': fill("'"),
  backslashes: fill('\\', { head: '"', tail: '"' }),
  escapes: fill('\\u0041', { head: `${when}"`, tail: '"' }),
  'lines in quotes': fill('a\n', { head: '"', tail: '"' }),
  'empty lines in quotes': fill(' \n', { head: `${when}"`, tail: '"' }),
  'spaces in quotes': fill(`a${' '.repeat(1000)}`, { head: `${when}"`, tail: '"' }),
  'spaces before a line end': fill(' ', { head: `${when}'a`, tail: "\n b'" }),
  'a literal block': fill('      x\n', { head: `${when}|\n` }),
  'a folded block': fill('      x\n', { head: `${when}>\n` }),
  'an empty block': fill('\n', { head: `${when}|+\n` }),
  'a block of stairs': numbered((index) => `${' '.repeat(index)}\n`, { head: `${when}>\n` }),
  tags: fill('!a '),
  anchors: fill('&a '),
  aliases: fill('- *a\n'),
  'an alias bomb': `a0: &a0 [x,x]\n${Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i},*a${i}]`).join('\n')}`,
  directives: fill('%a\n'),
  documents: fill('---\n'),
  'a list of targets': fill('a,', { head: `${rules}  - allow: [`, tail: ']' }),
  'targets of strange servers': numbered((index) => `- deny: ${'s'.repeat(90)}${index}/*\n`, {
    head: `${version}servers: [${Array.from({ length: 200 }, (_, i) => 't'.repeat(95) + i).join(',')}]\nrules:\n`,
  }),
  'deep args': `${tests}${'['.repeat(40)}${']'.repeat(40)}`,
  'control characters': fill('\0'),
  'halves of characters': fill('\ud800'.repeat(16)),
};

const json: Readonly<Record<string, string>> = {
  'open brackets': fill('['),
  'open braces': fill('{"a":'),
  'empty lists': fill('[],', { head: '[', tail: '[]]' }),
  'a string without an end': fill('a', { head: '"' }),
  backslashes: fill('\\\\', { head: '"', tail: '"' }),
  keys: numbered((index) => `"k${index}":1,`, { head: '{', tail: '"z":1}' }),
  spaces: fill(' ', { tail: '{}' }),
  digits: fill('1'),
  letters: fill('a'),
};

describe('oversized files', () => {
  it.each(someOf(Object.entries(yaml), 9))(
    proves('D03')('are rejected: %s'),
    (_, text) => {
      const before = Error.stackTraceLimit;
      expect(answerTo(text)).toMatch(/^bridle\.yaml:\d+:\d+: \S/);
      expect(Error.stackTraceLimit).toBe(before);
    },
    hanging,
  );

  it.each(someOf(Object.entries(json), 3))(
    proves('D03')('are rejected as JSON: %s'),
    (_, text) => {
      expect(answerTo(text, 'bridle.json')).toMatch(/^bridle\.json:\d+:\d+: \S/);
    },
    hanging,
  );
});

/** A document with lists in lists. */
function nested(levels: number): string {
  const lists = '['.repeat(levels) + ']'.repeat(levels);
  return `{"version":1,"tests":[{"call":"a","expect":"deny","args":{"x":${lists}}}]}`;
}

function longRule(index: number): string {
  const when = `runsOnly("npm test", "git status") && args.x${index} == 'a'`;
  return `  - allow: [tool_${index}, server/tool_${index}]\n    name: rule ${index}\n    when: ${when}\n    reason: Why not?\n`;
}

describe('bounds', () => {
  it(proves('D03')('end at 1 MiB of UTF-8, byte by byte'), () => {
    const head = `${version}#`;
    expect(answerTo(head + 'x'.repeat(mib - head.length))).toBe('taken');
    const tooLarge = 'bridle.yaml:1:1: the file is larger than 1 MiB; split it and list the parts in extends';
    expect(answerTo(head + 'x'.repeat(mib - head.length + 1))).toBe(tooLarge);
    expect(answerTo(head + 'é'.repeat((mib - head.length) / 2 + 1))).toBe(tooLarge);
  });

  it.each(['bridle.yaml', 'bridle.json'])(proves('D03')('end at 32 levels in %s'), (file) => {
    // The file, the list, the test and its args are levels too.
    expect(answerTo(nested(28), file)).toBe('taken');
    expect(answerTo(nested(29), file)).toMatch(/^bridle\.\w+:1:\d+: (invalid JSON: )?nested deeper than 32 levels$/);
  });

  it(
    proves('D03')('end at 10,000 rules, and leave room for a full file'),
    () => {
      const many = (count: number): string => rules + '  - allow: a\n'.repeat(count);
      expect(answerTo(many(10_000))).toBe('taken');
      expect(answerTo(many(10_001))).toBe('bridle.yaml:3:3: rules has more than 10000 entries');
      expect(answerTo(numbered(longRule, { head: rules }))).toBe('taken');
    },
    hanging,
  );

  it(proves('D03')('end at 50 problems, and say how many are left'), () => {
    expect.assertions(2);
    try {
      parsePolicyFile(version + Array.from({ length: 60 }, (_, index) => `xyz${index}: 1\n`).join(''), 'bridle.yaml');
    } catch (error) {
      expect((error as BridleError).problems).toHaveLength(51);
      expect((error as BridleError).problems.at(-1)).toBe('bridle.yaml: and 10 more');
    }
  });
});
