/** A policy over journals: real ones of a guard, damaged ones, and ones in which secrets are masked. */

import { allow, ask, deny, type JournalEntry, preToolCall, reject } from 'bridle';
import { chainStart, memoryJournal, recordLine, sealRecord } from 'bridle/journal';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { documentOf, policyOf, type RigDocument, type RigWorld } from '../../../test/rigs/policy-rig.ts';
import { runs } from '../../../test/property-runs.ts';
import { rig } from '../../../test/rigs/guard-rig.ts';
import { maskText } from '../../redact/mask-text.ts';
import type { DecidedEntry } from '../../kernel/records/journal-entry.ts';
import type { LoadedPolicy } from '../loaded-policy.ts';
import { replayJournal, type ReplayEvent, type ReplayReport } from './replay-journal.ts';

async function replay(lines: Iterable<string>, policy: LoadedPolicy) {
  const events: ReplayEvent[] = [];
  for await (const event of replayJournal(lines, policy)) events.push(event);
  const last = events.at(-1);
  expect(last?.type).toBe('report');
  expect(JSON.parse(JSON.stringify(last))).toEqual(last);
  const report = (last as { readonly report: ReplayReport }).report;
  return { events: events.slice(0, -1), report };
}

function policy(rules: RigDocument['rules'], world: RigWorld & { readonly default?: RigDocument['default'] } = {}) {
  return policyOf([documentOf({ rules, default: world.default ?? 'deny' })], world);
}

let count = 0;
function decided(tool: string, args: DecidedEntry['args'], more: Partial<DecidedEntry> = {}): DecidedEntry {
  count++;
  const head = { v: 1, at: 0, session: 's', turn: 1, step: 0, agent: ['main'], policy: 'p' } as const;
  const rule = { name: 'r', effect: 'allow', target: tool, bucket: 2 } as const;
  const call = { call: `c${count}`, tool, tier: 'confirm', requested: args, args } as const;
  return { ...head, ...call, kind: 'decided', status: 'allowed', rule, ...more };
}

function journalOf(entries: readonly JournalEntry[]): string[] {
  const journal = memoryJournal();
  for (const entry of entries) journal.append(entry);
  return journal.records.map(recordLine);
}

describe('a journal of a guard', () => {
  const hook = preToolCall(({ call }) => (call.args['hook'] === true ? reject('no') : undefined), { name: 'gate' });

  async function recorded(): Promise<readonly string[]> {
    const rules = [
      allow('look'),
      deny('act', { when: ({ bad }) => bad === true }),
      ask('act', { when: ({ asks }) => asks === true }),
      allow('act', { when: ({ good }) => good === true }),
    ];
    const { call, journal } = await rig({
      policy: rules,
      default: 'deny',
      approver: () => true,
      hooks: [hook],
    } as never);
    await call('look', {});
    await call('act', { bad: true });
    await call('act', { asks: true });
    await call('act', { good: true });
    await call('act', {});
    await call('act', { good: true, hook: true });
    await call('nothing', {});
    return journal.records.map(recordLine);
  }

  it(proves('D09')('is replayed by first decisions, without decisions of hooks and unreadable calls'), async () => {
    const lines = await recorded();
    const { events, report } = await replay(lines, policy([['allow', '*']]));
    expect(report.was).toEqual({ allow: 2, ask: 1, deny: 2 });
    expect(report.now).toEqual({ allow: 5, ask: 0, deny: 0 });
    expect(report).toMatchObject({
      compared: 5,
      same: 2,
      looser: 3,
      stricter: 0,
      cannotTell: 0,
      damaged: 0,
      broken: 0,
    });
    expect(report.leftOut).toEqual({ hook: 1, unreadable: 0, otherwise: 1 });
    expect(report.lines).toBe(lines.length);
    expect(events.map((event) => event.type === 'flip' && [event.args, event.was, event.now])).toEqual([
      [{ bad: true }, 'deny', 'allow'],
      [{ asks: true }, 'ask', 'allow'],
      [{}, 'deny', 'allow'],
    ]);
    expect(events[0]).toMatchObject({
      seq: expect.any(Number),
      tool: 'act',
      before: { effect: 'deny' },
      rule: { at: 'bridle.yaml:1' },
    });
  });

  it(proves('D09')('that is replayed with the same rules has no flips'), async () => {
    const conditions: RigWorld['conditions'] = {
      bad: (args) => args['bad'] === true,
      asks: (args) => args['asks'] === true,
      good: (args) => args['good'] === true,
    };
    const same = policy(
      [
        ['allow', 'look'],
        ['deny', 'act', { when: 'bad' }],
        ['ask', 'act', { when: 'asks' }],
        ['allow', 'act', { when: 'good' }],
      ],
      { conditions },
    );
    const { events, report } = await replay(await recorded(), same);
    expect(events).toEqual([]);
    expect(report.rules.map(({ hits }) => hits)).toEqual([1, 1, 1, 1]);
    expect(report.dead).toEqual([]);
  });

  it(proves('D09')('counts hits by rule, also for shadow rules, and reports rules without hits'), async () => {
    const rules: RigDocument['rules'] = [
      ['allow', ['look', 'unheard']],
      ['deny', '*'],
      ['forbid', 'act', { shadow: true }],
      ['ask', '*'],
    ];
    const { report } = await replay(await recorded(), policy(rules));
    expect(report.rules.map(({ target, shadow, hits }) => [target, shadow, hits])).toEqual([
      ['look', false, 1],
      ['unheard', false, 0],
      ['*', false, 4],
      ['act', true, 4],
      ['*', false, 0],
    ]);
    expect(report.dead.map(({ effect, target }) => [effect, target])).toEqual([
      ['allow', 'unheard'],
      ['ask', '*'],
    ]);
  });
});

