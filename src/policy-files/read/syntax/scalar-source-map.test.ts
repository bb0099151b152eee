import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { runs } from '../../../../test/property-runs.ts';
import type { PolicyFileCondition } from '../../policy-file.ts';
import { positionInCondition } from '../shapes/rule.ts';
import { parsePolicyFile } from '../parse-policy-file.ts';

const head = 'version: 1\nrules:\n  - allow: a\n    when: ';

function conditionOf(text: string, file = 'bridle.yaml'): PolicyFileCondition {
  const condition = parsePolicyFile(text, file).rules[0]?.when;
  if (condition === undefined) throw new TypeError('the file has no condition');
  return condition;
}

/** What stands in the file where each character of the condition is said to stand. */
function standing(text: string, condition: PolicyFileCondition): string[] {
  const lines = text.split('\n').map((line) => `${line}\n`);
  return condition.text.split('').map((_, offset) => {
    const { line, column } = positionInCondition(condition, offset);
    return lines[line - 1]?.[column - 1] ?? `nothing at ${line}:${column}`;
  });
}

/** Each letter once, so that a wrong place shows. */
const letters = 'abcdefghij'.split('');

describe('the place of each character', () => {
  it.each([
    ['plain', 'ab cd == ef', undefined],
    ['plain, over lines', 'ab cd\n      ef\n\n\n      gh', 'ab cd ef\n\ngh'],
    ['single quotes', "'ab ''cd'' ef'", "ab 'cd' ef"],
    ['single quotes, over lines', "'ab  \n      cd''ef\n\n     gh'", "ab cd'ef\ngh"],
    ['double quotes', '"ab \\"cd\\" ef"', 'ab "cd" ef'],
    ['double quotes, over lines', '"ab \n      cd\\\n      ef\n \n      gh"', 'ab cdef\ngh'],
    ['literal', '|\n      ab\n        cd\n\n      ef', 'ab\n  cd\n\nef\n'],
    ['literal, stated', '|2-\n        ab\n      cd', '  ab\ncd'],
    ['literal, kept', '|+ # why\n      ab\n\n', 'ab\n\n'],
    ['folded', '>-\n      ab\n      cd\n\n      ef\n        gh\n      ij', 'ab cd\nef\n  gh\nij'],
    ['folded, clipped', '>\n      ab\n      cd\n\n', 'ab cd\n'],
  ])(proves('D01')('is known for %s'), (_, written, value = written) => {
    const text = head + written;
    const condition = conditionOf(text);
    expect(condition.text).toBe(value);
    const found = standing(text, condition);
    for (const [offset, character] of value.split('').entries()) {
      if (letters.includes(character) || character === '=') expect(found[offset]).toBe(character);
      else if (character === ' ') expect([' ', '\n']).toContain(found[offset]);
      else if (character === '\n') expect(['\n', ' ', '\\']).toContain(found[offset]);
      // An escaped character is where its escape begins.
      else expect([character, '\\']).toContain(found[offset]);
    }
  });

  it('is where an escape begins', () => {
    const condition = conditionOf(`${head}"a\\u0062\\x63\\U00000064\\ne"`);
    expect(condition.text).toBe('abcd\ne');
    expect(condition.text.split('').map((_, offset) => positionInCondition(condition, offset).column - 12)).toEqual([
      0, 1, 7, 11, 21, 23,
    ]);
    expect(new Set(condition.stretches.map(({ at }) => at.line))).toEqual(new Set([4]));
  });

  it('handles CRLF line ends and a byte order mark', () => {
    const condition = conditionOf(`\ufeff${head}>-\n      ab\n      cd\n`.replaceAll('\n', '\r\n'));
    expect(condition.text).toBe('ab cd');
    expect(positionInCondition(condition, 3)).toEqual({ line: 6, column: 7 });
    expect(condition.at).toEqual({ line: 4, column: 11 });
  });

  it('is known in JSON', () => {
    const text = '{"version": 1, "rules": [{"allow": "a",\n "when": "ab\\u0020\\"cd"}]}';
    const condition = conditionOf(text, 'bridle.json');
    expect(condition.text).toBe('ab "cd');
    expect(positionInCondition(condition, 4)).toEqual({ line: 2, column: 21 });
  });
});

/** Lines of a few characters, indented by a few spaces. */
const anyLines = fc.array(
  fc.tuple(fc.nat({ max: 3 }), fc.string({ unit: fc.constantFrom(...letters, ' ', '=', '\t'), maxLength: 6 })),
  { maxLength: 8 },
);
const anyHeader = fc.tuple(
  fc.constantFrom('|', '>'),
  fc.constantFrom('', '-', '+'),
  fc.constantFrom('', '1', '2', '3'),
);
const anyEnd = fc.constantFrom('\n', '\r\n');

/** Every letter and sign of a condition stands where it is said to stand; false if there is none. */
function placesHold(text: string): boolean {
  let condition: PolicyFileCondition;
  try {
    condition = conditionOf(text);
  } catch {
    // Not every text is YAML, and a condition is not empty.
    return false;
  }
  const found = standing(text, condition);
  for (const [offset, character] of condition.text.split('').entries()) {
    if (!/\s/.test(character)) expect([character, '\\'], JSON.stringify(text)).toContain(found[offset]);
  }
  return true;
}

describe('characters of any scalar', () => {
  it('have their positions in blocks', () => {
    let held = 0;
    fc.assert(
      fc.property(anyHeader, anyLines, anyEnd, ([mode, chomp, indent], lines, end) => {
        const body = lines.map(([spaces, line]) => `      ${' '.repeat(spaces)}${line}`);
        held += Number(placesHold([head + mode + indent + chomp, ...body].join('\n').replaceAll('\n', end)));
      }),
      { numRuns: runs(500) },
    );
    expect(held).toBeGreaterThan(runs(500) / 2);
  });

  it('have their positions with and without quotes', () => {
    const escape = fc.constantFrom("''", '\\"', '\\n', '\\\\', '\\x41', '\\u0042', '\\U0001F600', '\\\n', '\\ ', '\\/');
    const part = fc.oneof(fc.constantFrom(...letters, ' ', '\t', '\n', '\n      ', '='), escape);
    let held = 0;
    fc.assert(
      fc.property(fc.constantFrom('', "'", '"'), fc.array(part, { maxLength: 12 }), anyEnd, (quote, parts, end) => {
        held += Number(placesHold((head + quote + parts.join('') + quote).replaceAll('\n', end)));
      }),
      { numRuns: runs(500) },
    );
    expect(held).toBeGreaterThan(runs(500) / 4);
  });
});
