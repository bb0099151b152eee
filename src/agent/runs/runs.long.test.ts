/** Runs that continue where another process, or another agent in this process, stopped. */

import { ask, allow, BridleError, preToolCall, transform, type Approver } from 'bridle';
import { type AgentOptions, createAgent, type RunResult } from 'bridle/agent';
import { type ScriptedModel, scriptedModel, type ScriptedStep } from 'bridle/testing';
import { defineTool, type RunnableTool } from 'bridle/tools';
import { expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { act, calling, look, resultsIn } from '../../../test/rigs/agent-rig.ts';
import { describeStores, type StoreRig } from '../../../test/rigs/store-rig.ts';
import type { RunClaim, Runs } from '../../store/runs/run-record.ts';
import type { Store } from '../../store/store.ts';

interface Person {
  readonly agent: ReturnType<typeof createAgent>;
  readonly model: ScriptedModel;
  readonly store: Store;
}

/** An agent on the rig's store, as in another process. */
async function worker(
  rig: StoreRig,
  steps: readonly ScriptedStep[],
  options: Partial<AgentOptions> = {},
): Promise<Person> {
  const store = await rig.open();
  const model = scriptedModel(steps);
  const base: AgentOptions = { model, capabilities: 'none', default: 'allow', telemetry: false, retries: 0, store };
  const agent = createAgent({ ...base, ...options });
  await agent.start();
  return { agent, model, store };
}

const suspend: Approver = () => ({ type: 'suspend' });
const yes: Approver = () => true;
const asks = [ask('act'), allow('*')];

function done(result: RunResult): Extract<RunResult, { state: 'done' }> {
  if (result.state !== 'done') throw new TypeError(`The run is ${result.state}.`);
  return result;
}

/** The last message that the model received. */
function receivedResults({ model }: Person): readonly string[] {
  const prompt = model.calls.at(-1)?.prompt ?? [];
  return prompt
    .filter(({ role }) => role === 'tool')
    .flatMap((message) => resultsIn(message).map((each) => each.output.value));
}

async function kinds(store: Store): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { text } of store.journal.read()) {
    const { kind, status } = JSON.parse(text) as { kind: string; status: string };
    found.push(`${kind} ${status}`);
  }
  return found;
}

