/** The folders in which the corpus is decided and observed. */

import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HostileCase } from './hostile-case.ts';

const script = fileURLToPath(new URL('project.sh', import.meta.url));

export interface Folders {
  /** Created by `project.sh` and never changed. */
  readonly base: string;
  /** A fresh copy of the base. */
  copy(name: string): string;
  removeCopy(name: string): void;
  remove(): void;
}

/** `complete` also creates a shared library and a key, which only a real run needs. */
export function makeFolders({ complete }: { readonly complete: boolean }): Folders {
  // An in-memory file system saves the disk from thousands of copies.
  const memory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  const top = realpathSync(mkdtempSync(join(memory, 'bridle-corpus-')));
  const base = join(top, 'base');
  execFileSync('bash', [script, base, ...(complete ? ['complete'] : [])], { stdio: ['ignore', 'ignore', 'inherit'] });
  return {
    base,
    copy(name) {
      const folder = join(top, name);
      execFileSync('cp', ['-a', base, folder]);
      return folder;
    },
    removeCopy: (name) => rmSync(join(top, name), { recursive: true, force: true }),
    remove: () => rmSync(top, { recursive: true, force: true }),
  };
}

export function plant(project: string, files: HostileCase['files'] = {}): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(project, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    if (text.startsWith('#!')) chmodSync(path, 0o755);
  }
}
