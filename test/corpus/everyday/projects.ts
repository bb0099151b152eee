/** The projects of the everyday corpus on the disk, each with the policies that `bridle init` writes there. */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PresetName } from '../../../src/policy-files/init/presets.ts';
import { starterFile } from '../../../src/policy-files/init/starter-file.ts';
import type { LoadedPolicy } from '../../../src/policy-files/loaded-policy.ts';
import { loadFor } from '../policies.ts';
import type { ProjectName } from './everyday-case.ts';

const script = fileURLToPath(new URL('projects.sh', import.meta.url));

export class Projects {
  readonly #top: string;
  readonly #policies = new Map<string, LoadedPolicy>();

  constructor() {
    const memory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
    this.#top = realpathSync(mkdtempSync(join(memory, 'bridle-everyday-')));
    execFileSync('bash', [script, this.#top], { stdio: ['ignore', 'ignore', 'inherit'] });
  }

  folder(name: ProjectName): string {
    return join(this.#top, name);
  }

  /** The policy of a preset for a project, as `bridle init` writes it and `bridle` loads it. */
  policy(name: ProjectName, preset: PresetName): LoadedPolicy {
    const key = `${name} ${preset}`;
    let policy = this.#policies.get(key);
    if (policy === undefined) {
      const folder = this.folder(name);
      rmSync(join(folder, 'bridle.yaml'), { force: true });
      policy = loadFor(folder, starterFile(folder, preset).text);
      this.#policies.set(key, policy);
    }
    return policy;
  }

  write(name: ProjectName, file: string, text: string): void {
    const path = join(this.folder(name), file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  remove(): void {
    rmSync(this.#top, { recursive: true, force: true });
  }
}
