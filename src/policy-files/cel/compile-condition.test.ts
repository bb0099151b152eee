import fc from 'fast-check';
import { Environment } from '@marcbachmann/cel-js';
import { describe, expect, it } from 'vitest';
import { call, facts, outcome, problemsOf, toolWith, worldOf } from '../../../test/rigs/cel-rig.ts';
import { proves } from '../../../test/contract/cite.ts';
import { runs } from '../../../test/property-runs.ts';
import { compileCondition } from './compile-condition.ts';

const order = toolWith(
  {
    count: { type: 'number' },
    whole: { type: 'integer' },
    name: { type: 'string' },
    flag: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    place: { type: 'object', properties: { city: { type: 'string' }, zip: { type: 'string' } }, required: ['city'] },
    note: { type: 'string' },
  },
  ['count', 'whole', 'name', 'flag', 'tags', 'place'],
);
const args = { count: 4.5, whole: 7, name: 'Ärger', flag: true, tags: ['a', 'b'], place: { city: 'Ulm' } };

function holds(source: string): boolean | string {
  return outcome(source, args, worldOf(order));
}

describe('a condition', () => {
  it(proves('D04')('compares and computes with the numbers of JSON'), () => {
    const holding = [
      'args.count > 3',
      'args.count > 3.5 && 3 < args.count',
      'args.count == 4.5 && args.count != 4',
      'args.whole == 7 && args.whole == 7.0',
      'args.whole / 2 == 3.5',
      'args.count / 2 == 2.25',
      'args.count * 2 == 9 && args.whole * 2 == 14',
      'args.count + 1 == 5.5 && args.whole - 8 == -1',
      'args.whole % 2 == 1',
      'args.count in [1, 4.5] && args.whole in [7]',
      'size(args.tags) == 2 && args.tags.size() >= 2',
      'size(args.name) == 5 && size("👍") == 1',
      'string(args.whole) == "7" && string(args.count) == "4.5"',
      'int("12") + 1 == 13 && int(args.count) == 4 && double("1.5") < args.count',
      '7 / 2 == 3 && -7 / 2 == -3 && 7.0 / 2 == 3.5',
      'args.tags[0] == "a" && args.tags[args.tags.size() - 1] == "b"',
    ];
    for (const source of holding) {
      expect(holds(source), source).toBe(true);
      // What it means does not hang on what is known of the tool.
      expect(outcome(source, args), source).toBe(true);
    }
  });

  it(proves('D04')('works the same where no types are known'), () => {
    expect(outcome('args.count > 3 && args.count / 2 == 2.25 && args.tags.exists(t, t == "b")', args)).toBe(true);
    expect(outcome('args.count > 3', { count: 'five' })).toMatch(/^failed: .* does not accept a string and a number/);
    expect(outcome('args.count > 3', { count: null })).toMatch(/^failed: /);
    expect(outcome('args.flag && true', { flag: 'true' })).toMatch(/^failed: .*must be true or false/);
    expect(outcome('args.flag', { flag: 1 })).toMatch(/^failed: .*must be true or false/);
    expect(outcome('!args.flag', { flag: 0 })).toMatch(/^failed: .*must be true or false/);
    expect(outcome('args.flag ? true : true', { flag: '' })).toMatch(/^failed: .*must be true or false/);
    expect(outcome('args.count == 3', { count: '3' })).toBe(false);
    expect(outcome('args.name.startsWith("a")', { name: ['a'] })).toMatch(/^failed: /);
  });

  it('does not trust a schema that the arguments violate', () => {
    const lying = { ...args, count: 'many', flag: 'yes' };
    expect(outcome('args.count > 3', lying, worldOf(order))).toMatch(/^failed: /);
    expect(outcome('args.flag', lying, worldOf(order))).toMatch(/^failed: /);
    expect(outcome('!args.flag', lying, worldOf(order))).toMatch(/^failed: /);
  });

  it('has functions for strings and lists', () => {
    const holding = [
      'args.name.startsWith("Är") && args.name.endsWith("ger") && args.name.contains("rg")',
      '"ABCÄ".lowerAscii() == "abcÄ" && "abcä".upperAscii() == "ABCä" && " a ".trim() == "a"',
      '"a/b".split("/") == ["a", "b"] && args.tags.join("-") == "a-b"',
      '"b" in args.tags && !("c" in args.tags)',
      'args.tags.all(t, t in ["a", "b"]) && args.tags.exists_one(t, t == "a")',
      'args.tags.filter(t, t > "a") == ["b"] && args.tags.map(t, t + t) == ["aa", "bb"]',
      '[].all(t, t == 1) && ![].exists(t, t == 1)',
      'args.place.all(key, key == "city") && args["place"]["city"] == "Ulm"',
      'args.place == args.place && [args.place] == [args.place]',
      'args.name.matches("^Ä\\\\w+$") && args.name.matches(r"^Ä\\w+$")',
      'args.flag ? args.whole > 1 : false // the rest is a comment',
    ];
    for (const source of holding) expect(holds(source), source).toBe(true);
  });

  it(proves('D04')('reads the call and the scopes'), () => {
    const source =
      'call.tool == "deploy" && call.server == "" && call.tier == "confirm" && call.agent == ["root", "helper"] && ' +
      'call.turn == 2 && call.step == 3 && call.cwd == "" && call.displayName == "Deploy" && call.session == "s1"';
    expect(outcome(source)).toBe(true);
    expect(outcome('session.count == 2 && !has(turn.count) && !("count" in turn)')).toBe(true);
    expect(outcome('has(call.tool)')).toBe(true);
  });

  it('supports facts about strings', () => {
    const [line, url] = [{ line: 'rm' }, { url: 'https://api.example.com/x' }];
    expect(outcome('args.line.runs("rm", "mv") && args.line.runsOnly("rm")', line)).toBe(true);
    expect(outcome('args.line.opaque()', line)).toBe(false);
    expect(outcome('args.url.host() == "api.example.com" && args.url.isPublicHost()', url)).toBe(true);
    expect(outcome('args.url.underDomain("example.com") && !args.url.underDomain("example.org")', url)).toBe(true);
    expect(outcome('args.line.runs("rm")', { line: 1 })).toMatch(/^failed: .*not a string/);
  });

  it(proves('D04')('is rejected with the position of the error'), () => {
    const wrong: readonly (readonly [string, string])[] = [
      ['args.nam == "x"', 'error "args.nam" No tool of this rule has an argument "nam". Did you mean "name"?'],
      ['"nam" in args', 'error ""nam" in args" No tool of this rule has an argument "nam". Did you mean "name"?'],
      ['has(args.nam)', 'error "args.nam" No tool of this rule has an argument "nam". Did you mean "name"?'],
      [
        'true && args.place.town == "x"',
        'error "args.place.town" There is no field "town" here. Known fields: city, zip.',
      ],
      ['args.name > 3', 'error "args.name > 3" A comparison does not accept a string and an int.'],
      ['args.name == 3', 'error "args.name == 3" A string never equals an int.'],
      ['args.name in [1, 2]', 'error "args.name in [1, 2]" A string is never in a list(int).'],
      [
        '"a" in args.name',
        'error ""a" in args.name" "in" needs a list or a map, not a string. To search in a string, write text.contains(part).',
      ],
      ['args.count', 'error "args.count" This must be true or false; it is a double.'],
      ['!args.name', 'error "args.name" This must be true or false; it is a string.'],
      ['args.flag && args.name', 'error "args.name" This must be true or false; it is a string.'],
      ['call.tol == "x"', 'error "call.tol" A call has no field "tol". Did you mean "tool"?'],
      ['argz.name == "x"', 'error "argz" There is no variable "argz". Did you mean "args"?'],
      ['run("rm")', 'error "run("rm")" There is no function "run". Did you mean "runs"?'],
      [
        'args.name.startWith("a")',
        'error "args.name.startWith("a")" There is no function "startWith" after a dot. Did you mean "startsWith"?',
      ],
      [
        'runs(args.name)',
        'error "args.name" This must be a string in quotes, so that it can be checked when the policy is loaded.',
      ],
      [
        'runs()',
        'error "runs()" Write runs("rm", "git push"). To check a string, write it before a dot: text.runs(…).',
      ],
      ['runs("")', 'error "runs("")" An entry is empty.'],
      ['args.name.matches("a(")', 'error ""a("" The pattern is not valid RE2: missing closing ): `a(`.'],
      [
        'args.name.matches(args.name)',
        'error "args.name" This must be a string in quotes, so that it can be checked when the policy is loaded.',
      ],
      ['args.tags.all(args, true)', 'error "args" "args" is already in use; give the item another name.'],
      ['args.name.all(x, true)', 'error "args.name" A string has no items to loop over.'],
      [
        'args.count == 12345678901234567890',
        'error "12345678901234567890" This number is too large to be represented exactly.',
      ],
      ['args.name ==', 'error "=" Unexpected token: the end.'],
      ['(args.flag', 'error "g" Expected ")", got the end.'],
      ['args.name == "x', 'error ""x" Unterminated string.'],
      ['args.flag = true', 'error "=" Write == instead of "=".'],
      ['args.name === "x"', 'error "===" Write == instead of "===".'],
      ['args.name !== "x"', 'error "!==" Write != instead of "!==".'],
      ['args.flag & true', 'error "&" Write && instead of "&".'],
      ['args.flag and true', 'error "and" Write && instead of "and".'],
      ['args.flag OR true', 'error "OR" Write || instead of "OR".'],
      ['true && not args.flag', 'error "not" Write ! instead of "not".'],
      ['args.name == \u201cx\u201d', 'error "\u201c" This is a curly quote; use straight quotes, " or \'.'],
      [
        'args.flag xor true',
        'error "xor" "xor" is not expected here; is an operator such as && or == missing before it?',
      ],
      [
        'args.name.includes("x")',
        'error "args.name.includes("x")" There is no function "includes" after a dot. Did you mean "contains"?',
      ],
      [
        'args.zzzzzz == "x"',
        'error "args.zzzzzz" No tool of this rule has an argument "zzzzzz". Known fields: count, whole, name, flag, tags, place, note.',
      ],
      ['', 'error "" The condition is empty.'],
    ];
    for (const [source, problem] of wrong) expect(problemsOf(source, worldOf(order)), source).toContain(problem);
  });

  it('reports all errors in order, and fails when evaluated', () => {
    const source = 'args.nam == "x" || runs(args.name) || args.count';
    expect(problemsOf(source, worldOf(order))).toHaveLength(3);
    const { evaluate, problems } = compileCondition(source, worldOf(order));
    expect(problems.map(({ offset }) => offset)).toEqual([0, 24, 38]);
    expect(() => evaluate(args, call, { tool: order, state: { session: {}, turn: {} } })).toThrow(/has an error/);
  });

  it('warns about a result that may not be a boolean', () => {
    expect(problemsOf('has(args.x) && has(args.x.y) ? args.x.y : false')).toEqual([
      'warning "has(args.x) && has(args.x.y) ? args.x.y : false" This value may be something other than true or false; then the call is denied.',
    ]);
    expect(problemsOf('has(args.x) && args.x == true')).toEqual([]);
  });

  it('lists the arguments it reads and the facts it uses', () => {
    const read = compileCondition(
      'args.b == "x" && has(args.a) && "c" in args && args["d e"].matches("p") && runs("rm", "mv") && !writes("**/.env")',
      worldOf(),
    );
    expect(read).toMatchObject({ reads: ['a', 'b', 'c', 'd e'], readsAll: false, usesFacts: ['runs', 'writes'] });
    expect(read.constantTexts.map(({ use, function: name, text }) => `${name} ${use} ${text}`)).toEqual([
      'matches pattern p',
      'runs entry rm',
      'runs entry mv',
      'writes glob **/.env',
    ]);
    expect(compileCondition('size(args) == 0', worldOf()).readsAll).toBe(true);
    expect(compileCondition('args[call.tool] == 1', worldOf()).readsAll).toBe(true);
    expect(compileCondition('call.tool in args', worldOf()).readsAll).toBe(true);
  });

  it('derives its types from all tools of the rule', () => {
    const other = toolWith({ count: { type: 'string' }, whole: { type: 'number' } }, ['count', 'whole']);
    const both = worldOf(order, other);
    expect(problemsOf('args.count == 1 || args.count == "1"', both)).toEqual([]);
    expect(problemsOf('args.whole > 1', both)).toEqual([]);
    expect(problemsOf('args.whole.startsWith("1")', both)[0]).toMatch(/does not accept a double here/);
    expect(problemsOf('args.name == "x"', both)).toEqual([
      'error "args.name" The argument "name" is optional, and a call without it is denied. Check first: has(args.name) && …',
    ]);
    const known = { ...both, complete: false };
    expect(problemsOf('has(args.nmae)', known)).toEqual([
      'warning "args.nmae" No known tool of this rule has an argument "nmae". Did you mean "name"?',
    ]);
  });
});

