/** The slash commands of `bridle chat` about the policy and the tools; those about the conversation are in their own file. */

import { messageOf } from '../../kernel/errors.ts';
import { pairText } from '../../kernel/names.ts';
import type { LoopControl, SlashCommand } from '../../terminal/loop-commands.ts';
import { explainText, describeRule } from '../../terminal/renderer/explain-text.ts';
import { safeText, safeJson, escapeControls } from '../../terminal/output/safe-text.ts';
import { splitToolName } from '../policy/check/read-call-line.ts';
import { type ApproveModeName, approveModes } from './approve-mode.ts';
import type { Chat } from './chat-agent.ts';
import { conversationCommands } from './conversation-commands.ts';

const explainUsage = '/explain <command line>, or /explain <tool> {"arg": "value"}';

export function slashCommands(chat: Chat): Readonly<Record<string, SlashCommand>> {
  return {
    ...conversationCommands(chat),
    approve: {
      usage: '/approve [mode]',
      summary: 'shows or sets what is asked: ask, edits, read-only',
      run: (_, rest) => approve(chat, rest),
    },
    policy: {
      usage: '/policy',
      summary: 'lists the rules, and the one that decided last',
      run: (loop) => policyText(loop, chat),
    },
    explain: {
      usage: '/explain [call]',
      summary: 'shows how the policy decides a command line or a call, by default the last one',
      run: (loop, rest) => explain(loop, chat, rest),
    },
    hooks: { usage: '/hooks', summary: 'lists the hooks, and what they did', run: () => chat.hooks.text() },
    tools: { usage: '/tools', summary: 'lists the tools the model sees', run: toolsText },
  };
}

function approve({ mode, hasOwnApprover }: Chat, rest: string): string {
  const name = rest.toLowerCase();
  if (name === '') {
    const lines = Object.entries(approveModes).map(([each, summary]) => {
      return `${each === mode.current ? '* ' : '  '}${each.padEnd(9)}  ${summary}`;
    });
    return [...lines, 'To change it: /approve <mode>'].join('\n');
  }
  if (!Object.hasOwn(approveModes, name))
    return `There is no mode ${safeText(rest)}. The modes are ${Object.keys(approveModes).join(', ')}.`;
  if (name === 'edits' && hasOwnApprover)
    return 'The module of this agent answers approvals itself, so edits cannot be accepted here.';
  mode.set(name as ApproveModeName);
  return `Mode ${name}: ${approveModes[mode.current]}.`;
}

function policyText({ agent }: LoopControl, { last }: Chat): string {
  const { rules, version } = agent.guard.policy;
  const inOrder = rules.toSorted((a, b) => a.bucket - b.bucket);
  return [
    ...inOrder.map((rule) => `  ${describeRule(rule)}`),
    `version ${version}`,
    last.text === undefined ? 'No call was decided yet.' : `last: ${last.text} (details: /explain)`,
  ].join('\n');
}

async function explain({ agent }: LoopControl, { last }: Chat, rest: string): Promise<string> {
  const [, named = '', json = ''] = /^(\S*)\s*(.*)$/s.exec(rest) ?? [];
  const { policy } = agent.guard;
  if (named === '') {
    const { call } = last;
    if (call === undefined) return `There is no call to explain yet.\nUsage: ${explainUsage}`;
    const { server, tool, args } = call;
    const name = safeText(server === undefined ? tool : `${server}/${tool}`);
    return `${name} ${safeJson(args ?? {})}\n${explainText(await policy.explain(call))}`;
  }
  const isTool = agent.tools.some(({ server, name }) => pairText(server, name) === named);
  // Args in braces belong to a tool, also to one that does not exist; everything else is a command line.
  if (!isTool && !json.startsWith('{') && hasCommands(agent)) {
    const command_line = rest.replace(/^--\s+/, '');
    return `$ ${safeText(command_line)}\n${explainText(await policy.explain({ tool: 'run_command', args: { command_line } }))}`;
  }
  let args: unknown;
  try {
    args = json === '' ? {} : JSON.parse(json);
  } catch (error) {
    return `The args are not JSON: ${safeText(messageOf(error))}\nUsage: ${explainUsage}`;
  }
  return explainText(await policy.explain({ ...splitToolName(named), args }));
}

function hasCommands({ tools }: LoopControl['agent']): boolean {
  return tools.some(({ name, server }) => server === undefined && name === 'run_command');
}

function toolsText({ agent }: LoopControl): string {
  const names = agent.tools.map(({ name, server }) => safeText(pairText(server, name)));
  // A few long names of servers do not move the column of all others.
  const width = Math.min(18, Math.max(...names.map(({ length }) => length)));
  return agent.tools
    .map(({ description = '' }, index) => {
      const [first = ''] = description.split(/(?<=\.)\s/, 1);
      return `  ${(names[index] ?? '').padEnd(width)}  ${escapeControls(first)}`;
    })
    .join('\n');
}
