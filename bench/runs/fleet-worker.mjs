/** A worker in a process of its own, of Bridle or of DBOS alone; tells of every run that has ended. */

import { load } from '../dist.mjs';
import { agentOptions, prompt } from './plan.mjs';
import { dbosRun } from './contestants.mjs';
import { answering } from '../stores/peer-process.mjs';

const { name, place, url, tool, concurrency, pollMs } = JSON.parse(process.argv[2]);
const ended = () => void process.send({ type: 'ended' });

const onEvent = ({ type, state, message }) => {
  if (type === 'segment_ended' && state === 'done') ended();
  if (type === 'problem') process.send({ type: 'failed', error: message });
};

const workers = {
  async bridle() {
    const { startWorker, queueRun } = await load('fleet/index.js');
    const worker = await startWorker({ store: place, agents: [agentOptions(tool)], concurrency, pollMs, onEvent });
    return { queue: () => queueRun(worker.store, { prompt }), close: () => worker.stop() };
  },

  async dbos() {
    const { DBOS } = await import('@dbos-inc/dbos-sdk');
    const work = async () => {
      const text = await dbosRun(DBOS, tool);
      ended();
      return text;
    };
    const workflow = DBOS.registerWorkflow(work, { name: 'run' });
    DBOS.setConfig({ name: 'bench-fleet', systemDatabaseUrl: url, logLevel: 'error', runAdminServer: false });
    await DBOS.launch();
    await DBOS.registerQueue('runs', { workerConcurrency: concurrency, minPollingIntervalMs: pollMs });
    return { queue: () => DBOS.startWorkflow(workflow, { queueName: 'runs' })(), close: () => DBOS.shutdown() };
  },
};

const { queue, close } = await workers[name]();

answering({
  /** Puts so many runs into the queue, some at a time. */
  async queue({ count }) {
    let left = count;
    const lane = async () => {
      while (left-- > 0) await queue();
    };
    await Promise.all(Array.from({ length: 8 }, lane));
  },
  close,
});
process.send({ type: 'ready' });
