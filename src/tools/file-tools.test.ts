import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  closeSync,
  ftruncateSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { toolRig, type ToolRig } from '../../test/rigs/tool-rig.ts';
import type { CheckedPath } from '../kernel/call.ts';
import { resolvePath } from '../facts/paths/resolve/resolve-path.ts';
import { replaceFile } from './files/replace-file.ts';

let rig: ToolRig;
beforeEach(async () => {
  rig = await toolRig();
});
afterEach(() => rig.remove());

describe('list_directory', () => {
  it(proves('A11')('lists folders first, then files with their size and other entries'), async () => {
    rig.write('b.txt', '12345');
    rig.write('a/inner', '');
    symlinkSync('/etc', rig.path('out'));
    expect(await rig.text('list_directory', { directory_path: '.' })).toBe('a/\nb.txt (5 bytes)\nout (symbolic link)');
  });

  it(proves('A11')('makes a line break in a name visible'), async () => {
    rig.write('a\nb.txt', '');
    expect(await rig.text('list_directory', { directory_path: '.' })).toBe('"a\\nb.txt" (0 bytes)');
  });

  it(proves('A11', 'G12')('shows a bounded number of entries and counts the rest'), async () => {
    for (let i = 0; i < 2500; i++) rig.write(`f${i}`, '');
    const text = await rig.text('list_directory', { directory_path: '.' });
    expect(text.split('\n')).toHaveLength(2001);
    expect(text).toContain('[500 further entries are not shown]');
  });

  it(proves('A11')('reports why a path is not a folder'), async () => {
    rig.write('file', '');
    expect(await rig.error('list_directory', { directory_path: 'file' })).toContain('is a file, not a folder');
    expect(await rig.error('list_directory', { directory_path: 'none' })).toContain('does not exist');
    expect(await rig.text('list_directory', { DirectoryPath: '.' })).toContain('file');
  });
});

