/** The same run by Bridle, by DBOS alone, and by hand. Each opens what it needs and gives a function that does one run. */

import { openRawPostgres } from '../stores/raw-postgres.mjs';
import { openRawSqlite } from '../stores/raw-sqlite.mjs';
import { agentOptions, answerAfter, final, prompt, runTool, steps } from './plan.mjs';
import { load } from '../dist.mjs';

const { createAgent } = await load('agent/index.js');
const { openStore } = await load('store/index.js');

export const contestants = {
  async bridle({ place, tool }) {
    const store = await openStore(place);
    const agent = createAgent(agentOptions(tool, store));
    await agent.start();
    const one = async () => {
      const { state, text } = await agent.run(prompt);
      if (state !== 'done' || text !== final) throw new Error(`the run is ${state}: ${text}`);
    };
    return {
      one,
      close: async () => {
        await agent.stop();
        await store.close();
      },
    };
  },

  /** A step of DBOS for every answer of the model and every call of the tool. */
  async dbos({ url, tool }) {
    const { DBOS } = await import('@dbos-inc/dbos-sdk');
    const workflow = DBOS.registerWorkflow(() => dbosRun(DBOS, tool), { name: 'run' });
    DBOS.setConfig({ name: 'bench', systemDatabaseUrl: url, logLevel: 'error', runAdminServer: false });
    await DBOS.launch();
    const one = async () => {
      const handle = await DBOS.startWorkflow(workflow)();
      if ((await handle.getResult()) !== final) throw new Error('the workflow did not end as it should');
    };
    return { one, close: () => DBOS.shutdown() };
  },

  /** The limit: an insert for every answer and every result, each a commit of its own, on Postgres each run alone. */
  async limit({ place, rawAt, tool, atOnce }) {
    const { durability } = place;
    const isPostgres = rawAt.startsWith('postgres:');
    const open = () => (isPostgres ? openRawPostgres : openRawSqlite)(rawAt, { durability });
    const tables = await Promise.all(Array.from({ length: isPostgres ? atOnce : 1 }, open));
    const one = async (_, lane = 0) => {
      const raw = tables[lane % tables.length];
      for (let done = 0; ; done++) {
        const answer = answerAfter(done, tool);
        await raw.keep([JSON.stringify(answer)]);
        if (done === steps) return;
        await raw.keep([JSON.stringify(await runTool(answer.calls[0].args))]);
      }
    };
    return { one, close: () => Promise.all(tables.map((each) => each.close())) };
  },
};

export async function dbosRun(DBOS, tool) {
  for (let done = 0; ; done++) {
    const answer = await DBOS.runStep(async () => answerAfter(done, tool), { name: 'model' });
    if (answer.calls === undefined) return answer.text;
    await DBOS.runStep(() => runTool(answer.calls[0].args), { name: 'tool' });
  }
}
