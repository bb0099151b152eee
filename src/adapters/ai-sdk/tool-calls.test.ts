/** Calls as the AI SDK makes them, without the SDK: `needsApproval` before it could pause, then `execute`. */

import { allow, deny, type JournalEntry } from 'bridle';
import { createGuard, guardTools } from 'bridle/ai-sdk';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { proves } from '../../../test/contract/cite.ts';
import type { AiTool, CallOptions } from './tool-calls.ts';

type Guarded = Required<Pick<AiTool, 'execute'>> & {
  readonly needsApproval: (input: unknown, options: CallOptions) => Promise<boolean>;
};

it(
  proves('G01', 'G04')('a decision of a run that failed does not count for the same call of a later run'),
  async () => {
    let isFrozen = false;
    const ran: unknown[] = [];
    const journal: JournalEntry[] = [];
    const guard = createGuard({
      policy: [deny('send', { when: () => isFrozen, reason: 'Mail is frozen' }), allow('send')],
      journal: { append: (entry) => void journal.push(entry) },
    });
    const inputSchema = z.object({ to: z.string() });
    const { send } = guardTools(guard, { send: { inputSchema, execute: (args: unknown) => ran.push(args) } });
    const { needsApproval, execute } = send as unknown as Guarded;
    const options = { toolCallId: 'call_0', messages: [{ role: 'user', content: 'go' }] };
    expect(await needsApproval({ to: 'ann' }, options)).toBe(false);
    // The run ends here, perhaps because a sibling call failed.
    isFrozen = true;
    const input = { to: 'ann' };
    expect(await needsApproval(input, options)).toBe(false);
    await expect(execute(input as never, options as never)).rejects.toThrow('Mail is frozen');
    expect(ran).toEqual([]);
    expect(journal.filter(({ kind }) => kind === 'decided').map(({ status }) => status)).toEqual(['allowed', 'denied']);
  },
);