describe('view_file', () => {
  it(proves('A11')('shows numbered lines, of Windows and Unix files alike'), async () => {
    rig.write('a.txt', 'one\r\ntwo\r\nthrée 🎉');
    expect(await rig.text('view_file', { file_path: 'a.txt' })).toBe(
      '     1\tone\n     2\ttwo\n     3\tthrée 🎉\n[end of file, 3 lines]',
    );
  });

  it(proves('A11')('shows a range, and says how to continue'), async () => {
    rig.write('a.txt', Array.from({ length: 5000 }, (_, i) => `line ${i + 1}`).join('\n'));
    const range = await rig.text('view_file', { file_path: 'a.txt', start_line: 10, end_line: 11 });
    expect(range).toBe('    10\tline 10\n    11\tline 11\n[more lines follow after line 11]');
    expect(await rig.text('view_file', { file_path: 'a.txt' })).toContain(
      'cut after line 2000: continue with start_line 2001',
    );
    expect(await rig.text('view_file', { file_path: 'a.txt', start_line: 4999 })).toContain('end of file, 5000 lines');
    expect(await rig.text('view_file', { file_path: 'a.txt', start_line: 9999 })).toBe(
      '[the file has only 5000 lines]',
    );
    expect(await rig.error('view_file', { file_path: 'a.txt', start_line: 3, end_line: 2 })).toContain('before');
  });

  it.each([
    ['', '[the file is empty]'],
    ['\n', '     1\t\n[end of file, 1 line]'],
    ['a\n\nb\n', '     1\ta\n     2\t\n     3\tb\n[end of file, 3 lines]'],
  ])(proves('A11')('counts lines as an editor does: %j'), async (contents, shown) => {
    rig.write('a.txt', contents);
    expect(await rig.text('view_file', { file_path: 'a.txt' })).toBe(shown);
  });

  it(proves('A11', 'G12')('cuts long lines between characters and says so'), async () => {
    rig.write('a.txt', `${'€'.repeat(100_000)}\nnext`);
    const text = await rig.text('view_file', { file_path: 'a.txt' });
    expect(text).toContain(`${'€'.repeat(666)}… [cut: 298000 more bytes]\n     2\tnext`);
    expect(text).not.toContain('\ufffd');
  });

  it(proves('A11', 'G12')('stays within its grant'), async () => {
    const small = await toolRig({ grant: { outputBytes: 2000 } });
    small.write('a.txt', 'some words in a line\n'.repeat(500));
    const text = await small.text('view_file', { file_path: 'a.txt' });
    expect(Buffer.byteLength(text)).toBeLessThan(2000);
    expect(text).toMatch(/cut after line \d+: continue with start_line \d+\]$/);
    small.remove();
  });

  it(proves('A11')('reads the start of a file of gigabytes without reading the file'), async () => {
    const fd = openSync(rig.path('huge'), 'w');
    writeSync(fd, 'first\nsecond\n'.repeat(1000));
    ftruncateSync(fd, 8 * 1024 ** 3);
    closeSync(fd);
    const before = process.memoryUsage().arrayBuffers;
    const text = await rig.text('view_file', { file_path: 'huge', end_line: 2 });
    expect(text).toBe('     1\tfirst\n     2\tsecond\n[more lines follow after line 2]');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 ** 2);
  });

  it(proves('A11')('keeps only the start of an endless line'), async () => {
    rig.write('a.txt', Buffer.alloc(64 * 1024 ** 2, 'x'));
    const text = await rig.text('view_file', { file_path: 'a.txt' });
    expect(text).toContain('[cut: 67106864 more bytes]');
    expect(text.length).toBeLessThan(3000);
  });

  it(proves('A11')('shows text that is not UTF-8, and says how it was read'), async () => {
    rig.write('latin.txt', Buffer.from('caf\xe9\n', 'latin1'));
    expect(await rig.text('view_file', { file_path: 'latin.txt' })).toMatch(/café\n.*not UTF-8.*windows-1252/s);
    rig.write('wide.txt', Buffer.from('\ufeffcafé\nzwei', 'utf16le'));
    expect(await rig.text('view_file', { file_path: 'wide.txt' })).toBe(
      '     1\tcafé\n     2\tzwei\n[end of file, 2 lines]',
    );
  });

  it(proves('A11')('recognizes binary files and attaches media'), async () => {
    rig.write('a.bin', Buffer.from([1, 2, 0, 3]));
    expect(await rig.text('view_file', { file_path: 'a.bin' })).toContain('binary file of 4 bytes');
    rig.write('a.png', Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1'));
    rig.write('a.pdf', '%PDF-1.7 text');
    const png = await rig.call('view_file', { file_path: 'a.png' });
    expect(png.value).toEqual({ file: rig.path('a.png'), media_type: 'image/png', media: '[media 1]' });
    await rig.call('view_file', { file_path: 'a.pdf' });
    expect(rig.attached.map(({ mediaType, name }) => [mediaType, name])).toEqual([
      ['image/png', 'a.png'],
      ['application/pdf', 'a.pdf'],
    ]);
    expect(
      Buffer.from(rig.attached[0]?.data as Uint8Array)
        .subarray(8)
        .toString(),
    ).toBe('rest');
  });

  it(proves('A11', 'G12')('does not attach files above the limit'), async () => {
    rig.write('a.png', Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(9 * 1024 ** 2)]));
    expect(await rig.text('view_file', { file_path: 'a.png' })).toContain('more than the 8388608 that can be attached');
    expect(rig.attached).toEqual([]);
  });

  it(proves('A11')('refuses invalid arguments by name'), async () => {
    const result = await rig.call('view_file', { file_path: 'a', start_line: '3', end_line: 0, foo: 1 });
    expect(result.type).toBe('invalid');
    expect(result.text).toContain('start_line: is of type string, not integer');
    expect(result.text).toContain('end_line: 0 is less than 1');
    expect(result.text).toContain('foo: is not an argument');
  });

  it.each(['/dev/zero', '/proc/self/mem'])(
    proves('W06')('refuses a path that is not a regular file: %s'),
    async (path) => {
      const open = await toolRig({ confined: false });
      expect((await open.call('view_file', { file_path: path })).isError).toBe(true);
      open.remove();
    },
  );
});

