import { describe, expect, it } from 'vitest';
import { runNode } from '../rigs/child.ts';
import { read, root } from '../source.ts';

const report = 'docs/reference/api.txt';

describe('the public API', () => {
  it(`is what ${report} lists`, async () => {
    const { code, stdout } = await runNode(['test/api/run.mjs'], root);
    expect(stdout).toMatch(/^The public API is as listed/);
    expect(code).toBe(0);
  });

  it('has at most 80 names at the root entry point', () => {
    const [, count] = /^=+ bridle: (\d+) names$/m.exec(read(report)) ?? [];
    expect(Number(count)).toBeLessThanOrEqual(80);
  });

  it('knows where every name is declared', () => {
    expect(read(report)).not.toContain('from another package');
  });
});
