/** What a step of a run costs that outlives its process, what a fleet does, and what waits in one Postgres. */

import { join } from 'node:path';
import { blaming, compareRunners, perPart, Runner, toRow } from '../measure.mjs';
import { fleetRow } from '../runs/fleet.mjs';
import { steps } from '../runs/plan.mjs';
import { waitingTable } from '../runs/waiting.mjs';
import { storePace } from '../stores/pace.mjs';
import { PeerProcess } from '../stores/peer-process.mjs';
import { withScratch } from '../stores/scratch.mjs';

const script = new URL('../runs/contestant.mjs', import.meta.url);
const tools = { 'no side effects': 'look', 'side effects': 'change' };
const rivals = { sqlite: ['bridle', 'limit'], postgres: ['bridle', 'limit', 'dbos'] };

export async function run(pace, emit) {
  await withScratch(pace, async (scratch) => {
    const rates = [['steps per second', ...rivals.postgres]];
    let limit;
    for (const kind of scratch.kinds) {
      for (const atOnce of [1, 10]) {
        for (const [title, tool] of Object.entries(tools)) {
          const row = await stepRow({ scratch, kind, tool, atOnce, pace: storePace(pace) }, title);
          rates.push([row.case, ...rivals.postgres.map((name) => rate(row, name))]);
          emit(row);
          limit = row.limit * steps;
        }
      }
    }
    if (scratch.url !== undefined) {
      const fleet = [['runs per second', 'bridle', 'dbos']];
      for (const workers of [1, 3]) {
        const row = await fleetRow({
          scratch,
          tool: 'change',
          workers,
          runs: { full: 300, quick: 20, smoke: 5 }[pace.name],
          limit,
        });
        fleet.push([row.case, rate(row, 'bridle'), rate(row, 'dbos')]);
        emit(row);
      }
      emit({ suite: 'runs', case: 'runs per second', table: fleet });
      emit(await waitingTable(scratch, { full: 10_000, quick: 100, smoke: 10 }[pace.name]));
    }
    emit({ suite: 'runs', case: 'steps per second', table: rates });
  });
}

function rate(row, name) {
  const ns = { bridle: row.ours, limit: row.limit, ...row.peers }[name];
  return ns === undefined ? '–' : (1e9 / ns).toLocaleString('en', { maximumSignificantDigits: 3 });
}

/** One step of a run, alone or of ten runs at once. */
async function stepRow({ scratch, kind, tool, atOnce, pace }, title) {
  const order = { tool, atOnce, place: scratch.place(kind), url: scratch.url };
  const rawAt = kind === 'postgres' ? scratch.url : join(scratch.folder, `raw-${tool}-${atOnce}.db`);
  const processes = rivals[kind].map((name) => {
    return { name, process: new PeerProcess(script, [JSON.stringify({ ...order, rawAt, name })]) };
  });
  try {
    await Promise.all(processes.map(({ name, process }) => blaming(name, () => process.next('ready'))));
    const results = await compareRunners(
      processes.map((each) => new RemoteRunner(each)),
      pace,
    );
    return perPart(toRow('runs', `${kind}, ${title}, ${atOnce} at once`, results), steps * atOnce);
  } finally {
    for (const each of processes) await each.process.stop();
  }
}

class RemoteRunner extends Runner {
  constructor({ name, process }) {
    super({ name });
    this.process = process;
  }

  async calibrate(pace) {
    Object.assign(this, await this.process.ask('calibrate', { pace }));
  }

  round() {
    return this.process.ask('round');
  }
}
