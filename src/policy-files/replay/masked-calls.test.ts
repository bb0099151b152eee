/** Calls with secrets, recorded by a guard that masks them, under another policy. */

import { allow } from 'bridle';
import { maskSecrets, recordLine } from 'bridle/journal';
import { expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { documentOf, policyOf, type RigDocument } from '../../../test/rigs/policy-rig.ts';
import { rig } from '../../../test/rigs/guard-rig.ts';
import { replayJournal, type ReplayEvent } from './replay-journal.ts';

const calls = [
  { url: 'https://x', password: 'hunter2', page: 1 },
  { url: 'https://me:hunter2@x', page: 1 },
  { url: 'https://x', page: 1 },
];

async function recorded(): Promise<readonly string[]> {
  const { call, journal } = await rig({ policy: [allow('act')], mask: maskSecrets({ key: 'k', env: {} }) });
  for (const args of calls) await call('act', args);
  const lines = journal.records.map(recordLine);
  expect(lines.join('\n')).not.toContain('hunter2');
  return lines;
}

async function told(rules: RigDocument['rules'], conditions: Parameters<typeof policyOf>[1]) {
  const policy = policyOf([documentOf({ rules, default: 'allow' })], conditions);
  const events: ReplayEvent[] = [];
  for await (const event of replayJournal(await recorded(), policy)) events.push(event);
  const last = events.at(-1);
  return last?.type === 'report' ? last.report : undefined;
}

it(proves('D09', 'R10')('have an unknown decision only if a rule reads a masked value'), async () => {
  const conditions = {
    page: (args: { readonly page?: unknown }) => args.page === 1,
    secret: (args: { readonly password?: unknown }) => args.password === 'hunter2',
    url: (args: { readonly url?: unknown }) => String(args.url).includes('hunter2'),
  };
  expect(await told([['deny', 'act', { when: 'page' }]], { conditions })).toMatchObject({
    compared: 3,
    cannotTell: 0,
  });
  expect(await told([['deny', 'act', { when: 'secret' }]], { conditions })).toMatchObject({
    compared: 2,
    cannotTell: 1,
  });
  expect(await told([['deny', 'act', { when: 'url' }]], { conditions })).toMatchObject({
    compared: 2,
    cannotTell: 1,
  });
});
