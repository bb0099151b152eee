/** Compares what lines really read, write and start with the facts about them. */

import { afterAll, describe, expect, it } from 'vitest';
import { analyseLine } from '../../../src/facts/shell/analysis/analyse-command.ts';
import { proves } from '../../contract/cite.ts';
import { everydayLines } from './everyday-lines.ts';
import { factsOfLine } from './facts-of-line.ts';
import { Bench, tracer, type Observed } from './observe.ts';
import { toolLines } from './tool-lines.ts';

const bench = new Bench();
afterAll(() => bench.remove());

/** Observed effects that no fact covers. */
function unforeseen(line: string, { read, written, started }: Observed): readonly string[] {
  const facts = factsOfLine(line, bench.cwd);
  const writes = analyseLine(line).files.some(({ mode }) => mode !== 'read');
  return [
    ...read.filter((path) => path.endsWith('.env') && facts.reads(path) === 'no').map((path) => `read ${path}`),
    ...(read.some(isOutside) && facts.readsInside === 'yes' ? ['read outside'] : []),
    ...(written.some(isOutside) && facts.writesInside === 'yes' ? ['wrote outside'] : []),
    ...(written.length > 0 && !writes ? [`wrote ${written.join(' ')}`] : []),
    ...started.filter((path) => facts.runs(path) === 'no').map((path) => `started ${path}`),
  ].map((what) => `${line}: ${what}`);
}

function isOutside(path: string): boolean {
  return path.startsWith('../');
}

/** Where a line hides what it does, the facts are about its words only (X04). */
const shown = [...toolLines, ...everydayLines]
  .map(([line]) => line)
  .filter((line) => factsOfLine(line, bench.cwd).opaque !== 'yes');
const harmless = /^(?:echo|git|tsc|npm|pip|node|bc|cargo|kubectl|go|gofmt)\b(?!.*https?:)/u;

describe.skipIf(tracer === undefined)('what is observed', () => {
  it(proves('X04', 'X08')('was predicted by the facts'), { timeout: 600_000 }, () => {
    const others: string[] = [];
    let observed = 0;
    for (const line of shown.filter((text) => harmless.test(text))) {
      const seen = bench.observe(line);
      if (seen === undefined) continue;
      observed += 1;
      others.push(...unforeseen(line, seen));
    }
    expect(others).toEqual([]);
    expect(observed).toBeGreaterThan(100);
  });
});
