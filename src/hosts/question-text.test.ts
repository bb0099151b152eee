import { describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import type { HostCall } from './host.ts';
import { commandCall, fetchCall, patchCall, readFileCall, serverCall, unknownCall } from './host-tools.ts';
import { hostQuestion } from './question-text.ts';

const parts = { id: undefined };
const ask = (name: string, call: HostCall, rest = 'No rule matches this call.'): string =>
  hostQuestion(`May ${name} run? ${rest}`, call);

describe('a question for the prompt of a host', () => {
  it(proves('C05')('names what the agent wants to do'), () => {
    const push = commandCall({ command: 'git push', isBash: true }, parts);
    expect(ask('run_command', push, 'No rule matches `git push`.')).toBe(
      'Run `git push`? No rule of the policy matches it.',
    );
    expect(ask('view_file', readFileCall({ file: '/etc/hosts' }, parts))).toContain('Read `/etc/hosts`? No rule');
    expect(ask('edit_file', patchCall('edit_file', { files: ['a', 'b'], patch: '' }, parts))).toContain(
      'Change `a, b`?',
    );
    expect(ask('read_url_content', fetchCall('https://a.test/', parts))).toContain('Fetch `https://a.test/`?');
    expect(
      ask('github/create_issue', serverCall({ server: 'github', tool: 'create_issue', args: {} }, parts)),
    ).toContain('Use `github/create_issue`?');
    expect(ask('CronCreate', unknownCall({ tool: 'CronCreate', args: {} }, parts))).toContain('Use `CronCreate`?');
  });

  it(proves('C05')('keeps the reason, shortens long commands, and leaves other questions alone'), () => {
    const long = commandCall({ command: `echo ${'x'.repeat(900)}\n\`id\``, isBash: true }, parts);
    const text = ask('run_command', long, 'Bridle cannot tell whether the call reads a file.');
    expect(text).toMatch(/^Run `echo x+…`\? Bridle cannot tell whether the call reads a file\.$/);
    expect(text.length).toBeLessThan(250);
    expect(hostQuestion('Confirm view_file?', readFileCall({ file: '/etc/hosts' }, parts))).toBe('Read `/etc/hosts`?');
    expect(hostQuestion('May the agent change it?', long)).toBe('May the agent change it?');
  });
});
