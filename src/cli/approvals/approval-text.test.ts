import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { elsewhere, sampleCall } from '../../../test/rigs/approval-rig.ts';
import type { ApprovalRecord } from '../../approvals/signing/approval-record.ts';
import { showCall } from '../../kernel/guard/calls/show-call.ts';
import { paintWith } from '../../terminal/output/paint.ts';
import { callCard } from './approval-text.ts';

const folder = mkdtempSync(join(tmpdir(), 'bridle-card-'));
afterAll(() => rmSync(folder, { recursive: true }));

function cardOf(
  tool: string,
  args: Readonly<Record<string, string>>,
  change: Partial<ApprovalRecord> = {},
): readonly string[] {
  const call = sampleCall({ tool, args, cwd: folder });
  const given = args['file_path'] ?? '';
  const paths = [{ given, path: join(folder, given) }] as never;
  const shown = showCall(call, ['command_line'], 'file_path' in args ? paths : []);
  const record = { state: 'pending', asker: elsewhere(), tool, server: undefined, args, shown, questions: [] };
  return callCard({ ...record, ...change } as unknown as ApprovalRecord, paintWith(false), 200);
}

describe('the card of an approval', () => {
  it(proves('Q04')('shows a command as in a shell, with its folder'), () => {
    expect(cardOf('run_command', { command_line: 'npm test' })).toEqual([
      'run_command',
      '  $ npm test',
      `  in ${folder}`,
    ]);
  });

  it(proves('Q04')('shows an edit as a diff on the machine where it waits, and as args elsewhere'), () => {
    writeFileSync(join(folder, 'a.txt'), 'one\ntwo\n');
    const args = { file_path: 'a.txt', old_text: 'two', new_text: 'zwei' };
    const places = [`  in ${folder}`, `  a.txt resolves to ${join(folder, 'a.txt')}`];
    const diff = ['  +1 −1', '  1   one', '  2 - two', '  2 + zwei'];
    const inArgs = ['edit_file', '  file_path: a.txt', '  old_text: two', '  new_text: zwei', ...places];
    expect(cardOf('edit_file', args)).toEqual(['edit_file', '  file_path: a.txt', ...diff, ...places]);
    expect(cardOf('edit_file', args, { asker: { ...elsewhere(), host: 'other' } })).toEqual(inArgs);
    expect(cardOf('edit_file', args, { state: 'used' })).toEqual(inArgs);
    expect(cardOf('edit_file', { ...args, old_text: 'three' })).toContain('  old_text: three');
  });

  it(proves('Q04')('shows long contents in full'), () => {
    const contents = Array.from({ length: 400 }, (_, at) => `line ${at}\n`).join('');
    const card = cardOf('create_file', { file_path: 'new.txt', contents });
    expect(card).toContain('  400 + line 399');
    expect(card).toContain('in full:');
    expect(card.join('\n')).toContain('contents: line 0');
  });
});