describe('create_file', () => {
  it(proves('A11')('creates with missing folders, and says when it replaces'), async () => {
    expect(await rig.text('create_file', { file_path: 'a/b/c.txt', contents: 'né' })).toBe(
      `Created ${rig.path('a/b/c.txt')} (3 bytes).`,
    );
    expect(readFileSync(rig.path('a/b/c.txt'), 'utf8')).toBe('né');
    expect(await rig.text('create_file', { file_path: 'a/b/c.txt', contents: '' })).toContain('Replaced');
    expect(readFileSync(rig.path('a/b/c.txt'), 'utf8')).toBe('');
    expect(readdirSync(rig.path('a/b'))).toEqual(['c.txt']);
  });

  it(proves('A11')('keeps the mode of the replaced file'), async () => {
    rig.write('run.sh', 'old');
    chmodSync(rig.path('run.sh'), 0o751);
    await rig.text('create_file', { file_path: 'run.sh', contents: 'new' });
    expect(statSync(rig.path('run.sh')).mode & 0o777).toBe(0o751);
  });

  it(proves('A11')('leaves open readers with the old file, never with half of the new one'), async () => {
    rig.write('a.txt', 'old');
    const fd = openSync(rig.path('a.txt'), 'r');
    await rig.text('create_file', { file_path: 'a.txt', contents: 'new text' });
    expect(readFileSync(fd, 'utf8')).toBe('old');
    closeSync(fd);
  });

  it(proves('A11')('does not overwrite a folder'), async () => {
    mkdirSync(rig.path('dir'));
    expect(await rig.error('create_file', { file_path: 'dir', contents: '' })).toContain('not a regular file');
  });

  it(proves('W06')('writes nowhere else when the folder is swapped for a link after the check'), async () => {
    const outside = await toolRig();
    const swapped = await toolRig({
      beforeRun() {
        renameSync(swapped.path('dir'), swapped.path('moved'));
        symlinkSync(outside.folder, swapped.path('dir'));
      },
    });
    mkdirSync(swapped.path('dir'));
    expect((await swapped.call('create_file', { file_path: 'dir/x', contents: 'x' })).isError).toBe(true);
    expect(readdirSync(outside.folder)).toEqual([]);
    expect(readdirSync(swapped.path('moved'))).toEqual([]);
    outside.remove();
    swapped.remove();
  });

  it(proves('W06')('does not overwrite a file created after the check, or write through a link'), async () => {
    const outside = await toolRig();
    outside.write('target', 'secret');
    const late = await toolRig({ beforeRun: () => symlinkSync(outside.path('target'), late.path('new')) });
    expect((await late.call('create_file', { file_path: 'new', contents: 'x' })).isError).toBe(true);
    expect(readFileSync(outside.path('target'), 'utf8')).toBe('secret');
    expect(lstatSync(late.path('new')).isSymbolicLink()).toBe(true);
    expect(readdirSync(late.folder)).toEqual(['new']);
    outside.remove();
    late.remove();
  });
});

const edit = (old_text: string, new_text: string, more = {}): object => ({
  file_path: 'a.txt',
  old_text,
  new_text,
  ...more,
});

describe('edit_file', () => {
  it(proves('A11')('replaces exactly the given text, with any characters'), async () => {
    rig.write('a.txt', 'price: $1 & more\nend\n');
    await rig.text('edit_file', edit('$1 & more', "$& $` $' $$1"));
    expect(readFileSync(rig.path('a.txt'), 'utf8')).toBe("price: $& $` $' $$1\nend\n");
  });

  it(proves('A11')('keeps Windows line endings, and mixed ones in unchanged lines'), async () => {
    rig.write('a.txt', 'one\r\ntwo\r\nthree\r\n');
    expect(await rig.text('edit_file', edit('one\ntwo', 'eins\nzwei\ndrei'))).toContain('1 place, at line 1');
    expect(readFileSync(rig.path('a.txt'), 'utf8')).toBe('eins\r\nzwei\r\ndrei\r\nthree\r\n');
    await rig.text('edit_file', edit('three', 'vier\nfünf'));
    expect(readFileSync(rig.path('a.txt'), 'utf8')).toBe('eins\r\nzwei\r\ndrei\r\nvier\r\nfünf\r\n');
    rig.write('a.txt', 'unix\nwin\r\nlast\n');
    await rig.text('edit_file', edit('unix', 'a\nb'));
    expect(readFileSync(rig.path('a.txt'), 'utf8')).toBe('a\nb\nwin\r\nlast\n');
  });

  it(proves('A11')('keeps a byte order mark and the mode'), async () => {
    rig.write('a.txt', '\ufeffhello');
    chmodSync(rig.path('a.txt'), 0o600);
    await rig.text('edit_file', edit('hello', 'bye'));
    expect(readFileSync(rig.path('a.txt'), 'utf8')).toBe('\ufeffbye');
    expect(statSync(rig.path('a.txt')).mode & 0o777).toBe(0o600);
  });

  it(proves('A11')('reports the number and lines of an ambiguous text, and replaces all on request'), async () => {
    rig.write('a.txt', 'x\ny\nx x\n');
    expect(await rig.error('edit_file', edit('x', 'z'))).toContain('3 times in the file, at line 1, 3, 3');
    expect(readFileSync(rig.path('a.txt'), 'utf8')).toBe('x\ny\nx x\n');
    expect(await rig.text('edit_file', edit('x', 'z', { replace_all: true }))).toContain('3 places');
    expect(readFileSync(rig.path('a.txt'), 'utf8')).toBe('z\ny\nz z\n');
  });

  it(proves('A11')('shows the closest match for missing text'), async () => {
    rig.write('a.txt', 'function one() {\n\treturn  1;\n}\nfunction another() {}\n');
    expect(await rig.error('edit_file', edit('function one() {\n  return 1;\n}', ''))).toContain(
      'At line 1 it has different whitespace: "function one() {\\n\\treturn  1;\\n}"',
    );
    expect(await rig.error('edit_file', edit('function anotherr() {}', ''))).toContain('The most similar line is 4');
    expect(await rig.error('edit_file', edit('qqqqqqqqqqqq', ''))).toContain('Nothing in the file is similar');
  });

  it(proves('A11')('refuses what would damage a file or change nothing'), async () => {
    rig.write('a.txt', Buffer.from('caf\xe9', 'latin1'));
    expect(await rig.error('edit_file', edit('caf', 'x'))).toContain('not UTF-8');
    rig.write('a.txt', 'same');
    expect(await rig.error('edit_file', edit('same', 'same'))).toContain('are the same');
    expect((await rig.call('edit_file', edit('', 'x'))).type).toBe('invalid');
    rmSync(rig.path('a.txt'));
    expect(await rig.error('edit_file', edit('a', 'b'))).toContain('does not exist');
  });

  it.each(['view_file', 'edit_file', 'create_file'])(
    proves('W06')('%s opens nothing but what was checked, when the file is swapped for a link'),
    async (tool) => {
      const outside = await toolRig();
      outside.write('secret', 'secret');
      const swapped = await toolRig({
        beforeRun() {
          rmSync(swapped.path('a.txt'));
          symlinkSync(outside.path('secret'), swapped.path('a.txt'));
        },
      });
      swapped.write('a.txt', 'mine');
      const args = { view_file: {}, edit_file: { old_text: 'secret', new_text: 'x' }, create_file: { contents: 'x' } };
      const result = await swapped.call(tool, { file_path: 'a.txt', ...args[tool as keyof typeof args] });
      expect(result.isError).toBe(true);
      expect(result.text).toMatch(/has changed since it was checked/);
      expect(readFileSync(outside.path('secret'), 'utf8')).toBe('secret');
      outside.remove();
      swapped.remove();
    },
  );

  it(proves('A11')('does not lose concurrent writes'), async () => {
    const file = rig.write('a.txt', 'one two');
    const resolution = resolvePath(file);
    const checked = resolution.type === 'resolved' ? resolution.checked : undefined;
    const seen = statSync(file, { bigint: true });
    writeFileSync(file, 'one two three');
    await expect(replaceFile(checked as CheckedPath, 'eins two', seen)).rejects.toThrow('was changed in the meantime');
    expect(readFileSync(file, 'utf8')).toBe('one two three');
    expect(readdirSync(rig.folder)).toEqual(['a.txt']);
  });

  it(proves('W06')('does not overwrite a file that took the place of the checked one'), async () => {
    const swapped = await toolRig({
      beforeRun() {
        renameSync(swapped.path('a.txt'), swapped.path('old.txt'));
        writeFileSync(swapped.path('a.txt'), 'another');
      },
    });
    swapped.write('a.txt', 'mine');
    expect(await swapped.error('create_file', { file_path: 'a.txt', contents: 'x' })).toContain(
      'has changed since it was checked',
    );
    expect(readFileSync(swapped.path('a.txt'), 'utf8')).toBe('another');
    expect(existsSync(swapped.path('old.txt'))).toBe(true);
    swapped.remove();
  });
});

