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

  it('of createGuard has the options that the guide lists', () => {
    const [, fields = ''] = /^interface GuardOptions \{\n([^}]*)^\}/m.exec(read(report)) ?? [];
    const options = Array.from(fields.matchAll(/^ {4}readonly (\w+)/gm), ([, name]) => name);
    const [, table = ''] = read('docs/guides/own-loop.md').split('## All options of createGuard');
    const rows = Array.from(table.matchAll(/^\| (`.*?`) \|/gm), ([, names = '']) =>
      names.replaceAll('`', '').split(', '),
    );
    expect(new Set(rows.flat())).toEqual(new Set(options));
  });
});
