/** A rule that a person accepted, on the path of a call: what it lets through, and for how long. */

import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ask,
  createGuard,
  deny,
  forbid,
  type ApprovalRequest,
  type Approver,
  type GuardOptions,
  type SessionOptions,
} from 'bridle';
import type { Mask } from 'bridle/journal';
import type { RememberDuration } from '../../kernel/approval.ts';
import { createAgent } from 'bridle/agent';
import { openPolicy } from 'bridle/policy-files';
import { workspaceOnly } from 'bridle/facts';
import { runs } from 'bridle/facts';
import { fakeClock, memoryJournal, scriptedModel } from 'bridle/testing';
import { builtinTools } from 'bridle/tools';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { rememberAnswers } from '../remember-answers.ts';
import { ruleProposals } from './rule-proposals.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'remember-')));
  for (const name of ['a.txt', 'b.txt']) writeFileSync(join(folder, name), name);
});
afterEach(() => rmSync(folder, { recursive: true }));

const mask: Mask = (value) => {
  const text = JSON.stringify(value);
  return text.includes('hunter2') ? (JSON.parse(text.replaceAll('hunter2', '•')) as typeof value) : value;
};

interface Asked extends Partial<GuardOptions> {
  readonly remember?: RememberDuration;
  readonly rule?: boolean;
  readonly start?: SessionOptions;
}

/** A guard that asks about everything, and a person who says yes to the rule that is shown. */
function asking({ remember = 'session', rule = true, start = {}, ...options }: Asked = {}) {
  const asked: ApprovalRequest[] = [];
  const approver: Approver = (request) => {
    asked.push(request);
    return { type: 'approve', by: 'ann', remember, rule };
  };
  const guard = createGuard({
    tools: builtinTools,
    policy: [ask('*'), workspaceOnly([folder], { cwd: folder })],
    ...options,
    approver: rememberAnswers(options.approver ?? approver, { proposals: ruleProposals() }),
  });
  const open = async (more: SessionOptions = {}) => {
    const session = await guard.start({ cwd: folder, ...start, ...more });
    let turn = session.turn();
    const call = async (tool: string, args: object): Promise<string> =>
      (await turn.guard({ tool, args }, { run: () => 'done' })).type;
    const line = (command_line: string, more: object = {}) => call('run_command', { command_line, ...more });
    const next = (): void => {
      turn.end();
      turn = session.turn();
    };
    return { call, line, next };
  };
  return { asked, guard, open };
}

const texts = (asked: readonly ApprovalRequest[]): readonly unknown[] =>
  asked.map(({ call }) => call.args['command_line'] ?? call.args['file_path'] ?? call.args['url']);

