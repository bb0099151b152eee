/** docs/reference/hosts.md shows the records of the hosts. `npx vitest run test/hosts-page.test.ts -u` writes it. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allHostSettings } from '../src/hosts/install/all-settings.ts';
import { hostRecords } from '../src/hosts/doctor/all-records.ts';
import { hostNames } from '../src/hosts/host.ts';
import { levels } from '../src/hosts/settings/host-settings.ts';
import { proves } from './contract/cite.ts';
import { hostsText } from './hosts-page.ts';
import { read, root } from './source.ts';

const page = 'docs/reference/hosts.md';
const block = /(<!-- records: start -->\n)[^]*?(\n<!-- records: end -->)/;

describe(page, () => {
  it(proves('C02', 'C03', 'C11')('says what each host can and cannot enforce, from the records'), async () => {
    const written = read(page).replace(block, (_, start: string, end: string) => `${start}\n${hostsText()}\n${end}`);
    await expect(written).toMatchFileSnapshot(join(root, page));
  });
});

describe('the guides for coding agents', () => {
  it.each(hostNames)('name the settings files of %s, and how to remove the hook without Bridle', (host) => {
    const guide = read(`docs/guides/coding-agents/${host}.md`);
    const settings = allHostSettings.find((each) => each.host === host);
    const places = { home: '~', project: '', env: {}, root: '/' };
    for (const level of levels) {
      const path = settings?.file(level, places)?.path;
      if (path !== undefined) expect(guide).toContain(`\`${path}\``);
    }
    expect(guide).toContain('## Remove the hook without Bridle');
  });
});

describe('the installed events', () => {
  it.each(allHostSettings.filter(({ host }) => host !== 'opencode'))(
    proves('C09')('of $host are those of its record'),
    (settings) => {
      const file = settings.file('user', { home: '/h', project: '/p', env: {}, root: '/' });
      const text = file?.add(undefined, { wrapper: '/d/hook', limitSeconds: 60, observe: false }) ?? '{}';
      const { hooks } = JSON.parse(text) as { hooks: Record<string, unknown> };
      const events = Object.values(hostRecords[settings.host][0]?.points ?? {});
      expect(Object.keys(hooks)).toEqual(expect.arrayContaining([...new Set(events)]));
    },
  );
});
