/** A process that hosts agents answers their questions; code that it runs or processes that it starts cannot. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runNode } from '../../test/rigs/child.ts';
import { proves } from '../../test/contract/cite.ts';
import { root } from '../../test/source.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-host-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The approver must be opened before the first session of a process, so each part runs in its own process. */
async function told(role: string): Promise<Record<string, unknown>> {
  const order = { role, at: join(folder, 'store.db'), keys: join(folder, 'keys') };
  const { stdout, output } = await runNode([join(root, 'test/store/host-process.mjs'), JSON.stringify(order)], folder);
  expect(stdout, output).not.toBe('');
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe('the approver of the host process', () => {
  it(
    proves('Q07', 'Q06')('answers its own agents, signed and recorded so; everybody else in its tree is refused'),
    async () => {
      const { openings, said, reached, text, calls, journal, states } = await told('host');
      const noKey = expect.stringMatching(/^OPTION_INVALID: openApprover/);
      expect(openings).toEqual([noKey, noKey, noKey, expect.stringMatching(/^STORE_KEYS: .* not trusted/)]);
      expect(reached).toEqual({ hook: false, tool: false, loop: false });
      expect(said).toEqual({
        ordinary: expect.stringMatching(/^APPROVAL_REFUSED: .*given by the asking process/),
        child: expect.stringMatching(/^APPROVAL_REFUSED: .*one it started/),
        late: expect.stringMatching(/^APPROVAL_REFUSED: .*before the first session/),
        answer: true,
        twice: false,
        denied: 'denied',
        edited: 'approved',
        closed: expect.stringMatching(/^APPROVAL_REFUSED: .*closed/),
      });
      const notThrough = expect.stringContaining('not given through the approver that this process opened');
      expect(calls).toEqual([
        ['c0', 'ok', null],
        ['c1', 'denied', notThrough],
        ['c2', 'denied', notThrough],
        ['c3', 'denied', 'not this'],
        ['c4', 'ok', null],
      ]);
      expect(text).toBe('done');
      expect(journal).toEqual([
        ['approved', 'ann', 'host'],
        ['refused', 'ann', 'host'],
        ['approved', 'ann', 'host'],
      ]);
      expect(states).toEqual(['used', 'void', 'void', 'denied', 'used']);
    },
    60_000,
  );

  it(
    proves('Q07', 'Q03', 'R07')('gives answers that still count after its process has ended'),
    async () => {
      expect(await told('leaving')).toEqual({ state: 'waiting', won: true });
      expect(await told('resuming')).toEqual({ state: 'done', calls: [['c0', 'ok']] });
    },
    60_000,
  );
});