describe('entries', () => {
  it(proves('D09')('may have no chain; a call uses its recorded folder'), async () => {
    const folders: unknown[] = [];
    const conditions: RigWorld['conditions'] = {
      here: (_args, call) => {
        folders.push([call.cwd, call.agent, call.turn]);
        return true;
      },
    };
    const entries = [decided('view', {}, { cwd: '/old', agent: ['main', 'sub'], turn: 4 }), decided('view', {})];
    const { report } = await replay(
      entries.map((entry) => JSON.stringify(entry)),
      policy([['allow', '*', { when: 'here' }]], { conditions }),
    );
    expect(report).toMatchObject({ compared: 2, same: 2 });
    expect(folders).toEqual([
      ['/old', ['main', 'sub'], 4],
      ['/work', ['main'], 1],
    ]);
  });

  it(
    proves('D09')('that follow a first decision are not counted again; a remembered answer counts as an ask'),
    async () => {
      const asks = { rule: { name: 'r', effect: 'ask', target: 'act', bucket: 1 } } as const;
      const entries = [
        decided('act', {}, { ...asks, call: 'a', status: 'asked' }),
        decided('act', {}, { ...asks, call: 'a', status: 'approved' }),
        decided('act', {}, { ...asks, call: 'a', status: 'denied' }),
        decided('act', {}, { ...asks, call: 'b', status: 'approved', approval: { id: 'x', remembered: true } }),
        decided('act', {}, { ...asks, call: 'c', status: 'denied', reason: 'nobody can answer' }),
        decided('act', {}, { rule: undefined, hook: 'h', call: 'd', status: 'asked' }),
        decided('act', {}, { rule: undefined, call: 'd', status: 'approved' }),
        decided('act', {}, { rule: undefined, call: 'e', status: 'denied', reason: 'The turn was cancelled' }),
      ];
      const { report } = await replay(journalOf(entries), policy([['ask', 'act']]));
      expect(report).toMatchObject({ compared: 3, same: 3, was: { ask: 3 }, leftOut: { hook: 1, otherwise: 1 } });
    },
  );

  it(proves('D09')('whose args are no longer valid are left out and counted'), async () => {
    const schema = {
      '~standard': { version: 1, vendor: 'test', validate: () => ({ issues: [{ message: 'wrong' }] }) },
    } as const;
    const { report } = await replay(
      journalOf([decided('view', {}), decided('view', { key: maskText('x', 'k') })]),
      policy([['allow', '*']], { tools: [{ name: 'view', schema }] }),
    );
    expect(report).toMatchObject({ compared: 0, cannotTell: 1, leftOut: { unreadable: 1 } });
  });

  it(
    proves('D09')('that depend on session state are reported as unknown, because the journal does not contain it'),
    async () => {
      const conditions: RigWorld['conditions'] = {
        'session.user == "ann"': (_a, _c, { state }) => state.session['user'] === 'ann',
      };
      const rules: RigDocument['rules'] = [
        ['allow', 'view', { when: 'session.user == "ann"' }],
        ['allow', 'list'],
      ];
      const { events, report } = await replay(
        journalOf([decided('view', {}), decided('list', {})]),
        policy(rules, { conditions }),
      );
      expect(report).toMatchObject({ compared: 1, cannotTell: 1 });
      expect(events[0]).toMatchObject({ type: 'cannot tell', tool: 'view', why: expect.stringContaining('state') });
    },
  );
});

