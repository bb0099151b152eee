import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { loadWithPackages } from './optional-packages.ts';
import { optionalPackages } from './own-packages.ts';

const missing = new Error("Cannot find package 'pg'");

describe('optional packages', () => {
  it('are the optional peers of the package, in the versions that are tested', () => {
    for (const [name, version] of Object.entries(optionalPackages)) {
      expect(manifest.devDependencies).toHaveProperty([name], version);
      expect(manifest.peerDependencies).toHaveProperty([name], expect.stringMatching(`^\\^?${version}$`));
      expect(manifest.peerDependenciesMeta).toHaveProperty([name, 'optional'], true);
      expect(manifest.dependencies).not.toHaveProperty([name]);
    }
  });

  it('are returned if they can be loaded', async () => {
    expect(await loadWithPackages('A store', ['pg'], async () => 'loaded')).toBe('loaded');
  });

  it('are named with the command that installs them if they cannot be loaded', async () => {
    const loading = loadWithPackages('A worker', ['pg', '@dbos-inc/dbos-sdk'], () => Promise.reject(missing));
    await expect(loading).rejects.toMatchObject({
      code: 'PACKAGE_MISSING',
      message:
        'A worker needs pg and @dbos-inc/dbos-sdk. Install with: ' +
        "npm install pg@8.23.1 @dbos-inc/dbos-sdk@5.3.0 (Cannot find package 'pg')",
      cause: missing,
    });
  });
});
