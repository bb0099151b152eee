import { createGuard, type Hook, type ToolDeclaration } from 'bridle';
import { describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { misspelledField, closestName } from './similar-names.ts';

describe('a field that is almost one of ours', () => {
  it(proves('W01', 'P14')('is refused on a tool and on a server, where it would be ignored'), () => {
    const tool = { name: 'read', path: ['file'] } as ToolDeclaration;
    expect(() => createGuard({ tools: [tool], policy: [] })).toThrow(
      'tool "read": "path" is not known; did you mean "paths"?',
    );
    const server = { name: 'gh', enabledTool: ['list'] };
    expect(() => createGuard({ tools: [], servers: [server], policy: [] })).toThrow('did you mean "enabledTools"?');
  });

  it(proves('H10')('is refused on a hook'), () => {
    const hook = { name: 'redactor', failopen: false, postToolCall: () => undefined } as Hook;
    expect(() => createGuard({ tools: [], policy: [], hooks: [hook] })).toThrow('did you mean "failOpen"?');
  });

  it(proves('H10', 'H02')('is not an unrelated field'), () => {
    const hook = { name: 'mine', count: 0, rate: 5, date: 1, names: [], late: () => 1, log: () => 1 } as Hook;
    expect(createGuard({ tools: [], policy: [], hooks: [hook] }).tools).toEqual([]);
    expect(misspelledField({ id: 1, x: 2 }, ['args'])).toBe(undefined);
  });
});

describe('the nearest name', () => {
  it(proves('P14')('is the one with the fewest slips, if few enough'), () => {
    expect(closestName('run_comand', ['view_file', 'run_command', 'run'])).toBe('run_command');
    expect(closestName('VIEW_FILE', ['view_file'])).toBe('view_file');
    expect(closestName('zzz', ['view_file', 'run_command'])).toBe(undefined);
    expect(closestName('', [])).toBe(undefined);
  });
});

describe('a misspelled field', () => {
  const known = ['name', 'gate', 'tier', 'paths', 'failOpen', 'enabledTools'];

  it.each(['rate', 'date', 'late', 'names', 'fame', 'pier', 'bathe', '_gate'])(
    proves('H10')('is not one that is only like a short name: %s'),
    (field) => {
      expect(misspelledField({ name: 'limiter', [field]: 5 }, known)).toBeUndefined();
    },
  );

  it.each([
    ['path', 'paths'],
    ['teir', 'tier'],
    ['tiers', 'tier'],
    ['Tier', 'tier'],
    ['gaet', 'gate'],
    ['names', 'name'],
    ['failopen', 'failOpen'],
    ['fail_open', 'failOpen'],
    ['enabledTool', 'enabledTools'],
  ])(proves('H10')('%s is reported with a suggestion: %s'), (field, meant) => {
    expect(misspelledField({ [field]: 5 }, known)).toEqual({ field, meant });
  });
});