describe('masked values', () => {
  const mask = maskText('a secret', 'key');
  const conditions: RigWorld['conditions'] = {
    plain: (args) => args['plain'] === 1,
    secret: (args) => (args['token'] as string).startsWith('a'),
    alias: (args) => (args['Token'] as string).startsWith('a'),
    nested: (args) => (args['headers'] as { readonly auth: string }[])[0]?.auth === 'x',
    size: (args) => (args['headers'] as readonly unknown[]).length === 1,
    all: (args) => JSON.stringify(args).length > 0,
    names: (args) => Object.keys(args['map'] as object).length === 1,
  };
  const tools = [{ name: 'act', args: ['token'], aliases: { args: { Token: 'token' } } }];
  const args = { plain: 1, token: `Bearer ${mask}`, headers: [{ auth: mask }], map: { [mask]: 1 } };
  const answers: Record<string, boolean> = {
    plain: true,
    secret: false,
    alias: false,
    nested: false,
    size: true,
    all: false,
    names: false,
  };

  for (const [when, isTold] of Object.entries(answers)) {
    it(proves('D09')(`can${isTold ? '' : 'not'} be told by a rule that reads: ${when}`), async () => {
      const { events, report } = await replay(
        journalOf([decided('act', args)]),
        policy([['allow', 'act', { when }]], { conditions, tools }),
      );
      expect(report).toMatchObject(isTold ? { compared: 1, same: 1, cannotTell: 0 } : { compared: 0, cannotTell: 1 });
      if (!isTold)
        expect(events[0]).toMatchObject({
          type: 'cannot tell',
          was: 'allow',
          args,
          why: expect.stringContaining('masked'),
        });
      expect(report.rules[0]?.hits).toBe(isTold ? 1 : 0);
    });
  }

  it(proves('D09')('do not matter if an earlier rule decides without reading them'), async () => {
    const rules: RigDocument['rules'] = [
      ['forbid', 'act', { when: 'plain' }],
      ['allow', 'act', { when: 'secret' }],
    ];
    const { report } = await replay(journalOf([decided('act', args)]), policy(rules, { conditions, tools }));
    expect(report).toMatchObject({ compared: 1, stricter: 1, cannotTell: 0 });
  });

  it(proves('D09')('never change a result: every reported decision is that of the real args'), async () => {
    const value = fc.oneof(fc.constantFrom('a', 'b', 'secret'), fc.integer({ min: 0, max: 2 }));
    const world: RigWorld = {
      conditions: Object.fromEntries(
        ['x', 'y', 'z'].flatMap((name) =>
          ['a', 'secret', 1].map((each) => [
            `args.${name} == ${each}`,
            (given: { readonly [key: string]: unknown }) => given[name] === each,
          ]),
        ),
      ),
    };
    const rules = fc.array(
      fc.tuple(
        fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const, 'forbid' as const),
        fc.constantFrom('act', '*'),
        fc.record({ when: fc.constantFrom(...Object.keys(world.conditions ?? {})) }),
      ),
      { maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(
        rules,
        fc.record({ x: value, y: value, z: value }),
        fc.subarray(['x', 'y', 'z']),
        async (given, real, hidden) => {
          const masked = Object.fromEntries(
            Object.entries(real).map(([name, each]) => [
              name,
              hidden.includes(name) ? maskText(String(each), 'k') : each,
            ]),
          );
          const loaded = policy(given, world);
          const { report } = await replay(journalOf([decided('act', masked)]), loaded);
          const { effect } = await loaded.decide({ tool: 'act', args: real });
          expect(report.cannotTell + report.compared).toBe(1);
          if (report.compared === 1) expect(report.now[effect]).toBe(1);
          if (hidden.length === 0) expect(report.cannotTell).toBe(0);
        },
      ),
      { numRuns: runs(500) },
    );
  });
});

