/** What ends while a call is on its way: turns, sessions, tools, approvals, journals. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  allowAll,
  ask,
  createGuard,
  deny,
  forbid,
  onInteraction,
  onToolError,
  postToolCall,
  preToolCall,
  recover,
  replace,
  type BridleEvent,
  type Journal,
  type JournalEntry,
} from 'bridle';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';

const tools = [{ name: 'act' }];

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

function kept(refuse: (entry: JournalEntry) => boolean = () => false): { journal: Journal; entries: JournalEntry[] } {
  const entries: JournalEntry[] = [];
  const append = (entry: JournalEntry): void => {
    if (refuse(entry)) throw new RangeError('full');
    entries.push(entry);
  };
  return { journal: { append }, entries };
}

const story = (entries: readonly JournalEntry[]): string[] => entries.map(({ kind, status }) => `${kind} ${status}`);

describe('a call whose approval comes too late', () => {
  const ways: Readonly<
    Record<string, (session: Awaited<ReturnType<ReturnType<typeof createGuard>['start']>>, end: () => void) => unknown>
  > = {
    'after its turn has ended': (_session, end) => end(),
    'after the next turn has begun': (session) => session.turn(),
    'after the session has ended': (session) => session.end(),
    'after the session of an earlier turn has ended': (session) => (session.turn(), session.end()),
  };
  for (const [name, leave] of Object.entries(ways)) {
    it(proves('Q01', 'S03')(`does not run: ${name}`), async () => {
      const answer = deferred<boolean>();
      const asked = deferred<void>();
      let ran = 0;
      const guard = createGuard({
        tools,
        policy: ask('act'),
        approver: () => (asked.resolve(), answer.promise),
      });
      const session = await guard.start();
      const turn = session.turn();
      const pending = turn.guard({ tool: 'act' }, { run: () => ++ran });
      await asked.promise;
      await leave(session, () => turn.end());
      answer.resolve(true);
      expect(await pending).toMatchObject({ type: 'denied', status: 'cancelled' });
      expect(ran).toBe(0);
      await session.end();
    });
  }
});

describe('a tool that its server removes', () => {
  for (const [name, list] of [
    ['removed', []],
    ['changed', [{ name: 'act', paths: ['file'] }]],
  ] as const) {
    it(proves('G11', 'M05')(`does not run once it is ${name}, though it was approved`), async () => {
      let ran = 0;
      const guard = createGuard({
        tools: [{ name: 'act', server: 's' }],
        servers: [{ name: 's' }],
        policy: ask('s/act'),
        approver: () => (guard.replaceServerTools('s', list), true),
      });
      const session = await guard.start();
      const result = await session.turn().guard({ server: 's', tool: 'act' }, { run: () => ++ran });
      expect(result).toMatchObject({ type: 'denied', reason: expect.stringContaining('changed or removed') });
      expect(ran).toBe(0);
      await session.end();
    });
  }

  it(proves('G11')('runs if its server only listed it again'), async () => {
    const guard = createGuard({
      tools: [{ name: 'act', server: 's' }],
      servers: [{ name: 's' }],
      policy: [ask('s/act'), deny('s/*')],
      approver: () => (guard.replaceServerTools('s', [{ name: 'act' }, { name: 'new' }]), true),
    });
    const session = await guard.start();
    expect((await session.turn().guard({ server: 's', tool: 'act' }, { run: () => 1 })).type).toBe('ok');
    await session.end();
  });
});

describe('the end of a session', () => {
  it(proves('Q05', 'G06')('waits for calls in flight: their results are hooked and recorded before it'), async () => {
    const { journal, entries } = kept();
    const seen: string[] = [];
    const slow = {
      name: 'slow',
      postToolCall: async () => {
        await new Promise((resolve) => setTimeout(resolve, 30));
        seen.push('postToolCall');
      },
      onSessionEnd: () => void seen.push('onSessionEnd'),
    };
    const guard = createGuard({ tools, policy: allowAll(), hooks: [slow], journal });
    const session = await guard.start();
    const started = deferred<void>();
    const run = (): Promise<never> => (started.resolve(), new Promise(() => {}));
    const pending = session.turn().guard({ tool: 'act' }, { run });
    await started.promise;
    await session.end();
    expect(seen).toEqual(['postToolCall', 'onSessionEnd']);
    expect(story(entries)).toEqual(['decided allowed', 'settled cancelled']);
    expect((await pending).type).toBe('cancelled');
  });

  it(proves('G15', 'Q05')('writes a result that the journal had missed'), async () => {
    let full = true;
    const { journal, entries } = kept(({ kind }) => full && kind === 'settled');
    const guard = createGuard({ tools, policy: allowAll(), journal });
    const session = await guard.start();
    await session.turn().guard({ tool: 'act' }, { run: () => 1 });
    expect(story(entries)).toEqual(['decided allowed']);
    full = false;
    await session.end();
    expect(story(entries)).toEqual(['decided allowed', 'settled ok']);
  });

  it(proves('H08', 'S08')('releases a hook that asks a person who does not answer'), async () => {
    const silent = onInteraction(() => new Promise<undefined>(() => {}), { name: 'silent' });
    const asks = preToolCall(
      async (_payload, ctx) => void (await ctx.ask([{ question: 'Well?' }]).then(({ type }) => answers.push(type))),
      { name: 'asks' },
    );
    const answers: string[] = [];
    const guard = createGuard({ tools, policy: allowAll(), hooks: [silent, asks] });
    const session = await guard.start();
    const turn = session.turn();
    const pending = turn.guard({ tool: 'act' }, { run: () => 1 });
    await new Promise((resolve) => setTimeout(resolve, 5));
    turn.cancel();
    expect(await pending).toMatchObject({ type: 'denied', status: 'cancelled' });
    expect(answers).toEqual(['cancelled']);
    await session.end();
  });
});

it(proves('H08', 'S08')('a question that was cancelled does not keep the process alive'), async () => {
  const program = `
    import { allowAll, createGuard } from ${JSON.stringify(new URL('../../../dist/index.js', import.meta.url).href)};
    const ui = { name: 'ui', onInteraction: () => new Promise(() => {}) };
    const asks = { name: 'asks', preToolCall: async (_payload, ctx) => void (await ctx.ask([{ question: 'Well?' }])) };
    const guard = createGuard({ tools: [{ name: 'act' }], policy: allowAll(), hooks: [ui, asks], timeoutMs: 60_000 });
    const session = await guard.start();
    const pending = session.turn().guard({ tool: 'act' }, { run: () => 1 });
    setTimeout(() => session.end(), 5);
    console.log((await pending).status);`;
  const run = promisify(execFile);
  // Ten times what it should need; the limit of the hook is far beyond.
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { timeout: 10_000 });
  expect(stdout.trim()).toBe('cancelled');
});

describe('an answer', () => {
  it(proves('Q02')('is not remembered if the journal does not take the record of it'), async () => {
    let asked = 0;
    const { journal } = kept(({ kind }) => kind === 'noted');
    const approver = () => (asked++, { type: 'approve' as const, remember: 'session' as const });
    const guard = createGuard({ tools, policy: ask('act'), approver, journal });
    const session = await guard.start();
    const turn = session.turn();
    for (let i = 0; i < 3; i++) expect((await turn.guard({ tool: 'act' }, { run: () => 1 })).type).toBe('ok');
    expect(asked).toBe(3);
    await session.end();
  });

  it(proves('Q05')('of yes is recorded also where policy then denies'), async () => {
    const { journal, entries } = kept();
    let closed = false;
    const guard = createGuard({
      tools,
      policy: [ask('act'), forbid('act', { when: () => closed })],
      approver: () => ((closed = true), { type: 'approve', by: 'ann' }),
      journal,
    });
    const session = await guard.start();
    await session.turn().guard({ tool: 'act' }, { run: () => 1 });
    expect(story(entries)).toEqual(['decided asked', 'decided approved', 'decided denied']);
    expect(entries[1]).toMatchObject({ approval: { by: 'ann' } });
    await session.end();
  });
});

describe('a value from a hook instead of a result', () => {
  const grant = { outputBytes: 100 };
  const long = 'x'.repeat(1000);

  it(proves('P18')('is bound by the grant like the result itself'), async () => {
    const replaced = postToolCall(() => replace(long), { name: 'long' });
    const recovered = onToolError(() => recover({ long }), { name: 'recovers' });
    const guard = createGuard({ tools, policy: allowAll(), hooks: [replaced], grant });
    const session = await guard.start();
    const result = await session.turn().guard({ tool: 'act' }, { run: () => 1 });
    expect(result.text.length).toBeLessThan(200);
    expect(result.text).toContain('[cut: 900 more characters]');
    await session.end();
    const other = createGuard({ tools, policy: allowAll(), hooks: [recovered], grant });
    const second = await other.start();
    const failed = await second.turn().guard({ tool: 'act' }, { run: () => Promise.reject(new RangeError('no')) });
    expect(failed).toMatchObject({ type: 'error', text: expect.stringContaining('larger than 100 bytes') });
    await second.end();
  });

  it(proves('G08')('keeps the error in the event, too'), async () => {
    const events: BridleEvent[] = [];
    const hooks = [
      onToolError(() => recover('instead'), { name: 'recovers' }),
      { name: 'watch', onEvent: (event: BridleEvent) => void events.push(event) },
    ];
    const guard = createGuard({ tools, policy: allowAll(), hooks });
    const session = await guard.start();
    await session.turn().guard({ tool: 'act' }, { run: () => Promise.reject(new RangeError('broken')) });
    expect(events.find(({ type }) => type === 'tool_settled')).toMatchObject({ outcome: 'recovered', error: 'broken' });
    await session.end();
  });
});

describe('a grant of the guard', () => {
  it(proves('P18', 'G12')('may be wider than the default'), async () => {
    let seen: unknown;
    const look = preToolCall(({ grant }) => void (seen = grant.timeoutMs), { name: 'look' });
    const guard = createGuard({ tools, policy: allowAll(), hooks: [look], grant: { timeoutMs: 3_600_000 } });
    const session = await guard.start();
    await session.turn().guard({ tool: 'act' }, { run: () => 1 });
    expect(seen).toBe(3_600_000);
    await session.end();
  });
});
