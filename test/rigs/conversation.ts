/** Checks whether providers would accept a conversation. */

interface Part {
  readonly type: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly input?: unknown;
  readonly [field: string]: unknown;
}

interface Said {
  readonly role: string;
  readonly content: unknown;
}

/** The problems of a list of messages; empty if a provider would accept them. */
export function conversationProblems(messages: readonly unknown[]): readonly string[] {
  const said = (messages as readonly Said[]).filter(({ role }) => role !== 'system');
  const problems = (messages as readonly Said[]).flatMap(systemProblems);
  if (said.length > 0 && said[0]?.role !== 'user') problems.push(`it begins with ${said[0]?.role}`);
  for (const [index, message] of said.entries()) problems.push(...messageProblems(message, said, index));
  return problems;
}

/** The same for a model request, which must end with something to answer. */
export function promptProblems(messages: readonly unknown[]): readonly string[] {
  const last = messages.at(-1) as Said | undefined;
  const open = last?.role === 'user' || last?.role === 'tool' ? [] : [`it ends with ${last?.role ?? 'nothing'}`];
  return [...conversationProblems(messages), ...open];
}

function systemProblems({ role, content }: Said): string[] {
  return role === 'system' && typeof content !== 'string' ? ['the content of a system message is no text'] : [];
}

function messageProblems({ role, content }: Said, said: readonly Said[], index: number): readonly string[] {
  const problems: string[] = [];
  const before = said[index - 1];
  if (!Array.isArray(content) || content.length === 0) return [`[${index}] ${role} has no parts`];
  const parts = content as readonly Part[];
  if (parts.some(({ type, text }) => type === 'text' && String(text).trim() === ''))
    problems.push(`[${index}] says nothing`);
  if (parts.at(-1)?.type === 'reasoning') problems.push(`[${index}] ends with thinking`);
  const calls = parts.filter(({ type }) => type === 'tool-call');
  if (role === 'assistant') {
    if (before?.role === 'assistant') problems.push(`[${index}] follows another answer`);
    problems.push(...callProblems(calls, index));
    if (calls.length > 0) problems.push(...resultProblems(calls, said[index + 1], index));
  }
  if (role === 'tool' && !callsOf(before).length) problems.push(`[${index}] results without calls before them`);
  return problems;
}

function callsOf(message: Said | undefined): readonly Part[] {
  if (message?.role !== 'assistant' || !Array.isArray(message.content)) return [];
  return (message.content as readonly Part[]).filter(({ type }) => type === 'tool-call');
}

function callProblems(calls: readonly Part[], index: number): string[] {
  const problems: string[] = [];
  const ids = calls.map(({ toolCallId }) => toolCallId);
  if (new Set(ids).size < ids.length) problems.push(`[${index}] repeats a call id: ${ids.join(', ')}`);
  for (const { toolName, input, toolCallId } of calls) {
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(toolName ?? '')) problems.push(`[${index}] calls "${toolName}"`);
    if (toolCallId === undefined || toolCallId === '') problems.push(`[${index}] has a call without an id`);
    if (typeof input !== 'object' || input === null || Array.isArray(input)) {
      problems.push(`[${index}] has an input that is no object`);
    }
  }
  return problems;
}

function resultProblems(calls: readonly Part[], next: Said | undefined, index: number): string[] {
  if (next?.role !== 'tool') return [`[${index}] calls tools, and ${next?.role ?? 'nothing'} follows`];
  const results = next.content as readonly Part[];
  const called = calls.map(({ toolCallId, toolName }) => `${toolCallId} ${toolName}`);
  const settled = results.map(({ toolCallId, toolName }) => `${toolCallId} ${toolName}`);
  return called.join() === settled.join() ? [] : [`[${index}] calls ${called.join()}; results are ${settled.join()}`];
}
