/** The slash commands of a chat. */

import type { Agent } from '../../agent/agent.ts';
import { messageOf } from '../../kernel/errors.ts';
import { closestName } from '../../kernel/similar-names.ts';
import { explainText, describeRule } from '../../terminal/renderer/explain-text.ts';
import { splitToolName } from '../policy/check/read-call-line.ts';
import { type SessionLimits, limitsText, dollarsText, tokensText } from './status-line.ts';
import { safeText, escapeControls } from '../../terminal/output/safe-text.ts';

/** What slash commands can read. */
export interface SlashContext {
  readonly agent: Agent;
  readonly limits: SessionLimits;
}

export interface SlashReply {
  readonly text: string;
  readonly quits?: true;
}

interface SlashCommand {
  readonly usage: string;
  readonly summary: string;
  readonly run: (context: SlashContext, rest: string) => SlashReply | Promise<SlashReply>;
}

const explainUsage = '/explain <tool> {"arg": "value"}';

const commands: ReadonlyMap<string, SlashCommand> = new Map(
  Object.entries({
    help: { usage: '/help', summary: 'shows this list', run: () => reply(helpText()) },
    explain: { usage: explainUsage, summary: 'shows how the policy decides a call, and why', run: explain },
    policy: { usage: '/policy', summary: 'lists the rules', run: ({ agent }) => reply(policyText(agent)) },
    tools: { usage: '/tools', summary: 'lists the tools the model sees', run: ({ agent }) => reply(toolsText(agent)) },
    usage: {
      usage: '/usage',
      summary: 'shows tokens, cost and budget so far',
      run: (context) => reply(usageText(context)),
    },
    compact: { usage: '/compact', summary: 'summarises the conversation to make it shorter', run: compact },
    cancel: {
      usage: '/cancel',
      summary: 'cancels the running turn, like Ctrl-C',
      run: () => reply('No turn is running.'),
    },
    quit: { usage: '/quit', summary: 'ends the session, like Ctrl-D', run: () => ({ text: '', quits: true }) },
  } satisfies Record<string, SlashCommand>),
);

export function isSlashCommand(line: string): boolean {
  return line.startsWith('/');
}

/** Runs a line that starts with `/`. */
export async function runSlashCommand(line: string, context: SlashContext): Promise<SlashReply> {
  const [, name = '', rest = ''] = /^\/(\S*)\s*(.*)$/s.exec(line.trim()) ?? [];
  const command = commands.get(name);
  if (command !== undefined) return command.run(context, rest);
  const meant = closestName(name, commands.keys());
  return reply(
    `There is no command /${safeText(name)}.${meant === undefined ? '' : ` Did you mean /${meant}?`} See /help.`,
  );
}

function reply(text: string): SlashReply {
  return { text };
}

function helpText(): string {
  const width = Math.max(...Array.from(commands.values(), ({ usage }) => usage.length));
  const listed = Array.from(commands.values(), ({ usage, summary }) => `  ${usage.padEnd(width)}  ${summary}`);
  return [
    'Type what the agent should do, or:',
    ...listed,
    'Ctrl-C cancels the running turn; a second Ctrl-C, or Ctrl-D, ends the session.',
  ].join('\n');
}

async function explain({ agent }: SlashContext, rest: string): Promise<SlashReply> {
  const [, named = '', json = ''] = /^(\S*)\s*(.*)$/s.exec(rest) ?? [];
  if (named === '') return reply(`Usage: ${explainUsage}`);
  let args: unknown;
  try {
    args = json === '' ? {} : JSON.parse(json);
  } catch (error) {
    return reply(`The args are not JSON: ${safeText(messageOf(error))}\nUsage: ${explainUsage}`);
  }
  return reply(explainText(await agent.guard.policy.explain({ ...splitToolName(named), args })));
}

function policyText(agent: Agent): string {
  const { rules, version } = agent.guard.policy;
  const inOrder = rules.toSorted((a, b) => a.bucket - b.bucket);
  return [...inOrder.map((rule) => `  ${describeRule(rule)}`), `version ${version}`].join('\n');
}

function toolsText(agent: Agent): string {
  return agent.tools
    .map(({ name, server, description = '' }) => {
      const [first = ''] = description.split(/(?<=\.)\s/, 1);
      return `  ${safeText(server === undefined ? name : `${server}/${name}`)}  ${escapeControls(first)}`;
    })
    .join('\n');
}

function usageText({ agent, limits }: SlashContext): string {
  const { total, cost, agents } = agent.usage;
  const each = Object.entries(agents).map(([name, usage]) => `  ${safeText(name)}: ${tokensText(usage)}`);
  return [`tokens ${tokensText(total)} · cost ${dollarsText(cost)} · budget ${limitsText(limits)}`, ...each].join('\n');
}

async function compact({ agent }: SlashContext): Promise<SlashReply> {
  try {
    const removed = await agent.compact();
    return reply(removed === 0 ? 'There is nothing to summarise yet.' : `${removed} messages were summarised.`);
  } catch (error) {
    return reply(`The conversation was not summarised: ${safeText(messageOf(error))}`);
  }
}
