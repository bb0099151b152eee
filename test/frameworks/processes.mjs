/** A question that outlives its process: asked in one, approved in a second one, and answered for in a third one. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export function createProcesses(folder) {
  const place = mkdtempSync(join(tmpdir(), 'bridle-durable-'));
  const state = join(place, 'state.json');
  return {
    /** Runs a step. `from` is the state that it continues from. */
    step(name, from) {
      if (from !== undefined) writeFileSync(state, JSON.stringify(from));
      const program = fileURLToPath(new URL('durable.mjs', import.meta.url));
      execFileSync(process.execPath, [program, folder, place, name], { stdio: ['ignore', 'ignore', 'inherit'] });
      return name === 'approve' ? undefined : JSON.parse(readFileSync(state, 'utf8'));
    },
  };
}
