/** The package without packing it: its manifest, and the entry points as they were built. */

import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { run } from './rigs/child.ts';
import { root } from './source.ts';

describe('package.json', () => {
  it('pins its dependencies, and runs nothing when installed', () => {
    const versions = Object.values({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
    expect(Object.keys(manifest.scripts).filter((name) => /^(?:pre|post)?(?:install|prepare)$/.test(name))).toEqual([]);
  });

  it('names entry points that can be imported', async () => {
    const targets = Object.values(manifest.exports).flatMap((each) => (typeof each === 'string' ? [] : [each.default]));
    const urls = targets.map((target) => pathToFileURL(join(root, target)).href);
    // In a process of its own: here, the tests have loaded the source of the same modules.
    const script = `for (const url of ${JSON.stringify(urls)}) if (Object.keys(await import(url)).length === 0) throw url;`;
    const child = await run({ command: process.execPath, args: ['--input-type=module', '-e', script], cwd: root });
    expect(child.code, child.output).toBe(0);
  });
});
