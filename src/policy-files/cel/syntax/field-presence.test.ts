import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outcome, problemsOf, toolWith, worldOf } from '../../../../test/rigs/cel-rig.ts';
import { proves } from '../../../../test/contract/cite.ts';
import { runs } from '../../../../test/property-runs.ts';
import { compileCondition } from '../compile-condition.ts';

const edit = {
  type: 'object',
  properties: { path: { type: 'string' }, old: { type: 'string' } },
  required: ['path'],
};
const tool = toolWith(
  {
    x: { type: 'string' },
    y: { type: 'string' },
    must: { type: 'string' },
    edits: { type: 'array', items: edit },
    deep: edit,
  },
  ['must', 'edits'],
);

function unguarded(source: string): readonly string[] {
  return problemsOf(source, worldOf(tool)).map((problem) => problem.replace(/, and a call .*/, ''));
}

describe('an optional argument', () => {
  it(proves('D04')('must be checked before it is read if the schema is known'), () => {
    expect(unguarded('args.x == "a"')).toEqual(['error "args.x" The argument "x" is optional']);
    const unsafe = [
      'args["x"] == "a"',
      'args.x == "a" && has(args.x)',
      'has(args.x) || args.x == "a"',
      '!has(args.x) && args.x == "a"',
      'has(args.y) && args.x == "a"',
      '(has(args.x) || has(args.y)) && args.x == "a"',
      '!(has(args.x) && has(args.y)) || (true && args.x == args.must) ? args.x == "a" : true',
      'has(args.x) ? true : args.x == "a"',
      '!has(args.x) ? args.x == "a" : true',
      '(has(args.x) && true) || args.x == "a"',
      'args.edits.all(e, args.x == e.path)',
      '(has(args.x) == true) && args.x == "a"',
      'args.must == args.x',
      'size(args.x) > 0',
      'args.x.matches("a")',
      'args.x.runs("rm")',
      'args.deep.path == "a"',
      'has(args.deep.old)',
      'has(args.deep) && args.deep.old == "a"',
      'args.edits.all(e, e.old == "a")',
      'args.edits.exists(e, has(e.old)) && args.edits.all(f, f.old == "a")',
    ];
    for (const source of unsafe) expect(unguarded(source).join(' '), source).toMatch(/^error .* is optional/);
  });

  it(proves('D04')('can be checked in every usual way'), () => {
    const safe = [
      'args.must == "a"',
      'has(args.x) && args.x == "a"',
      'has(args["x"]) && args.x == "a"',
      '"x" in args && args["x"] == "a"',
      '!has(args.x) || args.x == "a"',
      '!("x" in args) || args.x == "a"',
      'has(args.x) ? args.x == "a" : false',
      '!has(args.x) ? true : args.x == "a"',
      'has(args.x) && has(args.y) && args.x == args.y',
      '!(has(args.x) && has(args.y)) || args.x == args.y',
      '!(!has(args.x) || !has(args.y)) && args.x == args.y',
      'args.must == "a" || (has(args.x) && (args.must == "b" || args.x == "a"))',
      '(!has(args.x) || args.x == "a") && (!has(args.y) || args.y == "a")',
      'has(args.x) && args.edits.all(e, e.path == args.x)',
      'args.edits.all(e, has(e.old) && e.old == e.path)',
      'has(args.deep) && args.deep.path == "a"',
      'has(args.deep) && has(args.deep.old) && args.deep.old == "a"',
      'has(args.x) && runs("unsure") && args.x == "a"',
    ];
    for (const source of safe) expect(problemsOf(source, worldOf(tool)), source).toEqual([]);
  });

  it(proves('D04')('is only a warning if no schema is known'), () => {
    expect(problemsOf('args.x == "a"')).toEqual([
      'warning "args.x" The argument "x" may be missing, and a call without it is denied. Check first: has(args.x) && …',
    ]);
    expect(problemsOf('args["a b"] == "a"')[0]).toMatch(/Check first: "a b" in args && …$/);
    expect(problemsOf('session.count > 1')[0]).toMatch(/^warning "session.count" The field "count" may be missing/);
    expect(problemsOf('has(session.count) && session.count > 1')).toEqual([]);
    const named = { name: 'tool', args: ['x', 'y'] };
    expect(problemsOf('args.x == "a"', worldOf(named))[0]).toMatch(/^warning .*may be missing/);
    expect(problemsOf('args.z == "a"', worldOf(named))[0]).toMatch(/^error .*No tool of this rule has an argument "z"/);
    expect(problemsOf('args.x == 1 || args.z == 2', worldOf({ name: 'tool' })).join(' ')).not.toMatch(/error/);
  });

  it('that is missing denies the call when it is read', () => {
    expect(outcome('args.x == "a"', {})).toMatch(
      /^failed: The condition failed: there is no field "x" \(at character 1\)\.$/,
    );
    expect(outcome('args.x != "a"', {})).toMatch(/^failed: /);
    expect(outcome('has(args.x.y)', {})).toMatch(/^failed: /);
    expect(outcome('has(args.x)', { x: null })).toBe(true);
  });

  it('that is guarded never fails for being missing, unknown facts or not', { timeout: runs(60_000) }, () => {
    const leaf = fc.constantFrom(
      'has(args.x)',
      'has(args.y)',
      '"x" in args',
      'args.x == "a"',
      'args.y == "a"',
      'runs("unsure")',
      'runs("no")',
    );
    const { tree } = fc.letrec<{ tree: string }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.tuple(tie('tree'), fc.constantFrom('&&', '||'), tie('tree')).map(([a, op, b]) => `(${a} ${op} ${b})`),
        tie('tree').map((a) => `!${a}`),
        fc.tuple(tie('tree'), tie('tree'), tie('tree')).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
      ),
    }));
    let checked = 0;
    const property = fc.property(tree, (source) => {
      const { problems } = compileCondition(source, worldOf(tool));
      if (problems.length > 0 || !/args\.[xy] ==/.test(source)) return fc.pre(false);
      checked++;
      for (const args of [{}, { x: 'a' }, { y: 'b' }, { x: 'b', y: 'a' }]) {
        expect(String(outcome(source, args, worldOf(tool))), source).not.toMatch(/^failed/);
      }
    });
    fc.assert(property, { numRuns: runs(200), maxSkipsPerRun: 500 });
    expect(checked).toBeGreaterThan(100);
  });
});

