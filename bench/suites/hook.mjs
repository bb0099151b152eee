/** One call of the hook that `bridle install claude` installs: a process per tool call. */

import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { canCount, medianInstructions } from '../cachegrind.mjs';
import { quantile, toRow } from '../measure.mjs';
import { main, node, prepareHook, withFolder } from '../processes.mjs';

const file = (path) => fileURLToPath(new URL(path, import.meta.url));
const bareHandler = file('../hook/bare-handler.cjs');
const safetyNet = file('../node_modules/cc-safety-net/dist/bin/cc-safety-net.js');

export function run(pace, emit) {
  return withFolder(async (folder) => {
    const { place, handler, wrapper, payload } = prepareHook(folder);
    const contestants = [
      { name: 'bridle', command: [node, ...handler], denies: true },
      { name: 'bridle wrapper', command: [wrapper], denies: true },
      { name: 'limit', command: [node, '-e', '0'] },
      { name: 'limit bare', command: [node, bareHandler], denies: true },
      { name: 'cc-safety-net', command: [node, safetyNet, 'hook', '--claude-code'], denies: true },
    ].map((contestant) => new Contestant(contestant, place, payload));
    for (const contestant of contestants) contestant.checkAnswers();
    emit(wallTime(contestants, pace.rounds));
    if (canCount && pace.name !== 'smoke') emit(await instructions(contestants));
    checkRecords(place, contestants);
  });
}

class Contestant {
  calls = 0;

  constructor({ name, command, denies = false }, place, payload) {
    Object.assign(this, { name, command, denies, place, payload });
  }

  /** What a call is given. */
  given(line = 'git status') {
    this.calls += 1;
    return { ...this.place, input: this.payload(line) };
  }

  start(line) {
    const [program, ...args] = this.command;
    return spawnSync(program, args, this.given(line));
  }

  /** What was started first has filled the caches that later calls use. */
  checkAnswers() {
    for (let i = 0; i < 3; i++) {
      const { status, stdout, stderr } = this.start();
      if (status !== 0 || String(stdout).includes('deny')) throw new Error(`${this.name}: ${stdout}${stderr}`);
    }
    if (!this.denies) return;
    const { stdout, stderr } = this.start('rm -rf /');
    if (!String(stdout).includes('"deny"')) throw new Error(`${this.name} does not deny: ${stdout}${stderr}`);
  }
}

function wallTime(contestants, rounds) {
  const samples = contestants.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (let k = 0; k < contestants.length; k++) {
      const turn = (round + k) % contestants.length;
      const from = process.hrtime.bigint();
      const { status, stderr } = contestants[turn].start();
      samples[turn].push(Number(process.hrtime.bigint() - from));
      if (status !== 0) throw new Error(`${contestants[turn].name}: ${stderr}`);
    }
  }
  const results = contestants.map(({ name }, i) => {
    const sorted = samples[i].toSorted((a, b) => a - b);
    return { name, ns: quantile(sorted, 0.5), p25: quantile(sorted, 0.25), p75: quantile(sorted, 0.75) };
  });
  return toRow('hook', 'a call', results);
}

/** Of all processes that a call starts. */
async function instructions(contestants) {
  const results = [];
  for (const contestant of contestants) {
    results.push({ name: contestant.name, ns: await medianInstructions(contestant.command, () => contestant.given()) });
  }
  return { ...toRow('hook', 'a call, instructions', results), unit: 'instructions' };
}

/** Every decision was recorded. */
function checkRecords(place, contestants) {
  const own = contestants.filter(({ name }) => name.startsWith('bridle'));
  const expected = own.reduce((sum, { calls }) => sum + calls, 0);
  const lines = execFileSync(node, [main, 'journal', 'export'], { ...place, maxBuffer: 2 ** 28 });
  const decided = String(lines).split('"kind":"decided"').length - 1;
  if (decided !== expected) throw new Error(`the journal has ${decided} decisions of ${expected} calls`);
}
