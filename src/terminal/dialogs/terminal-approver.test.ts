import type { ApprovalRequest } from 'bridle';
import { expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { fullArgsText } from './terminal-approver.ts';

it(proves('Q04')('shows an argument in full, and marks its lines so that they cannot pass for other arguments'), () => {
  const contents = `hello\n  file_path: ./notes.txt\n${'x'.repeat(500)}`;
  const args = [
    { name: 'contents', text: 'hello…', missing: 500, full: contents },
    { name: 'file_path', text: '/home/me/.bashrc', missing: 0, full: '/home/me/.bashrc' },
  ];
  const shown = fullArgsText({ shown: { title: 'create_file', args, text: '' } } as unknown as ApprovalRequest);
  expect(shown.split('\n').filter((line) => /^ {2}\w+: /.test(line))).toEqual([
    '  contents: hello',
    '  file_path: /home/me/.bashrc',
  ]);
  expect(shown).toContain('x'.repeat(500));
});
