import { createGuard, type Hook, type ToolDeclaration } from 'bridle';
import { describe, expect, it } from 'vitest';
import { proves } from '../test/contract/cite.ts';
import { misspelled, nearest } from './nearest.ts';

describe('a field that is almost one of ours', () => {
  it(proves('W01', 'P14')('is refused on a tool and on a server, where it would be ignored'), () => {
    const tool = { name: 'read', path: ['file'] } as ToolDeclaration;
    expect(() => createGuard({ tools: [tool], policy: [] })).toThrow(
      'tool "read" has a field "path"; did you mean "paths"?',
    );
    const server = { name: 'gh', enabledTool: ['list'] };
    expect(() => createGuard({ tools: [], servers: [server], policy: [] })).toThrow('did you mean "enabledTools"?');
  });

  it(proves('H10')('is refused on a hook'), () => {
    const hook = { name: 'redactor', failopen: false, postToolCall: () => undefined } as Hook;
    expect(() => createGuard({ tools: [], policy: [], hooks: [hook] })).toThrow('did you mean "failOpen"?');
  });

  it(proves('H10', 'H02')('is not a field that is none of ours'), () => {
    const tool = { name: 'read', description: 'reads', title: 'Read', execute: () => '' } as ToolDeclaration;
    const hook = { name: 'mine', count: 0, log: () => 1 } as Hook;
    expect(createGuard({ tools: [tool], policy: [], hooks: [hook] }).tools).toHaveLength(1);
    expect(misspelled({ id: 1, x: 2 }, ['args'])).toBe(undefined);
  });
});

describe('the nearest name', () => {
  it(proves('P14')('is the one with the fewest slips, if few enough'), () => {
    expect(nearest('run_comand', ['view_file', 'run_command', 'run'])).toBe('run_command');
    expect(nearest('VIEW_FILE', ['view_file'])).toBe('view_file');
    expect(nearest('zzz', ['view_file', 'run_command'])).toBe(undefined);
    expect(nearest('', [])).toBe(undefined);
  });
});
