/** The map from folders to their tests, and the list of tests that failed by luck. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesUnder, read, root } from './source.ts';
import folders from './suites.json' with { type: 'json' };

const tests = ['src', 'test', 'examples'].flatMap(filesUnder).filter((path) => path.endsWith('.test.ts'));

describe('test/suites.json', () => {
  it('has a row for each folder of src', () => {
    const inSource = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const mapped = folders.map(({ folder }) => folder);
    expect(mapped.filter((folder) => folder.startsWith('src/')).toSorted()).toEqual(
      inSource.map(({ name }) => `src/${name}`).toSorted(),
    );
  });

  it('names suites that exist', () => {
    const suites = folders.flatMap((row) => row.suites);
    expect(suites.filter((suite) => !tests.some((path) => path.startsWith(suite)))).toEqual([]);
  });

  it('is the table in CONTRIBUTING.md', () => {
    const rows = folders.map(
      ({ folder, suites, quick, long }) =>
        `| \`${folder}\` | ${suites.map((suite) => `\`${suite}\``).join(', ')} | ${quick} s | ${long} s |`,
    );
    expect(read('CONTRIBUTING.md')).toContain(rows.join('\n'));
  });
});

describe('test/flaky.md', () => {
  const listed = Array.from(read('test/flaky.md').matchAll(/^- `([^`]+)`/gm), ([, path = '']) => path);

  it('lists tests that exist', () => {
    expect(listed.filter((path) => !tests.includes(path))).toEqual([]);
  });

  it('lists no tests of faults, killed processes, attacks, oracles or stores', () => {
    const never =
      /fault|failures|kill|process|attack|oracle|hostile|damage|store|sqlite|postgres|journal|reference|runs/i;
    expect(listed.filter((path) => never.test(path))).toEqual([]);
  });
});