describe('the type of an argument', () => {
  it('is derived from its schema', () => {
    const kinds = {
      text: { enum: ['a', 'b'] },
      number: { type: ['integer', 'number'] },
      maybe: { type: ['string', 'null'] },
      either: { anyOf: [{ type: 'string' }, { type: 'string', enum: ['x'] }] },
      mixed: { oneOf: [{ type: 'string' }, { type: 'boolean' }] },
      referred: { $ref: '#/$defs/point' },
      lost: { $ref: '#/$defs/none' },
      endless: { $ref: '#/properties/endless' },
      all: { allOf: [{ type: 'string' }] },
    };
    const point = {
      type: 'object',
      properties: { x: { type: 'number' }, next: { $ref: '#/$defs/point' } },
      required: ['x', 'next'],
    };
    const world = worldOf(toolWith(kinds, Object.keys(kinds), { $defs: { point } }));
    const fine = [
      'args.text == "a"',
      'args.number > 1',
      'args.maybe == "x" || args.maybe == null',
      'args.either == "x"',
    ];
    const free = [
      'args.mixed == true || args.mixed == "a"',
      'args.referred.next.next.x > 1',
      'args.all == 1',
      'args.lost == 1',
      'args.endless == 1',
    ];
    for (const source of [...fine, ...free]) expect(problemsOf(source, world), source).toEqual([]);
    for (const source of [
      'args.text == 1',
      'args.number == "a"',
      'args.either == 1',
      'args.referred.next.x == "a"',
      'args.referred.y == 1',
    ]) {
      expect(problemsOf(source, world)[0], source).toMatch(/^error/);
    }
  });

  it('is not too narrow for a combined schema', () => {
    const combined = toolWith({ a: { type: 'string' }, b: { type: 'string' } }, [], {
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
    });
    expect(problemsOf('args.a == "x" || args.c == "x"', worldOf(combined)).join(' ')).not.toMatch(/error/);
    expect(problemsOf('args.a == 1', worldOf(combined)).join(' ')).toMatch(/error .*never equals/);
    const open = toolWith({ a: { type: 'string' } }, ['a'], { additionalProperties: true });
    expect(problemsOf('has(args.b) && args.b == 1', worldOf(open)).join(' ')).toMatch(/^warning .*No known tool/);
  });
});