describeStores('a run', (rig) => {
  it(proves('R07')('that has ended does not run again'), async () => {
    const executed: unknown[] = [];
    const first = await worker(rig, [calling(['act', { n: 1 }]), 'all done'], {
      tools: [act((args) => executed.push(args))],
    });
    const result = done(await first.agent.run('go', { id: 'r1' }));
    expect(result).toMatchObject({ state: 'done', id: 'r1', text: 'all done', stopReason: 'end', steps: 2 });
    const second = await worker(rig, [], { tools: [act((args) => executed.push(args))] });
    expect(await second.agent.run('go', { id: 'r1' })).toEqual(result);
    expect(await second.agent.resume('r1')).toEqual(result);
    expect(executed).toEqual([{ n: 1 }]);
    await expect(second.agent.run('something else', { id: 'r1' })).rejects.toThrow('already exists with another input');
    await expect(second.agent.resume('r2')).rejects.toThrow('no run "r2"');
  });

  it(proves('R10')('leaves nothing of its state behind'), async () => {
    const { agent, store } = await worker(rig, [calling('act'), 'done'], {
      tools: [act(() => 'the secret of the tool')],
    });
    await agent.run('go', { id: 'r1' });
    const claim = await store.runs.claim('r1', { leaseMs: 1000 });
    expect(claim).toEqual(expect.any(String));
    expect(await store.runs.get('r1')).toMatchObject({ state: 'done', steps: expect.any(Number) });
  });

  it(proves('Q03', 'R07')('waits without a process, and continues elsewhere after an approval'), async () => {
    const executed: string[] = [];
    const tools = [act((args) => executed.push(JSON.stringify(args['n']))), look()];
    const first = await worker(rig, [calling('look', ['act', { n: 1 }])], { tools, policy: asks, approver: suspend });
    const waiting = await first.agent.run('go', { id: 'r1', hold: 'release' });
    expect(waiting).toMatchObject({ state: 'waiting', id: 'r1', approvals: [expect.any(String)] });
    expect(await first.store.runs.get('r1')).toMatchObject({ state: 'waiting' });
    expect(executed).toEqual([]);
    await first.agent.stop();

    const [record] = await first.store.approvals.list({ run: 'r1' });
    expect(record).toMatchObject({ state: 'pending', tool: 'act', args: { n: 1 }, run: 'r1' });
    // Nobody has answered: it cannot be taken, and taking it would change nothing.
    const early = await worker(rig, [], { tools, policy: asks });
    expect(await early.agent.resume('r1', { hold: 'release' })).toEqual(waiting);
  });

  it(
    proves('G13')('keeps the results of finished calls while another one waits, and continues with that one'),
    async () => {
      const seen: string[] = [];
      const peek = defineTool({ name: 'peek', tier: 'observe', run: () => (seen.push('peek'), 'peeked') });
      const tools = [look(() => (seen.push('look'), 'seen')), peek];
      const policy = [ask('peek'), allow('*')];
      const first = await worker(rig, [calling('look', 'peek', 'look')], { tools, policy, approver: suspend });
      await first.agent.run('go', { id: 'r1', hold: 'release' });
      expect(seen).toEqual(['look', 'look']);
      await first.agent.stop();
      const [record] = await first.store.approvals.list({ run: 'r1' });
      await first.store.approvals.move(record?.id as never, { from: 'pending', to: 'cancelled', by: 'test' });
      const second = await worker(rig, ['fine'], { tools, policy, approver: yes });
      expect(done(await second.agent.resume('r1')).text).toBe('fine');
      expect(seen).toEqual(['look', 'look', 'peek']);
      expect(receivedResults(second)).toEqual(['seen', 'peeked', 'seen']);
    },
  );

  it(proves('R07', 'A25')('lists the calls of all its processes'), async () => {
    const tools = [look(), act((args) => args)];
    const steps = [calling('look', ['act', { n: 1 }], 'look')];
    const first = await worker(rig, steps, { tools, policy: asks, approver: suspend });
    expect(await first.agent.run('go', { id: 'r1', hold: 'release' })).toMatchObject({ state: 'waiting' });
    await first.agent.stop();
    const [record] = await first.store.approvals.list({ run: 'r1' });
    await first.store.approvals.move(record?.id as never, { from: 'pending', to: 'cancelled', by: 'test' });
    const second = await worker(rig, [calling('look'), 'fine'], { tools, policy: asks, approver: yes });
    const { toolCalls } = done(await second.agent.resume('r1'));
    expect(toolCalls.map(({ id, tool, step, outcome }) => `${id} ${tool} ${step} ${outcome}`)).toEqual([
      'call-1 look 1 ok',
      'call-2 act 1 ok',
      'call-3 look 1 ok',
      'call-1 look 2 ok',
    ]);
    const third = await worker(rig, []);
    expect(done(await third.agent.resume('r1')).toolCalls).toMatchObject(JSON.parse(JSON.stringify(toolCalls)));
  });

  it('needs a store and the built-in loop', async () => {
    const model = scriptedModel(['hi']);
    const agent = createAgent({ model, capabilities: 'none', telemetry: false });
    await agent.start();
    await expect(agent.run('go')).rejects.toThrow('needs a store');
    await agent.stop();
    const own = await worker(rig, ['hi'], { loop: { name: 'own', run: () => Promise.resolve('x') } });
    await expect(own.agent.run('go')).rejects.toThrow('loop');
    await expect(own.agent.run('go', { id: '../x' })).rejects.toThrow(BridleError);
    await expect(own.agent.run('go', { hold: 'never' as never })).rejects.toThrow('hold');
  });

  it('that fails reports it, now and later', async () => {
    const { agent, store } = await worker(rig, [{ error: new Error('no such model') }]);
    const result = await agent.run('go', { id: 'r1' });
    expect(result).toMatchObject({ state: 'failed', error: expect.stringContaining('no such model') });
    expect(await agent.run('go', { id: 'r1' })).toEqual(result);
    expect(await store.runs.get('r1')).toMatchObject({ state: 'failed' });
  });

  it('that is cancelled stays cancelled', async () => {
    const stop = new AbortController();
    const { agent } = await worker(rig, [calling('act'), 'never'], {
      tools: [act(() => new Promise(() => stop.abort()))],
    });
    expect(await agent.run('go', { id: 'r1', signal: stop.signal })).toMatchObject({ state: 'cancelled' });
    expect(await agent.resume('r1')).toMatchObject({ state: 'cancelled' });
  });
});

