import { describe, expect, it } from 'vitest';
import { runNode } from '../rigs/child.ts';
import { root } from '../source.ts';

// Not `approval`: while a process waits for an answer, it polls, so its number of hops varies a little.
describe('npm run walk', () => {
  it.each(['chat', 'guard', 'check'])('finds that %s takes no more hops than it may', async (name) => {
    const { code, stdout } = await runNode(['test/walk/run.mjs', name, '--json'], root);
    const { hops, most } = JSON.parse(stdout) as { hops: number; most: number };
    expect(hops).toBeLessThanOrEqual(most);
    expect(code).toBe(0);
  });
});
