/** What can be typed instead of a prompt. */

import type { Agent } from '../agent/agent.ts';
import { messageOf } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { explainText, placeOf } from './explain-text.ts';
import { type Bounds, boundsText, dollars, tokens } from './status-line.ts';
import { inset, spellOut } from './visible-text.ts';

/** What commands look at. */
export interface CommandScene {
  readonly agent: Agent;
  readonly bounds: Bounds;
}

export interface CommandAnswer {
  readonly text: string;
  readonly quits?: true;
}

interface SlashCommand {
  readonly usage: string;
  readonly does: string;
  readonly run: (scene: CommandScene, rest: string) => CommandAnswer | Promise<CommandAnswer>;
}

const explainUsage = '/explain <tool> {"arg": "value"}';

const commands: ReadonlyMap<string, SlashCommand> = new Map(
  Object.entries({
    help: { usage: '/help', does: 'shows this list', run: () => said(helpText()) },
    explain: { usage: explainUsage, does: 'tells what policy says of a call, and why', run: explain },
    policy: { usage: '/policy', does: 'lists the rules', run: ({ agent }) => said(policyText(agent)) },
    tools: { usage: '/tools', does: 'lists the tools the model sees', run: ({ agent }) => said(toolsText(agent)) },
    usage: { usage: '/usage', does: 'tells tokens, cost and budget so far', run: (scene) => said(usageText(scene)) },
    compact: { usage: '/compact', does: 'makes the conversation shorter', run: compact },
    cancel: { usage: '/cancel', does: 'stops the turn that runs, as Ctrl-C does', run: () => said('Nothing runs.') },
    quit: { usage: '/quit', does: 'ends the session, as Ctrl-D does', run: () => ({ text: '', quits: true }) },
  } satisfies Record<string, SlashCommand>),
);

export function isSlashCommand(line: string): boolean {
  return line.startsWith('/');
}

/** Does what a line that starts with `/` asks for. */
export async function runSlashCommand(line: string, scene: CommandScene): Promise<CommandAnswer> {
  const [, name = '', rest = ''] = /^\/(\S*)\s*(.*)$/s.exec(line.trim()) ?? [];
  const command = commands.get(name);
  if (command !== undefined) return command.run(scene, rest);
  const meant = nearest(name, commands.keys());
  return said(`There is no /${inset(name)}.${meant === undefined ? '' : ` Did you mean /${meant}?`} /help lists all.`);
}

function said(text: string): CommandAnswer {
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

async function explain({ agent }: CommandScene, rest: string): Promise<CommandAnswer> {
  const [, named = '', json = ''] = /^(\S*)\s*(.*)$/s.exec(rest) ?? [];
  if (named === '') return said(`Usage: ${explainUsage}`);
  let args: unknown;
  try {
    args = json === '' ? {} : JSON.parse(json);
  } catch (error) {
    return said(`The args are not JSON: ${inset(messageOf(error))}\nUsage: ${explainUsage}`);
  }
  const slash = named.indexOf('/');
  const call = slash > 0 ? { server: named.slice(0, slash), tool: named.slice(slash + 1) } : { tool: named };
  return said(explainText(await agent.guard.policy.explain({ ...call, args })));
}

function policyText(agent: Agent): string {
  const { rules, version } = agent.guard.policy;
  const inOrder = rules.toSorted((a, b) => a.bucket - b.bucket);
  return [...inOrder.map((rule) => `  ${placeOf(rule)}`), `version ${version}`].join('\n');
}

function toolsText(agent: Agent): string {
  return agent.tools
    .map(({ name, server, description = '' }) => {
      const [first = ''] = description.split(/(?<=\.)\s/, 1);
      return `  ${inset(server === undefined ? name : `${server}/${name}`)}  ${spellOut(first)}`;
    })
    .join('\n');
}

function usageText({ agent, bounds }: CommandScene): string {
  const { total, cost, agents } = agent.usage;
  const each = Object.entries(agents).map(([name, usage]) => `  ${inset(name)}: ${tokens(usage)}`);
  return [`tokens ${tokens(total)} · cost ${dollars(cost)} · budget ${boundsText(bounds)}`, ...each].join('\n');
}

async function compact({ agent }: CommandScene): Promise<CommandAnswer> {
  try {
    const removed = await agent.compact();
    return said(removed === 0 ? 'There is nothing to summarise yet.' : `${removed} messages were summarised.`);
  } catch (error) {
    return said(`That did not work: ${inset(messageOf(error))}`);
  }
}
