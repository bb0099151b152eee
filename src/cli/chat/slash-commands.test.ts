import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { arg, deny, safeDefaults } from 'bridle';
import { type Agent, createAgent, plannerModel } from 'bridle/agent';
import { proves } from '../../../test/contract/cite.ts';
import { isSlashCommand, runSlashCommand } from './slash-commands.ts';

let agent: Agent;
const limits = { maxCost: 2, maxSteps: undefined };

async function answerTo(line: string): Promise<string> {
  return (await runSlashCommand(line, { agent, limits })).text;
}

beforeAll(async () => {
  const policy = [
    deny('run_command', {
      name: 'no_sudo',
      when: arg('command_line', (line) => typeof line === 'string' && line.startsWith('sudo')),
    }),
    safeDefaults(),
  ];
  agent = createAgent({ model: plannerModel(), policy, approver: () => false, telemetry: false });
  await agent.start();
});

afterAll(() => agent.stop());

describe('slash commands', () => {
  it('start with a slash', () => {
    expect([isSlashCommand('/help'), isSlashCommand('help /x')]).toEqual([true, false]);
  });

  it(proves('P12')('explain a call: the rule that decides, its bucket, and why the others did not'), async () => {
    expect(await answerTo('/explain run_command {"command_line": "ls"}')).toBe(
      [
        'ask: decided by safe_confirm (ask *)',
        '  question: May run_command run?',
        'rules, in order of evaluation:',
        '  workspace_only (forbid *): did not apply',
        '  no_sudo (deny run_command): did not apply',
        '  safe_confirm (ask *): decided',
        '  safe_observe (allow *): not reached',
      ].join('\n'),
    );
    expect(await answerTo('/explain run_command {"command_line": "sudo ls"}')).toMatch(/^deny: decided by no_sudo/);
    expect(await answerTo('/explain view_file {"file_path": "a.txt"}')).toMatch(/^allow: decided by safe_observe/);
  });

  it('report what is wrong with a call that cannot be explained', async () => {
    expect(await answerTo('/explain')).toMatch(/^Usage: /);
    expect(await answerTo('/explain run_command {oops')).toMatch(/^The args are not JSON: /);
    expect(await answerTo('/explain run_comand {}')).toMatch(/^deny: the call is invalid\n {2}reason: .*run_command/s);
    expect(await answerTo('/explain files/read {}')).toMatch(/^deny: the call is invalid/);
  });

  it('list rules, tools, usage and themselves', async () => {
    expect(await answerTo('/policy')).toMatch(/^ {2}workspace_only \(forbid \*\)\n {2}no_sudo/);
    expect(await answerTo('/tools')).toContain('  run_command  Runs a command line in bash');
    expect(await answerTo('/usage')).toBe('tokens 0 in 0 out · cost $0.0000 · budget $2.00');
    const help = await answerTo('/help');
    for (const name of ['help', 'explain', 'policy', 'tools', 'usage', 'compact', 'cancel', 'quit']) {
      expect(help).toContain(`/${name}`);
    }
  });

  it('suggest the nearest command', async () => {
    expect(await answerTo('/polici')).toBe('There is no command /polici. Did you mean /policy? See /help.');
    expect(await answerTo('/\u001B[2J')).toBe('There is no command /⟨U+001B⟩[2J. See /help.');
    expect(await answerTo('/')).toContain('See /help');
  });

  it('end the session only with /quit', async () => {
    expect(await runSlashCommand('/quit', { agent, limits })).toEqual({ text: '', quits: true });
    expect(await runSlashCommand('/cancel', { agent, limits })).toEqual({ text: 'No turn is running.' });
    expect(await answerTo('/compact')).toBe('There is nothing to summarise yet.');
  });
});