describe('without workspaces', () => {
  it(proves('A11')('relative paths start at the working folder, and everything else works the same'), async () => {
    const open = await toolRig({ confined: false });
    await open.text('create_file', { file_path: 'sub/a.txt', contents: 'hello' });
    await open.text('edit_file', { path: 'sub/a.txt', old_text: 'hello', new_text: 'bye' });
    expect(await open.text('view_file', { file_path: `${open.folder}/sub/../sub/a.txt` })).toContain('bye');
    open.remove();
  });
});

describe('while folders are being replaced with links', () => {
  it(proves('W06')('nothing outside is read or written in many tries'), async () => {
    const outside = await toolRig();
    outside.write('a.txt', 'secret');
    rig.write('dir/a.txt', 'mine');
    const loop = 'while :; do mv -T dir real; ln -sT "$1" dir; rm dir; mv -T real dir; done';
    const swapper = spawn('/bin/bash', ['-c', loop, 'bash', outside.folder], { cwd: rig.folder, stdio: 'ignore' });
    try {
      for (let i = 0; i < 150; i++) {
        const results = await Promise.all([
          rig.call('view_file', { file_path: 'dir/a.txt' }),
          rig.call('list_directory', { directory_path: 'dir' }),
          rig.call('create_file', { file_path: `dir/new${i}.txt`, contents: 'made' }),
          rig.call('edit_file', { file_path: 'dir/a.txt', old_text: 'secret', new_text: 'x' }),
        ]);
        for (const { text, isError } of results) if (!isError) expect(text).not.toContain('secret');
      }
    } finally {
      swapper.kill('SIGKILL');
    }
    expect(readdirSync(outside.folder)).toEqual(['a.txt']);
    expect(readFileSync(outside.path('a.txt'), 'utf8')).toBe('secret');
    outside.remove();
  });
});
