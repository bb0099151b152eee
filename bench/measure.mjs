/**
 * Compares contestants in one process: interleaved short rounds, order rotated, the median of the rounds reported.
 * All contestants are called through the same driver, whose call costs each of them the same few nanoseconds.
 */

/**
 * How long to measure. A contestant whose single call takes longer than `slowMs` is skipped. `smoke` takes no figures: it is
 * over as soon as every contestant has answered, and skips none.
 */
export const paces = {
  full: { name: 'full', rounds: 60, roundMs: 8, warmMs: 100, slowMs: 2000, budgetMs: 1500, leastRounds: 3 },
  quick: { name: 'quick', rounds: 11, roundMs: 5, warmMs: 25, slowMs: 1000, budgetMs: 200, leastRounds: 1 },
  smoke: { name: 'smoke', rounds: 2, roundMs: 1, warmMs: 1, slowMs: 60_000, budgetMs: 1, leastRounds: 1 },
};

/** What every driven call returns ends up here, so that no call is dead code. */
export const sink = { value: undefined };

function driveSync(call, from, count) {
  const start = process.hrtime.bigint();
  for (let i = from; i < from + count; i++) sink.value = call(i);
  return Number(process.hrtime.bigint() - start);
}

async function driveAsync(call, from, count) {
  const start = process.hrtime.bigint();
  for (let i = from; i < from + count; i++) sink.value = await call(i);
  return Number(process.hrtime.bigint() - start);
}

export class Runner {
  constructor({ name, call, reset }) {
    this.name = name;
    this.call = call;
    this.reset = reset;
    this.next = 0;
    this.batch = 1;
    this.samples = [];
  }

  /** Nanoseconds for one batch. */
  async round() {
    await this.reset?.(this.batch);
    const spent = this.drive(this.call, this.next, this.batch);
    this.next = (this.next + this.batch) % 2 ** 30;
    return typeof spent === 'number' ? spent : await spent;
  }

  /** The first call tells whether the contestant is asynchronous and whether it is worth waiting for. */
  async calibrate(pace) {
    await this.reset?.(this.batch);
    const start = process.hrtime.bigint();
    const answer = this.call(0);
    this.drive = typeof answer?.then === 'function' ? driveAsync : driveSync;
    sink.value = await answer;
    const first = Number(process.hrtime.bigint() - start);
    if (first > pace.slowMs * 1e6) {
      this.skipped = `too slow: ${(first / 1e9).toFixed(1)} s per call`;
      return;
    }
    const warmUntil = start + BigInt(pace.warmMs * 1e6);
    let spent;
    do {
      spent = await this.round();
      if (spent < pace.roundMs * 5e5) this.batch *= 2;
    } while (process.hrtime.bigint() < warmUntil);
    this.batch = Math.max(1, Math.round((this.batch * pace.roundMs * 1e6) / spent));
    const roundMs = Math.max(pace.roundMs, spent / 1e6);
    const rounds = Math.max(pace.leastRounds, Math.min(pace.rounds, Math.floor(pace.budgetMs / roundMs)));
    this.every = Math.ceil(pace.rounds / rounds);
  }

  result() {
    if (this.skipped !== undefined) return { name: this.name, ns: null, skipped: this.skipped };
    const sorted = this.samples.toSorted((a, b) => a - b);
    return {
      name: this.name,
      ns: quantile(sorted, 0.5),
      p25: quantile(sorted, 0.25),
      p75: quantile(sorted, 0.75),
    };
  }
}

export function quantile(sorted, q) {
  const at = (sorted.length - 1) * q;
  const low = Math.floor(at);
  return sorted[low] + (sorted[Math.ceil(at)] - sorted[low]) * (at - low);
}

/**
 * Measures `contestants`: `{ name, call(i), reset?(count) }`, where `call` may return a promise and `reset` runs before
 * each round of `count` calls, outside the time taken. Slow contestants take part in fewer rounds.
 */
export function compare(contestants, pace) {
  return compareRunners(
    contestants.map((contestant) => new Runner(contestant)),
    pace,
  );
}

/** The same for runners, wherever they work. */
export async function compareRunners(runners, pace) {
  for (const runner of runners) await blaming(runner.name, () => runner.calibrate(pace));
  const active = runners.filter((runner) => runner.skipped === undefined);
  for (let round = 0; round < pace.rounds; round++) {
    for (let k = 0; k < active.length; k++) {
      const runner = active[(round + k) % active.length];
      if (round % runner.every !== 0) continue;
      const spent = await blaming(runner.name, () => runner.round());
      runner.samples.push(spent / runner.batch);
    }
  }
  return runners.map((runner) => runner.result());
}

/** An error names the contestant that it comes from. */
export async function blaming(name, work) {
  try {
    return await work();
  } catch (error) {
    throw new Error(`${name}: ${error.message}`, { cause: error });
  }
}

/** Runs every contestant for a moment without taking times, so that shared code has seen all kinds of input. */
export async function warm(contestants, ms) {
  for (const { name, call, reset } of contestants) {
    await blaming(name, async () => {
      await reset?.();
      const until = performance.now() + ms;
      for (let i = 0; performance.now() < until; i++) sink.value = await call(i);
    });
  }
}

/** The same by number: a long path is compiled after so many calls, however busy the machine is. */
export async function warmCalls(contestants, count) {
  for (const { name, call } of contestants) {
    await blaming(name, async () => {
      for (let i = 0; i < count; i++) sink.value = await call(i);
    });
  }
}

/**
 * One line of the report: contestants named `bridle` and `limit` are ours and the limit, those named `limit …` are further
 * limits, the others are peers.
 */
export function toRow(suite, title, results) {
  const byName = Object.fromEntries(results.map((result) => [result.name, result]));
  const ours = byName.bridle.ns;
  const limit = byName.limit.ns;
  const peers = {};
  const limits = {};
  const ratios = { limit: divide(ours, limit) };
  const spread = {};
  const skipped = {};
  for (const { name, ns, p25, p75, skipped: reason } of results) {
    if (reason !== undefined) skipped[name] = reason;
    else if (p25 !== undefined) spread[name] = [p25, p75];
    if (name === 'bridle' || name === 'limit') continue;
    const isLimit = name.startsWith('limit ');
    (isLimit ? limits : peers)[name] = ns;
    ratios[name] = isLimit ? divide(ours, ns) : divide(ns, ours);
  }
  return { suite, case: title, unit: 'ns', ours, peers, limit, limits, ratios, spread, skipped };
}

/** The same row for one of the `count` things that a call does. */
export function perPart(row, count) {
  const over = (ns) => (Array.isArray(ns) ? ns.map(over) : ns === null ? null : ns / count);
  const all = (figures) => Object.fromEntries(Object.entries(figures).map(([name, ns]) => [name, over(ns)]));
  const [limits, peers, spread] = [all(row.limits), all(row.peers), all(row.spread)];
  return { ...row, ours: over(row.ours), limit: over(row.limit), limits, peers, spread };
}

function divide(a, b) {
  return a === null || b === null ? null : a / b;
}
