import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtinTools } from 'bridle/tools';
import { afterAll, describe, expect, it } from 'vitest';
import { loadPolicy } from '../../src/documents/load-policy.ts';
import { proves } from '../contract/cite.ts';
import { allowed, attacks, denied } from './attacks.ts';

function list(entries: readonly string[]): string {
  return entries.map((entry) => JSON.stringify(entry)).join(', ');
}

describe('evasions', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-evasions-')));
  afterAll(() => rmSync(folder, { recursive: true }));

  async function effects(lines: readonly string[]): Promise<Record<string, string>> {
    writeFileSync(
      join(folder, 'bridle.yaml'),
      `version: 1
default: ask
rules:
  - deny: run_command
    when: runs(${list(denied)})
  - allow: run_command
    when: runsOnly(${list(allowed)})
`,
    );
    const policy = loadPolicy(join(folder, 'bridle.yaml'), { cwd: folder, home: join(folder, 'home'), tools: [...builtinTools] });
    const found: Record<string, string> = {};
    for (const line of lines) {
      const { effect } = await policy.decide({ tool: 'run_command', args: { command_line: line } });
      found[line] = effect;
    }
    return found;
  }

  it('are many and different', () => {
    const lines = [...attacks.deny, ...attacks.ask, ...attacks.allow];
    expect(new Set(lines).size).toBe(lines.length);
    expect(lines.length).toBeGreaterThan(150);
  });

  it.each(['deny', 'ask', 'allow'] as const)(proves('X02', 'X03', 'X06')('are answered: %s'), async (effect) => {
    const lines = attacks[effect];
    const others = Object.entries(await effects(lines)).filter(([, found]) => found !== effect);
    expect(others).toEqual([]);
  });
});
