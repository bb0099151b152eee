/** One contestant in a process of its own: DBOS makes every `await` of its process dearer. */

import { Runner } from '../measure.mjs';
import { answering } from '../stores/peer-process.mjs';
import { contestants } from './contestants.mjs';

const { name, atOnce, ...order } = JSON.parse(process.argv[2]);
const { one, close } = await contestants[name]({ ...order, atOnce });
const call = (i) => Promise.all(Array.from({ length: atOnce }, (_, lane) => one(i, lane)));
const runner = new Runner({ name, call });

answering({
  async calibrate({ pace }) {
    await runner.calibrate(pace);
    const { batch, every, skipped } = runner;
    return { batch, every, skipped };
  },
  round: () => runner.round(),
  close,
});
process.send({ type: 'ready' });
