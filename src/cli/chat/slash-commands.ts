/** What can be typed instead of a prompt. */

import type { Agent } from '../../agent/agent.ts';
import { messageOf } from '../../kernel/errors.ts';
import { closestName } from '../../kernel/similar-names.ts';
import { explainText, describeRule } from '../../terminal/renderer/explain-text.ts';
import { type SessionLimits, limitsText, dollarsText, tokensText } from './status-line.ts';
import { safeText, escapeControls } from '../../terminal/output/safe-text.ts';

/** What commands look at. */
export interface SlashContext {
  readonly agent: Agent;
  readonly bounds: SessionLimits;
}

export interface SlashReply {
  readonly text: string;
  readonly quits?: true;
}

interface SlashCommand {
  readonly usage: string;
  readonly does: string;
  readonly run: (scene: SlashContext, rest: string) => SlashReply | Promise<SlashReply>;
}

const explainUsage = '/explain <tool> {"arg": "value"}';

const commands: ReadonlyMap<string, SlashCommand> = new Map(
  Object.entries({
    help: { usage: '/help', does: 'shows this list', run: () => reply(helpText()) },
    explain: { usage: explainUsage, does: 'tells what policy says of a call, and why', run: explain },
    policy: { usage: '/policy', does: 'lists the rules', run: ({ agent }) => reply(policyText(agent)) },
    tools: { usage: '/tools', does: 'lists the tools the model sees', run: ({ agent }) => reply(toolsText(agent)) },
    usage: { usage: '/usage', does: 'tells tokens, cost and budget so far', run: (scene) => reply(usageText(scene)) },
    compact: { usage: '/compact', does: 'makes the conversation shorter', run: compact },
    cancel: { usage: '/cancel', does: 'stops the turn that runs, as Ctrl-C does', run: () => reply('Nothing runs.') },
    quit: { usage: '/quit', does: 'ends the session, as Ctrl-D does', run: () => ({ text: '', quits: true }) },
  } satisfies Record<string, SlashCommand>),
);

export function isSlashCommand(line: string): boolean {
  return line.startsWith('/');
}

/** Does what a line that starts with `/` asks for. */
export async function runSlashCommand(line: string, scene: SlashContext): Promise<SlashReply> {
  const [, name = '', rest = ''] = /^\/(\S*)\s*(.*)$/s.exec(line.trim()) ?? [];
  const command = commands.get(name);
  if (command !== undefined) return command.run(scene, rest);
  const meant = closestName(name, commands.keys());
  return reply(
    `There is no /${safeText(name)}.${meant === undefined ? '' : ` Did you mean /${meant}?`} /help lists all.`,
  );
}

function reply(text: string): SlashReply {
  return { text };
}

function helpText(): string {
  const width = Math.max(...Array.from(commands.values(), ({ usage }) => usage.length));
  const listed = Array.from(commands.values(), ({ usage, does }) => `  ${usage.padEnd(width)}  ${does}`);
  return [
    'Say what you want done, or:',
    ...listed,
    'Ctrl-C cancels the turn that runs; a second one, or Ctrl-D, ends the session.',
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
  const slash = named.indexOf('/');
  const call = slash > 0 ? { server: named.slice(0, slash), tool: named.slice(slash + 1) } : { tool: named };
  return reply(explainText(await agent.guard.policy.explain({ ...call, args })));
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

function usageText({ agent, bounds }: SlashContext): string {
  const { total, cost, agents } = agent.usage;
  const each = Object.entries(agents).map(([name, usage]) => `  ${safeText(name)}: ${tokensText(usage)}`);
  return [`tokens ${tokensText(total)} · cost ${dollarsText(cost)} · budget ${limitsText(bounds)}`, ...each].join('\n');
}

async function compact({ agent }: SlashContext): Promise<SlashReply> {
  try {
    const removed = await agent.compact();
    return reply(removed === 0 ? 'There is nothing to summarise yet.' : `${removed} messages were summarised.`);
  } catch (error) {
    return reply(`That did not work: ${safeText(messageOf(error))}`);
  }
}