describe('what a condition cannot reach', () => {
  it(proves('D04')('is anything but own data'), () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype', 'length', '__defineGetter__'];
    for (const name of names) {
      for (const value of [{}, { list: ['a'] }, { text: 'a' }]) {
        expect(outcome(`args.${name} == 1`, value), name).toMatch(/^failed: .*there is no/);
        expect(outcome(`args["${name}"] == 1`, value), name).toMatch(/^failed: .*there is no/);
        expect(outcome(`has(args.${name}) || "${name}" in args`, value), name).toBe(false);
        expect(outcome(`"${name}" in session || has(turn.${name})`), name).toBe(false);
      }
      expect(outcome(`args.list.${name} == 1`, { list: ['a'] }), name).toMatch(/^failed: .*a list has no field/);
      expect(outcome(`args.text.${name} == 1`, { text: 'a' }), name).toMatch(/^failed: .*a string has no field/);
      expect(outcome(`args.list[args.key] == 1`, { list: ['a'], key: name }), name).toMatch(/^failed: /);
      expect(outcome(`args[args.key] == 1`, { key: name }), name).toMatch(/^failed: /);
    }
    expect(outcome('has(args.constructor) && args.constructor == 1', JSON.parse('{"constructor":1}') as never)).toBe(
      true,
    );
  });

  it('is a clock, the environment or a foreign type', () => {
    const foreign = [
      'now()',
      'timestamp("2026-01-01T00:00:00Z")',
      'duration("1s")',
      'type(1)',
      'dyn(1)',
      'bytes("a")',
      'uint(1)',
    ];
    for (const source of [
      ...foreign,
      'cel.bind(x, 1, x)',
      'google.protobuf',
      'optional.none()',
      'string',
      'process.env',
      'globalThis',
    ]) {
      expect(problemsOf(`${source} == 1`)[0], source).toMatch(/^error .*There is no (function|variable)/);
    }
    for (const source of [
      'b"a" == b"a"',
      '1u == 1u',
      '{"a": 1} == {"a": 1}',
      'call == call',
      '"a".json() == 1',
      'args.?x == 1',
    ]) {
      expect(problemsOf(source)[0], source).toMatch(/^error /);
    }
  });

  it('is the pattern engine of JavaScript, by any spelling', () => {
    for (const source of [
      'matches("a", "a")',
      '"a".matches(r"(?=a)")',
      '"a".matches(r"(a)\\1")',
      '["a"].all(matches, matches.matches(matches))',
    ]) {
      expect(problemsOf(source)[0], source).toMatch(/^error /);
    }
    expect(outcome('args.x.matches("^a$")', { x: { matches: 'a' } })).toMatch(/^failed: /);
  });

  it(proves('D04')('is not reachable through an alias'), () => {
    const readable = Object.freeze(Object.defineProperty({ command_line: 'ls' }, 'CommandLine', { value: 'ls' }));
    expect(outcome('args.CommandLine == "ls" && has(args.CommandLine) && "CommandLine" in args', readable)).toBe(true);
    expect(outcome('size(args) == 1', readable)).toBe(true);
    const tool = {
      ...toolWith({ command_line: { type: 'string' } }, ['command_line']),
      aliases: { args: { CommandLine: 'command_line' } },
    };
    expect(problemsOf('args.CommandLine == "ls"', worldOf(tool))).toEqual([]);
    expect(problemsOf('args.CommandLine == 1', worldOf(tool))[0]).toMatch(/never equals/);
  });
});