describe('a damaged journal', () => {
  const lines = journalOf([decided('view', {}), decided('view', {}), decided('view', {})]);
  const [first, second, third] = lines as [string, string, string];
  const other = recordLine(sealRecord(decided('view', {}), 1, chainStart));
  const cases: Record<
    string,
    readonly [readonly string[], { damaged?: number; broken?: number; compared: number }, number?]
  > = {
    'that is sound': [lines, { compared: 3 }],
    'with empty lines and line ends of another system': [[`${first}\r`, '', second, third, ''], { compared: 3 }],
    'with a line that is no record': [[first, 'hello', second, third], { damaged: 1, compared: 3 }, 2],
    'with a line that is cut': [[first, second.slice(0, -9), third], { damaged: 1, broken: 1, compared: 2 }, 2],
    'with a record that was changed': [[first, second.replace('view', 'list'), third], { broken: 1, compared: 3 }, 2],
    'with a record that is missing': [[first, third], { broken: 1, compared: 2 }, 2],
    'with a record put in': [[first, other, second], { broken: 2, compared: 3 }, 2],
    'that begins in the middle': [[second, third], { compared: 2 }],
    'of another version': [[JSON.stringify({ ...decided('view', {}), v: 2 })], { damaged: 1, compared: 0 }, 1],
    'with an entry of which parts are missing': [
      ['{"v":1,"kind":"decided","status":"allowed"}'],
      { damaged: 1, compared: 0 },
      1,
    ],
    'with JSON that is no entry': [['[]', 'null', '7', '"x"', '{}'], { damaged: 5, compared: 0 }, 1],
  };
  for (const [name, [text, expected, line]] of Object.entries(cases)) {
    it(proves('D09')(`${name} is reported with the line number`), async () => {
      const { events, report } = await replay(text, policy([['allow', '*']]));
      expect(report).toMatchObject({ damaged: 0, broken: 0, ...expected });
      const [fault] = events.filter(({ type }) => type === 'damaged' || type === 'broken');
      expect(fault === undefined ? undefined : 'line' in fault && fault.line).toBe(line);
    });
  }

  it(proves('D09')('with a deeply nested entry leaves it out'), async () => {
    const deep = JSON.stringify(decided('view', 'deep')).replaceAll('"deep"', '['.repeat(50_000) + ']'.repeat(50_000));
    const { report } = await replay([deep, JSON.stringify(decided('view', {}))], policy([['allow', '*']]));
    expect(report).toMatchObject({ compared: 1, leftOut: { unreadable: 1 } });
  });

  it(proves('D09')('never throws, for any lines'), async () => {
    const odd = fc.oneof(
      fc.string(),
      fc.json(),
      fc.constantFrom(...lines),
      fc.constantFrom(...lines).map((text) => text.replace(/\d/, '9')),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(odd, { maxLength: 8 }), async (text) => {
        const { report } = await replay(text, policy([['allow', '*']]));
        expect(report.lines).toBe(text.filter((each) => each.trim() !== '').length);
      }),
      { numRuns: runs(500) },
    );
  });

  it(proves('D09')('or an intact one of any length is read in constant memory'), async () => {
    let pulled = 0;
    async function* endless(): AsyncIterable<string> {
      let prev = chainStart;
      for (let seq = 0; ; seq++) {
        const record = sealRecord(decided('view', { seq }), seq, prev);
        prev = record.hash;
        pulled++;
        yield recordLine(record);
      }
    }
    let flips = 0;
    for await (const event of replayJournal(endless(), policy([]))) {
      expect(event.type).toBe('flip');
      expect(pulled).toBe(++flips);
      if (flips === 2_000) break;
    }
    expect(pulled).toBe(2_000);
  });
});