describe('a rule that was accepted', () => {
  it(proves('Q02')('approves the calls it covers, and no others'), async () => {
    const journal = memoryJournal();
    const { asked, open } = asking({ journal });
    const { line, call } = await open();
    for (const each of ['git log', 'git log --oneline -5', 'git log -- a.txt']) expect(await line(each)).toBe('ok');
    expect(texts(asked)).toEqual(['git log']);
    for (const each of ['git status', 'git log; git push', 'git log > x', 'git log -- /etc/passwd']) await line(each);
    expect(texts(asked)).toEqual([
      'git log',
      'git status',
      'git log; git push',
      'git log > x',
      'git log -- /etc/passwd',
    ]);
    await call('read_url_content', { url: 'https://example.com/a' });
    await call('read_url_content', { url: 'https://example.com/b' });
    await call('read_url_content', { url: 'https://example.org/b' });
    expect(texts(asked).slice(5)).toEqual(['https://example.com/a', 'https://example.org/b']);
    const noted = journal.entries().filter(({ status }) => status === 'remembered');
    expect(noted[0]).toMatchObject({ detail: { by: 'ann', for: 'session', rule: asked[0]?.proposal?.text } });
    const counted = journal
      .entries()
      .filter((entry) => entry.kind === 'decided' && entry.approval?.remembered === true);
    expect(counted).toHaveLength(3);
    expect(counted[0]).toMatchObject({ approval: { id: asked[0]?.id, by: 'ann' } });
  });

  it(proves('Q02')('is not remembered if only the exact args were accepted'), async () => {
    const { asked, open } = asking({ rule: false });
    const { line } = await open();
    for (const each of ['git log', 'git log -5', 'git log']) await line(each);
    expect(texts(asked)).toEqual(['git log', 'git log -5']);
    expect(asked[0]?.proposal?.text).toContain('`git log`');
  });

  it(proves('Q02')('never beats a deny or a forbid'), async () => {
    const policy = [
      forbid('run_command', { when: runs('git log --all') }),
      deny('run_command', { when: runs('git log --stat') }),
      ask('*'),
    ];
    const { asked, open } = asking({ policy });
    const { line } = await open();
    expect(await line('git log')).toBe('ok');
    expect(await line('git log -5')).toBe('ok');
    expect(await line('git log --stat')).toBe('denied');
    expect(await line('git log --all')).toBe('denied');
    expect(texts(asked)).toEqual(['git log']);
  });

  it(proves('Q02')('does not answer an ask of another rule or of a hook'), async () => {
    const policy = [ask('run_command', { name: 'wide', when: runs('git log --all') }), ask('*', { name: 'usual' })];
    const { asked, open } = asking({ policy });
    const { line } = await open();
    for (const each of ['git log', 'git log -5', 'git log --all', 'git log --all -5']) await line(each);
    expect(texts(asked)).toEqual(['git log', 'git log --all']);
  });

  it(proves('Q02')('applies only to its own session and agent'), async () => {
    const { asked, open } = asking();
    await (await open({ id: 'one' })).line('git log');
    await (await open({ id: 'two' })).line('git log -5');
    await (await open({ id: 'three', agent: ['main', 'helper'] })).line('git log -5');
    expect(asked).toHaveLength(3);
  });

  it(proves('Q02')('applies until it expires or its turn ends'), async () => {
    const clock = fakeClock();
    const timed = asking({ remember: { ms: 1000 }, clock });
    const inTime = await timed.open();
    await inTime.line('git log');
    await clock.advance(999);
    await inTime.line('git log -5');
    expect(timed.asked).toHaveLength(1);
    await clock.advance(2);
    await inTime.line('git log -5');
    expect(timed.asked).toHaveLength(2);
    const turned = asking({ remember: 'turn' });
    const inTurn = await turned.open();
    await inTurn.line('git log');
    await inTurn.line('git log -5');
    expect(turned.asked).toHaveLength(1);
    inTurn.next();
    await inTurn.line('git log -5');
    expect(turned.asked).toHaveLength(2);
  });

  it(proves('Q02')('is dropped on any change of the policy file'), async () => {
    const file = join(folder, 'bridle.yaml');
    const write = (text: string): void => {
      writeFileSync(`${file}.new`, `version: 1\n${text}`);
      renameSync(`${file}.new`, file);
    };
    write('rules: [{ ask: run_command }]');
    const policy = openPolicy(file, { cwd: folder, home: join(folder, 'home') });
    const { asked, open } = asking({ policy });
    const { line } = await open();
    await line('git log');
    await line('git log -5');
    expect(texts(asked)).toEqual(['git log']);
    write('rules: [{ deny: view_file }, { ask: run_command }]');
    await line('git log -5');
    expect(texts(asked)).toEqual(['git log', 'git log -5']);
  });

  it(proves('Q02')('applies to the checked file, even if a link changes later'), async () => {
    const { asked, open } = asking();
    const { call } = await open();
    const edit = (file_path: string, new_text: string) => call('edit_file', { file_path, old_text: 'a', new_text });
    symlinkSync('a.txt', join(folder, 'link.txt'));
    await edit('link.txt', '1');
    await edit('link.txt', '2');
    await edit('a.txt', '3');
    expect(texts(asked)).toEqual(['link.txt']);
    unlinkSync(join(folder, 'link.txt'));
    symlinkSync('b.txt', join(folder, 'link.txt'));
    await edit('link.txt', '4');
    expect(texts(asked)).toEqual(['link.txt', 'link.txt']);
    expect(asked[1]?.proposal?.text).toContain(join(folder, 'b.txt'));
  });

  it(proves('Q02')('applies to the folder it was shown for'), async () => {
    mkdirSync(join(folder, 'sub'));
    const { asked, open } = asking();
    const { line } = await open();
    await line('ls');
    await line('ls -l', { working_dir: '.' });
    expect(asked).toHaveLength(1);
    await line('ls -l', { working_dir: 'sub' });
    expect(asked).toHaveLength(2);
  });

  it(proves('Q02', 'R10')('is not proposed if the call contains a secret, because rules are stored'), async () => {
    const { asked, open } = asking({ mask, rule: false });
    const { line } = await open();
    await line('echo hello');
    await line('echo hunter2');
    expect(asked.map(({ proposal }) => proposal !== undefined)).toEqual([true, false]);
  });

  it(proves('Q02')('is proposed to the approver of every agent'), async () => {
    const asked: ApprovalRequest[] = [];
    const agent = createAgent({
      cwd: folder,
      policy: [ask('*')],
      telemetry: false,
      model: scriptedModel([
        { toolCalls: [{ tool: 'run_command', args: { command_line: 'echo one' } }] },
        { toolCalls: [{ tool: 'run_command', args: { command_line: 'echo two' } }] },
        { text: 'done' },
      ]),
      approver: (request) => {
        asked.push(request);
        return { type: 'approve', remember: 'session', rule: true };
      },
    });
    await agent.start();
    await agent.chat('go');
    await agent.stop();
    expect(asked.map(({ proposal }) => proposal?.text)).toEqual([expect.stringContaining('`echo`')]);
  });
});
