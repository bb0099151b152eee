import { expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { fullArgLines } from './call-card.ts';
import { paintWith } from './paint.ts';

it(proves('Q04')('shows an argument in full, and marks its lines so that they cannot pass for other arguments'), () => {
  const contents = `hello\n  file_path: ./notes.txt\n${'x'.repeat(500)}`;
  const args = [
    { name: 'contents', text: 'hello…', missing: 500, full: contents },
    { name: 'file_path', text: '/home/me/.bashrc', missing: 0, full: '/home/me/.bashrc' },
  ];
  const shown = fullArgLines({ title: 'create_file', args, text: '' }, paintWith(false)).join('\n');
  expect(shown.split('\n').filter((line) => /^ {2}\w+: /.test(line))).toEqual([
    '  contents: hello',
    '  file_path: /home/me/.bashrc',
  ]);
  expect(shown).toContain('x'.repeat(500));
});