/** Runs a first agent up to a hanging tool, and claims the run for a second one when the lease has expired. */
async function takenOver(
  rig: StoreRig,
  {
    tool,
    steps,
    options = {},
  }: {
    tool: (run: Parameters<typeof act>[0]) => RunnableTool;
    steps: readonly ScriptedStep[];
    options?: Partial<AgentOptions>;
  },
) {
  const keys: string[] = [];
  let begin: (() => void) | undefined;
  const hasBegun = new Promise<void>((resolve) => (begin = resolve));
  let hangs = true;
  const run: Parameters<typeof act>[0] = (_, { idempotencyKey }) => {
    keys.push(idempotencyKey);
    begin?.();
    return hangs ? new Promise(() => undefined) : 'ran again';
  };
  const made = tool(run);
  const first = await worker(rig, [calling('look', [made.name, { n: 1 }])], { tools: [made, look()], ...options });
  // As a process that hangs: it does not even renew its lease.
  const lostRun = first.agent.run('go', { id: 'r1', leaseMs: 2_000 });
  lostRun.catch(() => undefined);
  await Promise.race([hasBegun, lostRun]);
  hangs = false;
  const second = await worker(rig, steps, { tools: [made, look()], ...options });
  await first.store.close();
  const result = await resumed(second, 'r1');
  return { result, second, keys, lost: lostRun };
}

