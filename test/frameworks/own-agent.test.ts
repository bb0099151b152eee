/** The same policy and the same answers of a model leave the same records in Bridle's own agent as in every framework. */

import { allow, deny, type JournalEntry } from 'bridle';
import { createAgent } from 'bridle/agent';
import { scriptedModel } from 'bridle/testing';
import { defineTool } from 'bridle/tools';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { proves } from '../contract/cite.ts';
import journal from './journal.json' with { type: 'json' };

it(proves('B02')("Bridle's own agent leaves the records that the suite expects of every framework"), async () => {
  const entries: JournalEntry[] = [];
  const agent = createAgent({
    model: scriptedModel(journal.script),
    tools: [
      defineTool({ name: 'add', schema: z.object({ a: z.number(), b: z.number() }), run: ({ a, b }) => String(a + b) }),
      defineTool({ name: 'send', schema: z.object({ to: z.string() }), run: () => 'sent' }),
      defineTool({
        name: 'fail',
        schema: z.object({}),
        run: () => {
          throw new RangeError('disk full');
        },
      }),
    ],
    policy: [deny('send', { reason: 'no' }), allow('*')],
    journal: { append: (entry) => void entries.push(entry) },
  });
  await agent.start();
  await agent.chat('go');
  await agent.stop();
  const comparable = entries.map(({ kind, status, turn, agent: path, ...entry }) => {
    const { tool, call, args, requested, reason } = entry as Partial<Extract<JournalEntry, { kind: 'decided' }>>;
    return { kind, status, tool, call, turn, agent: path, args, requested, reason };
  });
  expect(comparable).toEqual(journal.entries);
});
