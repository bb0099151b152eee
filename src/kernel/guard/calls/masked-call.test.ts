/** A call with secrets: the tool and the policy get them; what is kept, told or shown does not. */

import { allow, ask, deny, type ApprovalRequest, type Approver, onToolError, preToolCall, recover } from 'bridle';
import type { Mask } from 'bridle/journal';
import { isMasked, maskSecrets, memoryJournal, recordLine } from 'bridle/journal';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { entriesOf, eventsOf, rig, type RigOptions } from '../../../../test/rigs/guard-rig.ts';

const secrets = {
  password: 'p4ssw0rd-of-tests',
  token: 't0ken-of-the-header',
  url: 'pw-in-the-url-77',
  env: 'v4lue-of-the-environment',
};
const env = { SERVICE_API_KEY: secrets.env };
const mask = maskSecrets({ key: 'k', env });
const args = {
  password: secrets.password,
  headers: { Authorization: `Bearer ${secrets.token}` },
  command: `curl -u me:${secrets.url} https://x; echo ${secrets.env}`,
  page: 1,
};

async function masked(options: RigOptions = {}) {
  const requests: ApprovalRequest[] = [];
  const approver: Approver = (request) => {
    requests.push(request);
    return true;
  };
  const rigged = await rig({ policy: [ask('act')], approver, mask, ...options });
  return { ...rigged, requests };
}

const broken: Mask = () => {
  throw new TypeError('broken');
};

function expectNone(what: string, value: unknown): void {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const shown = Object.entries(secrets).filter(([, secret]) => text.includes(secret));
  expect([what, shown]).toEqual([what, []]);
}

describe('with a mask', () => {
  it(proves('R10')('the tool gets the real args, and a rule decides on them'), async () => {
    const rules = [deny('act', { when: (given) => given['password'] !== secrets.password }), allow('act')];
    const { call, host } = await masked({ policy: rules });
    expect(await call('act', args)).toMatchObject({ type: 'ok' });
    expect(host.calls.at(-1)?.args).toEqual(args);
    expect(await call('act', { ...args, password: 'other' })).toMatchObject({ type: 'denied' });
  });

  it(proves('R10')('journal, its export, and events contain no secret, whatever the outcome'), async () => {
    const echo = (given: object): string => `got ${Object.values(given).map(String).join(' and ')} of ${secrets.token}`;
    const does = {
      act: ({ args: given }: { args: object }) => echo(given),
      look: new TypeError(`no: ${secrets.password}`),
    };
    const { call, journal, events, session } = await masked({
      policy: [
        ask('act', { when: ({ page }) => page === 1 }),
        deny('act', { when: ({ page }) => page === 2, reason: `not ${secrets.env}` }),
        allow('look'),
      ],
      does,
    });
    expect(await call('act', args)).toMatchObject({
      type: 'ok',
      text: expect.stringMatching(new RegExp(`^got ${secrets.password} .* of ${secrets.token}$`)),
    });
    await call('act', { ...args, page: 2 });
    await call('look', args);
    await call('nothing', args);
    await session.end();
    expect(journal.entries().length).toBeGreaterThan(6);
    expectNone('the journal', journal.entries());
    expectNone('its export', journal.records.map(recordLine).join('\n'));
    expectNone('events', events);
    const [asked] = entriesOf({ journal }, 'decided');
    expect(isMasked(String((asked?.args as Partial<typeof args> | undefined)?.password))).toBe(true);
    expect(asked?.args).toMatchObject({
      page: 1,
      headers: { Authorization: expect.stringMatching(/^Bearer \[masked:/) },
    });
    expect(eventsOf({ events }, 'tool_requested')[0]?.args).toEqual(asked?.args);
  });

  it(proves('R10', 'Q04')('a person is shown masks, an approver that decides gets the real call'), async () => {
    const { call, requests } = await masked({ policy: [ask('act', { reason: `Really use ${secrets.password}?` })] });
    await call('act', args);
    const [request] = requests;
    expectNone('what is shown', request?.shown);
    expectNone('the questions', request?.questions);
    expect(request?.shown.text).toContain('page: 1');
    expect(request?.call.args).toEqual(args);
  });

  it(proves('R10')('what hooks and tools say when they fail is masked, too'), async () => {
    const fails = preToolCall(
      () => {
        throw new TypeError(`cannot use ${secrets.env}`);
      },
      { name: 'fails', failOpen: true },
    );
    const saves = onToolError(() => recover(`saved from ${secrets.password}`), { name: 'saves' });
    const { call, journal, events } = await masked({
      hooks: [fails, saves],
      does: { act: new TypeError(`broken: ${secrets.password}`) },
    });
    expect(await call('act', args)).toMatchObject({ type: 'recovered' });
    expect(eventsOf({ events }, 'hook_failed')).toHaveLength(1);
    expectNone('the journal', journal.entries());
    expectNone('events', events);
  });

  it(proves('R10')('deltas of an answer are emitted unmasked'), async () => {
    const { turn, events } = await masked();
    turn.emit(() => ({ type: 'text_delta', text: `it is ${secrets.env}`, attempt: 1 }));
    turn.emit(() => ({ type: 'compaction_skipped', reason: `it is ${secrets.env}` }));
    expect(eventsOf({ events }, 'text_delta')).toMatchObject([{ text: `it is ${secrets.env}` }]);
    expectNone('the other event', eventsOf({ events }, 'compaction_skipped'));
  });

  it(proves('R10')('an edit of the real args runs, and what it was is masked'), async () => {
    const edited = { ...args, page: 7 };
    let asked = 0;
    const approver: Approver = () => (asked++ === 0 ? { type: 'approve', args: edited } : true);
    const { call, host, journal } = await masked({ approver });
    expect(await call('act', args)).toMatchObject({ type: 'ok' });
    expect(host.calls.at(-1)?.args).toEqual(edited);
    expectNone('the journal', journal.entries());
  });

  it(proves('R10')('that fails, nothing is recorded, reported or run'), async () => {
    const memory = memoryJournal();
    const { call, events, host } = await masked({ policy: [allow('act')], mask: broken, journal: memory });
    expect(await call('act', args)).toMatchObject({
      type: 'denied',
      reason: expect.stringContaining('not be recorded'),
    });
    expect(host.calls).toEqual([]);
    expect(memory.records).toEqual([]);
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['journal_failed']));
    const asking = await masked({ mask: broken, journal: undefined });
    expect(await asking.call('act', args)).toMatchObject({ type: 'denied' });
    expect(asking.requests).toEqual([]);
  });
});
