/** Facts about git, build tools and package managers. */

import { afterAll, describe, expect, it } from 'vitest';
import { proves } from '../../contract/cite.ts';
import { everydayLines } from './everyday-lines.ts';
import { factsOfLine, type FactsOfLine } from './facts-of-line.ts';
import { Bench } from './observe.ts';
import { toolLines, type ToolLine } from './tool-lines.ts';

const bench = new Bench();
afterAll(() => bench.remove());

function isTold(facts: FactsOfLine, effect: string): boolean {
  const [kind = '', name = ''] = effect.split(' ');
  switch (kind) {
    case 'reads':
      return facts.reads(name) !== 'no';
    case 'writes':
      return facts.writes(name) !== 'no';
    case 'starts':
      return facts.runs(name) !== 'no' || facts.opaque === 'yes';
    case 'hides':
      return facts.opaque !== 'no';
    default:
      return facts.readsInside !== 'yes' || facts.writesInside !== 'yes';
  }
}

function untold([line, entry, ...effects]: ToolLine): readonly string[] {
  const facts = factsOfLine(line, bench.cwd);
  const missing: string[] = effects.filter((effect) => !isTold(facts, effect));
  const acts = effects.some((effect) => !effect.startsWith('reads') && effect !== 'leaves');
  if (acts && facts.runsOnly(entry) === 'yes') missing.push(`more than ${entry}`);
  return missing.map((effect) => `${line}: ${effect}`);
}

describe('lines that do more than they seem', () => {
  it('are numerous and distinct', () => {
    expect(new Set(toolLines.map(([line]) => line)).size).toBe(toolLines.length);
    expect(toolLines.length).toBeGreaterThan(200);
  });

  it(proves('X03', 'X04', 'X08')('have facts that show it'), () => {
    expect(toolLines.flatMap(untold)).toEqual([]);
  });
});

describe('everyday lines', () => {
  it('are numerous and distinct', () => {
    expect(new Set(everydayLines.map(([line]) => line)).size).toBe(everydayLines.length);
    expect(everydayLines.length).toBeGreaterThanOrEqual(80);
  });

  it(proves('X04', 'X08')('keep their known facts'), () => {
    const others = everydayLines.flatMap(([line, expected]) => {
      const { opaque, reads, writes, readsInside, writesInside } = factsOfLine(line, bench.cwd);
      const facts = [opaque, reads('**/.env'), writes('**/.env'), readsInside, writesInside].join(' ');
      return facts === expected ? [] : [`${line}: ${facts}, not ${expected}`];
    });
    expect(others).toEqual([]);
  });
});
