/** What a case works with: a guard with a journal in memory, neutral tools, and the framework behind its driver. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The tools of every case. A driver turns them into tools of its framework. */
export function neutralTools(z, rig) {
  const tool = (name, schema, execute) => ({
    name,
    description: `The tool ${name}.`,
    schema,
    execute: async (args, context = {}) => {
      rig.ran.push({ tool: name, args: structuredClone(args) });
      return execute(args, context);
    },
  });
  return [
    tool('add', z.object({ a: z.number(), b: z.number() }), ({ a, b }) => String(a + b)),
    tool('send', z.object({ to: z.string() }), ({ to }) => `sent to ${to}`),
    tool('note', z.object({ to: z.string() }), ({ to }) => `noted ${to}`),
    tool('fail', z.object({}), () => {
      throw new Error('disk full');
    }),
    tool('wait', z.object({}), (_args, { signal }) => waitFor(signal, rig)),
  ];
}

/** Ends when it is aborted; without a signal, after a while. */
function waitFor(signal, rig) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve('was not aborted'), 3000);
    const stop = () => {
      clearTimeout(timer);
      rig.aborted = true;
      reject(new Error('aborted'));
    };
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop, { once: true });
    rig.onRun?.();
  });
}

/** A script, and the records that it leaves in every framework. */
const journal = JSON.parse(readFileSync(new URL('journal.json', import.meta.url), 'utf8'));

/** What a case gets. `modules` are those of Bridle, loaded where the framework is installed. */
export function createContext({ driver, modules, processes }) {
  const { bridle, adapter, testing } = modules;
  const folder = mkdtempSync(join(tmpdir(), 'bridle-frameworks-'));
  const opened = [];
  const clock = testing.fakeClock();
  return {
    bridle,
    clock,
    processes,
    journal,
    /** The ways in which a framework takes tools after it was guarded. */
    lateWays: driver.lateWays ?? ['added'],
    unreachable: driver.unreachable ?? 'postCompaction',
    writeFile(name, text) {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    },
    async open({ bare = false, policy, hooks, options, script, ...extra }) {
      const rig = new Rig(driver);
      rig.guard = bare
        ? undefined
        : adapter.createGuard({
            policy,
            hooks,
            journal: { append: (entry) => void rig.journal.push(entry) },
            onWarning: () => undefined,
            ...options,
          });
      opened.push(rig);
      rig.agent = await driver.open({
        guard: rig.guard,
        adapter,
        tools: neutralTools(driver.z, rig).filter(({ name }) => name !== 'note' || extra.note === true),
        script,
        record: rig,
        ...extra,
      });
      return rig;
    },
    async close() {
      for (const rig of opened) {
        await rig.agent?.close?.();
        await rig.guard?.end();
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

class Rig {
  journal = [];
  /** The calls that really ran. */
  ran = [];
  aborted = false;
  onRun = undefined;

  constructor(driver) {
    this.framework = driver.name;
    this.showsRewrittenArgs = driver.showsRewrittenArgs ?? false;
  }

  run(prompt, options = {}) {
    return this.agent.run(prompt, options);
  }

  resume(paused, answers) {
    return this.agent.resume(paused, answers);
  }

  /** A paused state in which somebody has changed the args of a call. */
  forge(paused, id, args) {
    return this.agent.forge(paused, id, args);
  }

  /** The requests that the model got. */
  requests() {
    return this.agent.requests();
  }

  mcpCalls() {
    return this.agent.mcpCalls();
  }

  whenRun(listen) {
    this.onRun = listen;
  }

  async until(find) {
    for (let attempt = 0; attempt < 200; attempt++) {
      const found = find();
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error('it did not happen within four seconds');
  }
}
