import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtinTools } from 'bridle/tools';
import { afterAll, describe, expect, it } from 'vitest';
import { loadPolicy } from '../../src/policy-files/load/load-policy.ts';
import { proves } from '../contract/cite.ts';
import { allowed, attacks, denied } from './attacks.ts';

function list(entries: readonly string[]): string {
  return entries.map((entry) => JSON.stringify(entry)).join(', ');
}

describe('evasions', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-evasions-')));
  const file = join(folder, 'bridle.yaml');
  const cwd = join(folder, 'work');
  mkdirSync(cwd);
  writeFileSync(
    file,
    `version: 1
default: ask
rules:
  - deny: run_command
    when: runs(${list(denied)})
  - allow: run_command
    when: runsOnly(${list(allowed)})
`,
  );
  const policy = loadPolicy(file, { cwd, home: join(folder, 'home'), tools: builtinTools });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('are numerous and distinct', () => {
    const lines = [...attacks.deny, ...attacks.ask, ...attacks.allow];
    expect(new Set(lines).size).toBe(lines.length);
    expect(lines.length).toBeGreaterThan(150);
  });

  it.each(['deny', 'ask', 'allow'] as const)(
    proves('X02', 'X03', 'X06')('are decided correctly: %s'),
    async (effect) => {
      const others: string[] = [];
      for (const line of attacks[effect]) {
        const decision = await policy.decide({ tool: 'run_command', args: { command_line: line } });
        if (decision.effect !== effect) others.push(`${decision.effect}: ${line}`);
      }
      expect(others).toEqual([]);
    },
  );
});