/** Tries until the lease is over. */
async function resumed({ agent }: Person, id: string): Promise<RunResult> {
  for (;;) {
    try {
      return await agent.resume(id);
    } catch (error) {
      if (!(error instanceof BridleError) || error.code !== 'RUN_STATE') throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

describeStores('a step in flight', (rig) => {
  it(proves('R07')('of a tool with side effects is reported as interrupted and does not run again'), async () => {
    const { result, second, keys, lost } = await takenOver(rig, {
      tool: (run) => act(run),
      steps: ['I see'],
    });
    expect(done(result).text).toBe('I see');
    expect(keys).toHaveLength(1);
    expect(receivedResults(second)).toEqual(['seen', expect.stringContaining('The call was interrupted')]);
    expect(await kinds(second.store)).toContain('settled interrupted');
    await expect(lost).rejects.toThrow(BridleError);
  });

  it(proves('R07')('of an idempotent tool runs again with the same key'), async () => {
    const { result, second, keys } = await takenOver(rig, {
      tool: (run) => ({ ...act(run), idempotent: true }),
      steps: ['fine'],
    });
    expect(done(result).text).toBe('fine');
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
    expect(receivedResults(second)).toEqual(['seen', 'ran again']);
  });

  it(proves('R07')('of a tool without side effects runs again'), async () => {
    const { result, keys } = await takenOver(rig, {
      tool: (run) => look(run, 'peek'),
      steps: ['fine'],
    });
    expect(done(result).text).toBe('fine');
    expect(new Set(keys).size).toBe(1);
  });
});

/** A store that is there, on a line that is dead from now on: nothing fails, and nothing is answered. */
function unanswered(store: Store): Store {
  const claims = async (claiming: ReturnType<Runs['claim']>) => {
    const claim = await claiming;
    return typeof claim === 'string' ? claim : replaced<RunClaim>(claim, { renew: () => new Promise(() => undefined) });
  };
  const runs = replaced<Runs>(store.runs, { claim: (id, options) => claims(store.runs.claim(id, options)) });
  return replaced<Store>(store, { runs });
}

/** An object with some of its methods replaced. */
function replaced<T extends object>(of: T, by: Partial<T>): T {
  return new Proxy(of, {
    get: (_, name) => {
      const value: unknown = name in by ? by[name as keyof T] : Reflect.get(of, name);
      return typeof value === 'function' ? (value.bind(of) as unknown) : value;
    },
  });
}

describeStores('a run whose lease cannot be renewed', (rig) => {
  it(proves('R07')('stops its tool when the lease expires, even if the store does not answer'), async () => {
    const store = await rig.open();
    const stopped: boolean[] = [];
    const tool = act((_, { signal }) => {
      signal.addEventListener('abort', () => stopped.push(true));
      return new Promise(() => undefined);
    });
    const first = await worker(rig, [calling('act')], { tools: [tool], store: unanswered(store) });
    await expect(first.agent.run('go', { id: 'r1', leaseMs: 2_000 })).rejects.toMatchObject({ code: 'RUN_FENCED' });
    expect(stopped).toEqual([true]);
  });
});

/** As if somebody had answered: the run may be taken, and the person at the second agent says what counts. */
const woken = async (store: Store): Promise<void> => {
  const [record] = await store.approvals.list({ run: 'r1' });
  await store.approvals.move(record?.id as never, { from: 'pending', to: 'cancelled', by: 'test' });
};

describeStores('an approval of a run', (rig) => {
  const suspended = async (options: Partial<AgentOptions> = {}) => {
    const tools = [act()];
    const first = await worker(rig, [calling(['act', { n: 1 }])], {
      tools,
      policy: asks,
      approver: suspend,
      ...options,
    });
    await first.agent.run('go', { id: 'r1', hold: 'release' });
    await first.agent.stop();
    return first;
  };
  it(proves('Q03')('is void if a hook has changed the arguments meanwhile, and the call is denied'), async () => {
    const first = await suspended();
    const executed: unknown[] = [];
    const rewrite = preToolCall(({ call }) => transform({ ...call.args, n: 2 }), { name: 'rewrite' });
    const second = await worker(rig, ['told'], {
      tools: [act((args) => executed.push(args))],
      policy: asks,
      approver: yes,
      hooks: [rewrite],
    });
    const claim = await claimed(first.store);
    await claim.release();
    const result = await second.agent.resume('r1');
    expect(result).toMatchObject({ state: 'done' });
    expect(executed).toEqual([]);
    expect(receivedResults(second)[0]).toContain('is void');
    expect((await first.store.approvals.list({ run: 'r1' })).map(({ state }) => state)).toEqual(['void']);
  });

  it(proves('Q01', 'Q03')('is requested again under another policy'), async () => {
    const first = await suspended();
    const questions: string[] = [];
    const second = await worker(rig, ['told'], {
      tools: [act()],
      policy: [ask('act', { reason: 'Is it all right?' }), allow('*')],
      approver: ({ id }) => (questions.push(id), true),
    });
    const claim = await claimed(first.store);
    await claim.release();
    expect(await second.agent.resume('r1')).toMatchObject({ state: 'done' });
    expect(questions).toHaveLength(1);
    expect((await first.store.approvals.list({ run: 'r1' })).map(({ state }) => state).toSorted()).toEqual([
      'used',
      'void',
    ]);
  });

  it('is requested again if it was revoked', async () => {
    const first = await suspended();
    await woken(first.store);
    const second = await worker(rig, ['told'], { tools: [act()], policy: asks, approver: yes });
    expect(await second.agent.resume('r1')).toMatchObject({ state: 'done' });
  });

  /** The run, as whoever is woken by an answer gets it. */
  async function claimed(store: Store) {
    await store.runs.reap(Date.now());
    await wake(store);
    const claim = await store.runs.claim('r1', { leaseMs: 1000 });
    if (typeof claim === 'string') throw new TypeError(claim);
    return claim;
  }

  /** Queues the waiting run as an answer would, and leaves its approval as it is. */
  async function wake(store: Store): Promise<void> {
    const parts = await rig.parts();
    const { wakeRun } = await import('../../store/runs/run-rows.ts');
    await parts.database.write((transaction) => wakeRun(parts, transaction, 'r1'));
    expect((await store.runs.get('r1'))?.state).toBe('queued');
  }
});

/** The store, with claims that do something else now and then. */
function withClaims(store: Store, change: (claim: RunClaim) => Partial<RunClaim>): Store {
  const runs: Runs = {
    ...bound(store.runs),
    claim: async (id, options) => {
      const claim = await store.runs.claim(id, options);
      return typeof claim === 'string' ? claim : { ...bound(claim), run: claim.run, ...change(claim) };
    },
  };
  return { ...store, runs };
}

/** Its methods, whichever class they come from. */
function bound<T extends object>(target: T): T {
  const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(target)).concat(Object.keys(target));
  const entries = methods.map((name) => [name, (target as Record<string, unknown>)[name]] as const);
  const made = entries.map(
    ([name, value]) => [name, typeof value === 'function' ? value.bind(target) : value] as const,
  );
  return Object.fromEntries(made) as T;
}

describeStores('a run with failures', (rig) => {
  it(proves('R07')('that got a denial and then needs another approval waits for it'), async () => {
    const { agent, store } = await worker(rig, [calling(['act', { n: 1 }]), calling(['act', { n: 2 }])], {
      tools: [act()],
      policy: asks,
      approver: ({ call }) => (call.args['n'] === 1 ? false : { type: 'suspend' }),
    });
    const result = await agent.run('go', { id: 'r1', hold: 'release' });
    expect(result).toEqual({ state: 'waiting', id: 'r1', approvals: [expect.any(String)] });
    expect(await store.runs.get('r1')).toMatchObject({ state: 'waiting' });
  });

  it(proves('R07', 'G15')('does not start a call that was cancelled while its start was recorded'), async () => {
    const store = await rig.open();
    const slow = withClaims(store, (claim) => ({
      record: async (step, state) => {
        if (step.kind === 'begun') await new Promise((resolve) => setTimeout(resolve, 300));
        return claim.record(step, state);
      },
    }));
    const executed: unknown[] = [];
    const tool = { ...act((args) => executed.push(args)), grant: { timeoutMs: 50 } };
    const { agent, model } = await worker(rig, [calling('act'), 'I see'], { tools: [tool], store: slow });
    expect(await agent.run('go', { id: 'r1' })).toMatchObject({ state: 'done', text: 'I see' });
    expect(receivedResults({ agent, model, store })[0]).toContain('did not finish within 50 ms');
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(executed).toEqual([]);
  });

  it(proves('R03')('survives a short outage of the store'), async () => {
    const store = await rig.open();
    const away = new Set<string>();
    const once = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
      if (away.has(name)) return work();
      away.add(name);
      throw new BridleError('STORE_FAILED', 'the connection was lost');
    };
    const shaky = withClaims(store, (claim) => ({
      record: (step, state) => once(step.kind, () => claim.record(step, state)),
      finish: (end) => once('finish', () => claim.finish(end)),
    }));
    const { agent } = await worker(rig, [calling('act'), 'done'], { tools: [act()], store: shaky });
    expect(await agent.run('go', { id: 'r1' })).toMatchObject({ state: 'done', text: 'done' });
    expect([...away]).toEqual(['entered', 'answered', 'begun', 'settled', 'finish']);
  });

  it(proves('R10')('masks secrets in its final error, and leaves no approval open'), async () => {
    const { agent, store } = await worker(rig, [
      { error: new Error('401 for Authorization: Bearer abcdefghijklmnop') },
    ]);
    const result = await agent.run('go', { id: 'r1' });
    expect(JSON.stringify(result)).not.toContain('abcdefghijklmnop');
    const stop = new AbortController();
    const asking = await worker(rig, [calling('act')], { tools: [act()], policy: asks });
    const running = asking.agent.run('go', { id: 'r2', signal: stop.signal });
    while ((await store.approvals.list({ run: 'r2', state: 'pending' })).length === 0) await new Promise(setImmediate);
    stop.abort();
    expect(await running).toMatchObject({ state: 'cancelled' });
    expect((await store.approvals.list({ run: 'r2' })).map(({ state }) => state)).toEqual(['cancelled']);
  });

  it(proves('A18')('counts a repeated call once, and counts a model call whose end was not recorded'), async () => {
    const peek = defineTool({ name: 'peek', tier: 'observe', run: () => 'peeked' });
    const budget = { perSession: { toolCalls: 2 } };
    const policy = [ask('peek'), allow('*')];
    const first = await worker(rig, [calling('look', 'peek')], {
      tools: [look(), peek],
      policy,
      approver: suspend,
      budget,
    });
    await first.agent.run('go', { id: 'r1', hold: 'release' });
    await first.agent.stop();
    const [record] = await first.store.approvals.list({ run: 'r1' });
    await first.store.approvals.move(record?.id as never, { from: 'pending', to: 'cancelled', by: 'test' });
    const second = await worker(rig, ['fine'], { tools: [look(), peek], policy, approver: yes, budget });
    expect(done(await second.agent.resume('r1')).text).toBe('fine');
  });
});