/** cel-js evaluates the same language, for the part of it that needs none of our own rules. */
describe('next to the evaluator of cel-js', () => {
  const environment = new Environment().registerVariable('args', 'map');
  const values = { s: 'ab', t: 'b', f: true, g: false, list: ['a', 'b', 'ab'], none: [] };
  const atoms = {
    bool: ['true', 'false', 'args.f', 'args.g', 'has(args.s)', 'has(args.z)', 'args.missing', '(1 / 0 == 1)'],
    int: ['0', '1', '2', '7', 'size(args.s)', 'size(args.list)'],
    text: ['"a"', '"b"', '""', 'args.s', 'args.t', 'args.list[0]', 'args.list[5]'],
    list: ['args.list', '["a"]', '["a", "b"]', 'args.none'],
  };

  const { bool } = fc.letrec<{ bool: string; int: string; text: string; list: string }>((tie) => {
    const of = (
      parts: TemplateStringsArray,
      ...kinds: readonly ('bool' | 'int' | 'text' | 'list')[]
    ): fc.Arbitrary<string> =>
      fc.tuple(...kinds.map((kind) => tie(kind))).map((texts) => String.raw({ raw: parts }, ...texts));
    const shape = { depthSize: 'small', withCrossShrink: true } as const;
    return {
      bool: fc.oneof(
        shape,
        fc.constantFrom(...atoms.bool),
        of`(${'bool'} && ${'bool'})`,
        of`(${'bool'} || ${'bool'})`,
        of`!${'bool'}`,
        of`(${'bool'} ? ${'bool'} : ${'bool'})`,
        of`(${'bool'} == ${'bool'})`,
        of`(${'int'} < ${'int'})`,
        of`(${'int'} == ${'int'})`,
        of`(${'text'} != ${'text'})`,
        of`(${'text'} >= ${'text'})`,
        of`(${'text'} in ${'list'})`,
        of`${'text'}.startsWith(${'text'})`,
        of`${'text'}.contains(${'text'})`,
        of`${'list'}.all(x, x < ${'text'})`,
        of`${'list'}.exists(x, x == ${'text'} || args.missing)`,
        of`${'list'}.exists_one(x, x == ${'text'})`,
        of`(${'list'} == ${'list'})`,
      ),
      int: fc.oneof(
        shape,
        fc.constantFrom(...atoms.int),
        of`(${'int'} + ${'int'})`,
        of`(${'int'} / ${'int'})`,
        of`(${'int'} % ${'int'})`,
        of`(${'int'} * ${'int'})`,
        of`size(${'text'})`,
      ),
      text: fc.oneof(
        shape,
        fc.constantFrom(...atoms.text),
        of`(${'text'} + ${'text'})`,
        of`string(${'int'})`,
        of`(${'bool'} ? ${'text'} : ${'text'})`,
      ),
      list: fc.oneof(
        shape,
        fc.constantFrom(...atoms.list),
        of`${'list'}.filter(y, y <= ${'text'})`,
        of`${'list'}.map(z, z + ${'text'})`,
        of`(${'list'} + ${'list'})`,
      ),
    };
  });

  it('gives the same results', { timeout: runs(60_000) }, () => {
    let [answered, failed] = [0, 0];
    const property = fc.property(bool, (source) => {
      const ours = outcome(source, values);
      if (typeof ours === 'string' && ours.startsWith('error: ')) return fc.pre(false);
      let theirs: unknown;
      try {
        theirs = environment.evaluate(source, { args: values });
      } catch {
        theirs = 'failed';
      }
      if (typeof ours === 'boolean') answered++;
      else failed++;
      expect(typeof ours === 'boolean' ? ours : 'failed').toBe(theirs);
    });
    fc.assert(property, { numRuns: runs(1500) });
    expect(Math.min(answered, failed)).toBeGreaterThan(50);
  });
});

it('knows every fact that is handed in', () => {
  const asked = Object.keys(facts).map((name) => name.replace(/(?<=^(?:runs|runsOnly|opaque))In$|Of$/, ''));
  const known = [
    'runs("a")',
    'runsOnly("a")',
    'runsListed("a")',
    'opaque()',
    'reads("a")',
    'writes("a")',
    'readsInside(".")',
    'writesInside(".", "/tmp")',
    'worksIn(".", "packages/web")',
    'isPublicHost()',
    'underDomain("a")',
    'host() == "a"',
  ];
  expect(new Set(known.map((source) => source.replace(/\(.*/, '')))).toEqual(new Set(asked));
  for (const source of known) expect(problemsOf(source), source).toEqual([]);
});
