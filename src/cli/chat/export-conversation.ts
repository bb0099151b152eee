/** `/export`: writes a conversation as Markdown or JSON. Secrets are masked, and no file is replaced. */

import { existsSync, statSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { createFileAtomicSync } from '../../files/atomic-write.ts';
import { compilePolicy } from '../../kernel/policy/compiler/compile-policy.ts';
import type { Message } from '../../kernel/hooks/points/payloads.ts';
import { messageOf } from '../../kernel/errors.ts';
import { safeText } from '../../terminal/output/safe-text.ts';
import { allowAll } from '../../kernel/policy/rules/builders.ts';
import { ownFileRules, storeRules } from '../../policy-files/own-file-rules.ts';
import { maskSecrets } from '../../redact/mask-secrets.ts';
import type { Store } from '../../store/store.ts';
import { declareBuiltins } from '../../tools/declare-builtins.ts';
import { textOf } from './chat-sessions.ts';

export interface ExportTarget {
  /** As typed; empty for a name made from the session. */
  readonly file: string;
  readonly session: string;
  readonly cwd: string;
  readonly home: string;
  readonly store: Store | undefined;
}

/** Returns a sentence about what was written, or why nothing was. */
export async function exportConversation(messages: readonly Message[], target: ExportTarget): Promise<string> {
  if (messages.length === 0) return 'There is nothing to export yet.';
  const { cwd, session, file } = target;
  const path = resolve(cwd, file === '' ? `${session}.md` : file);
  const isJson = extname(path).toLowerCase() === '.json';
  if (!isJson && !['.md', '.markdown', '.txt'].includes(extname(path).toLowerCase()))
    return `Nothing was written: name a file that ends with .md or .json, not ${safeText(file)}.`;
  const problem = await problemOf(path, target);
  if (problem !== undefined) return `Nothing was written: ${problem}`;
  const masked = maskSecrets()(messages);
  const text = isJson
    ? `${JSON.stringify({ session, messages: masked }, undefined, 2)}\n`
    : markdownOf(session, masked);
  try {
    if (!createFileAtomicSync(path, text)) return `Nothing was written: ${safeText(path)} exists. Name another file.`;
  } catch (error) {
    return `Nothing was written: ${safeText(messageOf(error))}`;
  }
  return `Exported ${messages.length} messages to ${safeText(path)} (secrets are masked; only you can read the file).`;
}

/** A person may write anywhere, except to the files that control agents (D11). */
async function problemOf(path: string, { cwd, home, store }: ExportTarget): Promise<string | undefined> {
  const folder = dirname(path);
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return `the folder ${safeText(folder)} does not exist.`;
  const own = ownFileRules({ files: [], cwd, home });
  const kept = store === undefined ? [] : storeRules({ files: store.files, keys: store.keys.folder });
  const project = storeRules({ files: [join(cwd, '.bridle')], keys: join(home, 'keys') });
  const policy = compilePolicy([own, kept, project, allowAll()], { tools: declareBuiltins() });
  const { effect, reason } = await policy.decide({ tool: 'create_file', args: { file_path: path, contents: '' } });
  return effect === 'allow' ? undefined : `${safeText(reason)}.`;
}

function markdownOf(session: string, messages: readonly Message[]): string {
  const parts = messages.flatMap((message) => {
    const text = textOf(message).trim();
    const title = { user: '## You', assistant: '## Agent', tool: '', system: '## Instructions' }[message.role];
    const calls = typeof message.content === 'string' ? [] : message.content.flatMap(partText);
    return [...(text === '' || title === '' ? [] : [`${title}\n\n${text}`]), ...calls];
  });
  return `# Chat ${session}\n\n${parts.join('\n\n')}\n`;
}

function partText(part: Exclude<Message['content'], string>[number]): readonly string[] {
  if (part.type === 'tool-call')
    return [`**Call** \`${String(part['toolName'])}\`\n\n${fenced(part['input'], 'json')}`];
  if (part.type !== 'tool-result') return [];
  const output = part['output'] as { readonly value?: unknown; readonly reason?: unknown } | undefined;
  return [`**Result** of \`${String(part['toolName'])}\`\n\n${fenced(output?.value ?? output?.reason ?? output, '')}`];
}

/** The fence is longer than every run of backticks in the text, so the text cannot end it. */
function fenced(value: unknown, language: string): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
