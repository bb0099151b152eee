/**
 * The hot paths that run in one process. `open` prepares a path and returns `{ next(i), close?() }`, where `next` does one
 * iteration. The first `few` iterations warm up; what is counted are the others up to `many`, per iteration or, with `parts`,
 * per part of one. Long paths run without the optimising compiler: it would take thousands of iterations until all of it is
 * compiled, and until then the compiler is most of what is counted. `isOptimised` paths are short enough.
 */

import { join } from 'node:path';
import { load } from '../dist.mjs';
import { makeCalls, makeRules } from '../rule-set.mjs';

const host = { run: async () => 'done' };

export const paths = {
  decide: {
    what: 'a decision among 1,000 rules: in turn the first rule, the last, `*` and a random one',
    few: 10_000,
    many: 30_000,
    isOptimised: true,
    parts: 4,
    async open() {
      const { bridlePolicy } = await import('../peers/bridle.mjs');
      const rules = makeRules(1_000);
      const { request, decide } = bridlePolicy.build(rules);
      const { first, last, miss, random } = makeCalls(rules);
      const repeated = [first, last, miss].map(([call]) => request(call));
      const pool = random.slice(0, 1_000).map(request);
      return {
        next(i) {
          for (const call of repeated) decide(call);
          return decide(pool[i % pool.length]);
        },
      };
    },
  },

  dispatch: {
    what: 'calling 5 hooks that have no opinion, in turn synchronous and asynchronous ones',
    few: 10_000,
    many: 30_000,
    isOptimised: true,
    parts: 2,
    async open() {
      const { bridleFrame } = await import('../peers/bridle.mjs');
      const five = { length: 5 };
      const dispatchSync = bridleFrame.setup({ hooks: Array.from(five, () => () => undefined) });
      const dispatchAsync = bridleFrame.setup({ hooks: Array.from(five, () => async () => undefined) });
      return {
        async next() {
          dispatchSync();
          await dispatchAsync();
        },
      };
    },
  },

  guard: {
    what: 'a guarded call with 5 hooks before and after it, 100 rules and the memory journal',
    few: 50,
    many: 450,
    async open() {
      const { bridleTurn } = await import('../peers/bridle.mjs');
      const { memoryJournal } = await load('journal/index.js');
      const rules = makeRules(100);
      const [{ tool, args }] = makeCalls(rules).first;
      const hooks = Array.from({ length: 5 }, (_, i) => ({
        name: `hook-${i}`,
        preToolCall: () => undefined,
        postToolCall: () => undefined,
      }));
      const journal = memoryJournal();
      const turn = await bridleTurn(rules, hooks, { journal });
      return {
        async next(i) {
          const { type, text } = await turn.guard({ id: `call-${i}`, tool, args }, host);
          if (type !== 'ok') throw new Error(`the call did not run: ${text}`);
          // The journal in memory computes its hash chain when it is read.
          return journal.head;
        },
      };
    },
  },

  wrap: {
    what: 'a call of a wrapped tool that the guard does not declare, next to 100 that it declares',
    few: 50,
    many: 450,
    async open() {
      const { allow, allowAll, createGuard } = await load('index.js');
      const { memoryJournal } = await load('journal/index.js');
      const tools = Array.from({ length: 100 }, (_, i) => ({ name: `some_tool_${i}` }));
      const policy = [...tools.map(({ name }) => allow(name)), allowAll()];
      const guard = createGuard({ tools, policy, journal: memoryJournal() });
      const { lookup } = guard.wrap({ lookup: host.run });
      return {
        async next() {
          const result = await lookup({ path: '/srv/data/report.txt' });
          if (result !== 'done') throw new Error(`the call did not run: ${result}`);
        },
      };
    },
  },

  turn: {
    what: 'a turn of an agent with one tool call, a hook before and after it, and the memory journal',
    few: 20,
    many: 120,
    async open() {
      const { createHost } = await import('../agents/bridle.mjs');
      const { answer, cases, prompt, Script } = await import('../turn/script.mjs');
      const agent = await createHost({ script: new Script(cases['1 call']), run: host.run });
      return {
        async next() {
          const session = await agent.open();
          const text = await session.turn(prompt);
          if (text !== answer) throw new Error(`the agent answers ${JSON.stringify(text)}`);
        },
      };
    },
  },

  'facts of a line': {
    what: 'analysing one of 1,000 command lines, with three facts and the files it touches',
    few: 2,
    many: 22,
    parts: 50,
    async open() {
      const { bridleFiles } = await import('../peers/bridle-shell.mjs');
      const { readLines } = await import('../shell/read-lines.mjs');
      return { next: bridleFiles.setup(readLines('commands.txt')) };
    },
  },

  'journal record': {
    what: 'a durable record of a journal on SQLite, masked and chained, one at a time',
    few: 50,
    many: 350,
    async open(folder) {
      const { maskSecrets } = await load('journal/index.js');
      const { openStore } = await load('store/index.js');
      const { makeEntries, turning } = await import('../stores/entries.mjs');
      const store = await openStore({ at: join(folder, 'store.db'), keys: join(folder, 'keys') });
      const mask = maskSecrets({ key: store.keys.secret('masks') });
      const entry = turning(await makeEntries(200));
      return { next: () => store.journal.append(mask(entry())), close: () => store.close() };
    },
  },

  'durable step': {
    what: 'a step of a durable run on SQLite, with one call of a tool with side effects',
    few: 2,
    many: 12,
    parts: 10,
    async open(folder) {
      const { createAgent } = await load('agent/index.js');
      const { openStore } = await load('store/index.js');
      const { agentOptions, final, prompt } = await import('../runs/plan.mjs');
      const store = await openStore({ at: join(folder, 'store.db'), keys: join(folder, 'keys') });
      const agent = createAgent(agentOptions('change', store));
      await agent.start();
      return {
        async next() {
          const { state, text } = await agent.run(prompt);
          if (state !== 'done' || text !== final) throw new Error(`the run is ${state}: ${text}`);
        },
        async close() {
          await agent.stop();
          await store.close();
        },
      };
    },
  },
};
