import { RE2JS } from '@bufbuild/re2';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outcome, problemsOf, toolWith, worldOf } from '../../../test/rigs/cel-rig.ts';
import { proves } from '../../../test/contract/cite.ts';
import { runs, sample } from '../../../test/property-runs.ts';
import { compileCondition } from './compile-condition.ts';
import { functions } from './functions/function-table.ts';
import { compilePattern, estimateSize } from '../../tools/text/pattern.ts';

/** Ten times what was measured on a slow machine: only hanging fails. */
const bound = 10_000;

function soon<T>(work: () => T): T {
  const started = performance.now();
  const result = work();
  expect(performance.now() - started).toBeLessThan(bound);
  return result;
}

describe('loading a condition', () => {
  it(proves('D03')('is bounded in length, depth and number of parts'), () => {
    const large: readonly (readonly [string, RegExp])[] = [
      [`${'true || '.repeat(1200)}true`, /at most 8192 characters/],
      [`${'('.repeat(2000)}true${')'.repeat(2000)}`, /nested deeper/],
      [`${'!'.repeat(4000)}true`, /too many parts/],
      [`${'!'.repeat(200)}true`, /nested deeper/],
      [`${'-'.repeat(900)}1 == 1`, /nested deeper/],
      [`${'1+'.repeat(400)}1 == 1`, /nested deeper/],
      [`args${'.a'.repeat(1500)} == 1`, /nested deeper|too many parts/],
      [`args${'[0]'.repeat(900)} == 1`, /nested deeper|too many parts/],
      [`[${'1,'.repeat(1800)}1] == []`, /too many parts/],
      [`${'true ? true : '.repeat(200)}true`, /nested deeper/],
      [`runs(${'"a",'.repeat(260)}"a")`, /too many parts/],
      [`"${'\\u0041'.repeat(600)}" == "${'\\'.repeat(401)}`, /Unterminated/],
    ];
    for (const [source, message] of large) {
      expect(
        soon(() => problemsOf(source).join(' ')),
        source.slice(0, 40),
      ).toMatch(message);
    }
  });

  it('accepts long chains of one logical operator', () => {
    const chain = Array.from({ length: 150 }, (_, index) => `call.tool == "t${index}"`).join(' || ');
    expect(outcome(chain)).toBe(false);
    expect(outcome(`${chain} || call.tool == "deploy"`)).toBe(true);
  });

  it(proves('D03')('rejects patterns that expand too much, quickly'), () => {
    const bombs = [
      '(a{1000}){1000}',
      '((a{10}){10}){10}{10}',
      'a{1000}'.repeat(100),
      `(${'ab'.repeat(400)}){1000}`,
      `((${'ab'.repeat(300)}){30}){30}`,
      `([()]${'ab'.repeat(400)}){900}`,
      `([]()]${'ab'.repeat(400)}){900}`,
      `([[:alpha:](]${'ab'.repeat(400)}){900}`,
      `(\\Q)\\E${'ab'.repeat(400)}){900}`,
      `(\\)${'ab'.repeat(400)}){900}`,
      '(?i)\\pL{1000}'.repeat(20),
      'a'.repeat(1001),
      '('.repeat(900),
      `${'('.repeat(490)}a${')'.repeat(490)}{1000}`,
    ];
    for (const pattern of bombs) {
      const quoted = `args.x.matches(r"""${pattern}""")`;
      expect(
        soon(() => problemsOf(quoted).join(' ')),
        pattern.slice(0, 40),
      ).toMatch(/error/);
    }
    for (const pattern of [
      '^[0-9a-f]{64}$',
      '^\\w{1,200}$',
      '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
      '^(\\d{1,3}\\.){3}\\d{1,3}$',
      '(?i)password|secret',
      '',
    ]) {
      expect(compilePattern(pattern), pattern).toHaveProperty('test');
    }
  });

  it(proves('D03')('never underestimates the size of a pattern by much'), { timeout: runs(60_000) }, () => {
    const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
      pattern: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom(
          'a',
          '.',
          '\\d',
          '\\(',
          '\\)',
          '[a)]',
          '[]({]',
          '[[:alpha:](]',
          '[^\\]]',
          '\\pL',
          '\\x{41}',
          '{',
          'é',
          '(?i)k',
          '\\b',
        ),
        fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => a + b),
        fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(${a}|${b})`),
        fc
          .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{3}', '{2,}', '{0,9}', '{20}', '{7,8}?'))
          .map(([a, count]) => `(?:${a})${count}`),
      ),
    }));
    const property = fc.property(pattern, (text) => {
      // Larger ones take long to compile, which is why they are guessed.
      fc.pre(estimateSize(text) < 5000);
      expect(RE2JS.compile(text).re2().prog.numInst()).toBeLessThan(4 * estimateSize(text) + 10);
    });
    fc.assert(property, { numRuns: runs(2000) });
  });

  it(
    proves('D03')('never hangs or crashes on any text'),
    () => {
      const words = [
        'args',
        '.',
        'x',
        'has',
        '(',
        ')',
        '[',
        ']',
        '"a"',
        "'",
        '"',
        '1',
        '-',
        '!',
        '&&',
        '||',
        '?',
        ':',
        '==',
        '<',
        ' in ',
        ',',
        'call',
        'all',
        'exists',
        'map',
        'matches',
        '+',
        '{',
        '}',
        'true',
        'null',
        'r"',
        '\\',
        '//',
        '\n',
        '0x',
        '1e',
        'b"',
        '\u0000',
        '\ud800',
        'é',
        'runs',
        'session',
        'turn',
        '__proto__',
        'constructor',
        ...functions.map(({ signature }) => signature),
      ];
      const texts = fc.oneof(
        fc.string({ unit: 'binary', maxLength: 200 }),
        fc.array(fc.constantFrom(...words), { maxLength: 60 }).map((parts) => parts.join('')),
        mutated,
      );
      const args = { x: 'text', list: [1, 'a', null, { a: [] }], n: 3 };
      const property = fc.property(texts, (source) => {
        const { problems } = soon(() => compileCondition(source, worldOf(tool)));
        for (const { offset, end, message } of problems) {
          expect(offset).toBeGreaterThanOrEqual(0);
          expect(end).toBeLessThanOrEqual(source.length);
          expect(end).toBeGreaterThanOrEqual(source === '' ? 0 : Math.min(offset + 1, source.length));
          expect(message).toMatch(/^[^a-z].*[.…?]$/s);
        }
        const found = soon(() => outcome(source, args));
        if (typeof found === 'string') expect(found).toMatch(/^(error|failed|unknown)/);
      });
      fc.assert(property, { numRuns: sample(2000) });
    },
    sample(60_000),
  );
});

const tool = toolWith({ x: { type: 'string' }, list: { type: 'array' }, n: { type: 'integer' } }, ['x']);
const whole = [
  'has(args.list) && args.list.all(i, i == "a" || args.n > 3) && !runs("rm", "git push --force")',
  'args.x.matches(r"^[a-z]+$") ? args.n % 2 == 0 : host() in ["a.example", "b.example"]',
  'args.list.filter(i, i != null).map(i, string(i)).join(",").split(",").size() == 3 && call.agent[0] == "root"',
];
/** Conditions with a stretch left out, doubled or put elsewhere. */
const mutated = fc
  .tuple(
    fc.constantFrom(...whole),
    fc.array(fc.tuple(fc.nat(200), fc.nat(20), fc.nat(200)), { minLength: 1, maxLength: 4 }),
  )
  .map(([source, cuts]) =>
    cuts.reduce((text, [from, length, to]) => {
      const piece = text.slice(from, from + length);
      return to % 3 === 0
        ? text.slice(0, from) + text.slice(from + length)
        : text.slice(0, to) + piece + text.slice(to);
    }, source),
  );

describe('evaluating a condition', () => {
  const many = Array.from({ length: 150_000 }, (_, index) => index);
  const long = 'ab'.repeat(500_000);

  it(proves('D03')('matches in time linear in the text'), () => {
    const x = `${'x'.repeat(100_000)}!`;
    expect(soon(() => outcome('args.x.matches("(x+x+)+y")', { x }))).toBe(false);
    expect(soon(() => outcome('args.x.matches("^(a|a)*$")', { x: `${'a'.repeat(100_000)}!` }))).toBe(false);
    expect(soon(() => outcome('args.x.matches("^(([a-z])+.)+[A-Z]([a-z])+$")', { x: 'a'.repeat(50_000) }))).toBe(false);
    const random = Array.from({ length: 200_000 }, (_, index) => ((index * 7919) % 31 < 15 ? 'a' : 'b')).join('');
    expect(soon(() => outcome('args.x.matches("[ab]*a[ab]{300}[cd]")', { x: random }))).toMatch(
      /^failed: .*too many steps/,
    );
  });

  it(proves('D03')('counts the work of loops, and denies past the limit'), () => {
    const quadratic = 'args.list.all(x, args.list.exists(y, x == y))';
    expect(outcome(quadratic, { list: [1, 2, 3] })).toBe(true);
    expect(soon(() => outcome(quadratic, { list: many }))).toMatch(/^failed: .*too many steps/);
    expect(soon(() => outcome('args.list.exists(x, x in args.list && x < 0)', { list: many }))).toMatch(
      /^failed: .*too many steps/,
    );
    expect(
      soon(() => outcome('args.list.exists(x, args.text.contains(string(x)))', { list: many, text: long })),
    ).toMatch(/^failed: /);
    expect(problemsOf('args.a.all(x, x.all(y, y.all(z, z)))').join(' ')).toMatch(/nested at most 2 deep/);
  });

  it(proves('D03')('still fails past the limit if another operand decides'), () => {
    const heavy = 'args.list.all(x, args.list.exists(y, x == y))';
    expect(outcome(`${heavy} || true`, { list: many })).toMatch(/^failed: .*too many steps/);
    expect(outcome(`${heavy} && false`, { list: many })).toMatch(/^failed: .*too many steps/);
  });

  it(proves('D03')('limits the size of strings and lists'), () => {
    const doubling = `[args.x]${'.map(v, v + v)'.repeat(40)}.size() == 1`;
    expect(soon(() => outcome(doubling, { x: 'ab' }))).toMatch(/^failed: .*too large/);
    expect(soon(() => outcome(`[[args.x]]${'.map(v, v + v)'.repeat(40)}.size() == 1`, { x: 'ab' }))).toMatch(
      /^failed: /,
    );
    const sharing = `[args.x]${'.map(v, [v, v])'.repeat(40)} == [args.x]${'.map(v, [v, v])'.repeat(40)}`;
    expect(soon(() => outcome(sharing, { x: 'ab' }))).toMatch(/^failed: .*too many steps/);
    expect(
      soon(() => outcome('[args.x, args.x, args.x, args.x, args.x].join(args.x).size() > 1', { x: long })),
    ).toMatch(/^failed: .*too large/);
  });

  it(proves('D03')('limits the cost of searching for long strings'), () => {
    const args = { text: 'a'.repeat(500_000), part: `b${'a'.repeat(250_000)}` };
    expect(soon(() => outcome('args.text.contains(args.part)', args))).toMatch(/^failed: .*too many steps/);
    expect(soon(() => outcome('args.text.split(args.part).size() == 1', args))).toMatch(/^failed: .*too many steps/);
    expect(soon(() => outcome('args.text.split("").size() == 1', args))).toMatch(/^failed: /);
    expect(outcome('args.text.contains("b") || args.text.size() == 500000', args)).toBe(true);
  });
});
