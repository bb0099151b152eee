import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { runs } from '../../test/property-runs.ts';
import { toolRig, type ToolRig, type ToolRigOptions } from '../../test/rigs/tool-rig.ts';
import { fileNameMatcher } from './builtin/find-file.ts';
import { findRipgrep, findSystemProgram } from './search/find-ripgrep.ts';
import { readAtMost } from './search/read-at-most.ts';

/** Searching has the same results in all ways: with the package, with another rg, and without ripgrep. */
const programs = mkdtempSync(join(tmpdir(), 'rg-'));
const systemRipgrep = join(programs, 'rg');
copyFileSync(findRipgrep() ?? '', systemRipgrep);
afterAll(() => rmSync(programs, { recursive: true }));
const ways: readonly (readonly [way: string, options: ToolRigOptions])[] = [
  ['with the package @vscode/ripgrep', {}],
  ['with an rg of the system', { ripgrep: systemRipgrep }],
  ['without ripgrep', { ripgrep: false }],
];

let rig: ToolRig;
let way: ToolRigOptions = {};
beforeEach(async () => {
  rig = await toolRig(way);
});
afterEach(() => rig.remove());

const search = (query: string, more = {}): Promise<string> =>
  rig.text('search_directory', { directory_path: '.', query, ...more });
const find = (query: string): Promise<string> => rig.text('find_file', { directory_path: '.', query });

describe.each(ways)('search_directory %s', (_, options) => {
  beforeAll(() => void (way = options));
  it(proves('A11')('returns file, line number and line, sorted by file'), async () => {
    rig.write('b/two.txt', 'nothing\nneedle here\r\n');
    rig.write('a.txt', 'a needle\n');
    expect(await search('needle')).toBe('a.txt\n  1:a needle\nb/two.txt\n  2:needle here');
    expect(await search('absent')).toBe('Nothing was found.');
  });

  it(proves('A11')('takes the query as plain text, or as a regular expression'), async () => {
    rig.write('a.txt', 'f(x) [a-z]+ $1\nabc\n');
    expect(await search('[a-z]+ $')).toContain('1:f(x)');
    expect(await search('^[a-z]+$', { regex: true })).toBe('a.txt\n  2:abc');
    expect(await search('ABC')).toBe('Nothing was found.');
    expect(await search('ABC', { ignore_case: true })).toContain('2:abc');
    const error = await rig.error('search_directory', { directory_path: '.', query: '(', regex: true });
    expect(error).toMatch(/The search failed: .*(?:unclosed group|missing closing \))/s);
  });

  it.each(['--files', '-e', '--pre=touch /tmp/x', '--', '-', '--follow'])(
    proves('A11')('never takes the query for an option: %s'),
    async (query) => {
      rig.write('a.txt', `x ${query} y\n`);
      expect(await search(query)).toBe(`a.txt\n  1:x ${query} y`);
    },
  );

  it(proves('A11')('finds a query of several lines, and shows surrounding lines'), async () => {
    rig.write('a.txt', 'one\ntwo\nthree\nfour\n');
    expect(await search('two\nthree')).toBe('a.txt\n  2:two\n  3:three');
    expect(await search('two', { context_lines: 1 })).toBe('a.txt\n  1-one\n  2:two\n  3-three');
  });

  it(
    proves('A11')('honours .gitignore, with and without a repository, and looks into hidden files but not into git'),
    async () => {
      rig.write('.gitignore', 'ignored/\n*.log\n');
      for (const name of [
        'ignored/a.txt',
        'b.log',
        'c.txt',
        '.hidden/d.txt',
        '.git/config',
        'sub/.git/HEAD',
        '.gitlab.yml',
      ])
        rig.write(name, 'needle\n');
      const found = '.gitlab.yml\n  1:needle\n.hidden/d.txt\n  1:needle\nc.txt\n  1:needle';
      expect(await search('needle')).toBe(found);
      rmSync(rig.path('.git'), { recursive: true });
      execFileSync('git', ['init', '-q', rig.folder]);
      expect(await search('needle')).toBe(found);
      expect(await search('needle', { include: '*.{log,txt}' })).toBe('.hidden/d.txt\n  1:needle\nc.txt\n  1:needle');
      expect(await search('needle', { include: '.hidden/**' })).toBe('.hidden/d.txt\n  1:needle');
    },
  );

  it(proves('A11')('reads no configuration of ripgrep'), async () => {
    rig.write('rc', '--follow\n--no-ignore\n');
    const before = process.env['RIPGREP_CONFIG_PATH'];
    process.env['RIPGREP_CONFIG_PATH'] = rig.path('rc');
    try {
      rig.write('.ignore', 'a.txt');
      rig.write('a.txt', 'needle');
      expect(await search('needle')).toBe('Nothing was found.');
    } finally {
      if (before === undefined) delete process.env['RIPGREP_CONFIG_PATH'];
      else process.env['RIPGREP_CONFIG_PATH'] = before;
    }
  });

  it(proves('A11')('skips binary files and cuts long lines'), async () => {
    rig.write('a.bin', Buffer.from('needle\0needle\n'));
    rig.write('b.min.js', `${'x'.repeat(5000)}needle${'y'.repeat(5000)}\n`);
    expect(await search('needle')).toBe(`b.min.js\n  1:${'x'.repeat(400)} [... omitted end of long line]`);
  });

  it(proves('A11', 'G12')('stops at a limit, even in a big tree, and says so'), async () => {
    for (let i = 0; i < 3000; i++) rig.write(`d${i % 50}/f${i}.txt`, 'needle\n'.repeat(5));
    const text = await search('needle');
    expect(text).toMatch(/\n\[cut after \d+ lines: narrow the search\]$/);
    expect(Buffer.byteLength(text)).toBeLessThan(128 * 1024);
  });

  it(proves('W08')('follows no links, outward or circular'), async () => {
    const outside = await toolRig();
    outside.write('secret.txt', 'needle');
    rig.write('in.txt', 'needle');
    symlinkSync(outside.folder, rig.path('out'));
    symlinkSync(outside.path('secret.txt'), rig.path('file-link.txt'));
    symlinkSync('.', rig.path('circle'));
    expect(await search('needle')).toBe('in.txt\n  1:needle');
    expect(await find('*')).toBe('in.txt');
    for (const tool of ['search_directory', 'find_file', 'list_directory']) {
      const query = tool === 'list_directory' ? {} : { query: 'secret' };
      expect((await rig.call(tool, { directory_path: 'out', ...query })).type).toBe('denied');
    }
    outside.remove();
  });

  it(proves('A11')('refuses a name with a colon, and shows nothing of git in any way'), async () => {
    rig.write('a.txt', 'needle\n');
    rig.write('.git/config', 'needle\n');
    const error = await rig.error('search_directory', { directory_path: '.', query: 'needle', include: 'include:all' });
    expect(error).toContain('a name with a colon needs a path');
    for (const include of ['**/.git/**', '.git/config', '**/config', '/.git/*'])
      expect(await search('needle', { include }), include).toBe('Nothing was found.');
  });

  it.each(['../*', '/etc/**', '../../**'])(
    proves('W08')('cannot leave the folder with a pattern: %s'),
    async (pattern) => {
      const outside = await toolRig();
      outside.write('secret.txt', 'needle');
      rig.write('in.txt', 'needle');
      expect(await search('needle', { include: pattern })).toBe('Nothing was found.');
      expect(await find(pattern)).toBe('No file was found.');
      outside.remove();
    },
  );

  it.each(['search_directory', 'find_file', 'list_directory'])(
    proves('W06', 'W08')('%s works in the checked folder only, when it is swapped for a link'),
    async (tool) => {
      const outside = await toolRig();
      outside.write('secret.txt', 'needle');
      const swapped = await toolRig({
        ...options,
        beforeRun() {
          renameSync(swapped.path('dir'), swapped.path('moved'));
          symlinkSync(outside.folder, swapped.path('dir'));
        },
      });
      mkdirSync(swapped.path('dir'));
      const query = tool === 'list_directory' ? {} : { query: tool === 'find_file' ? 'secret' : 'needle' };
      const result = await swapped.call(tool, { directory_path: 'dir', ...query });
      expect(result.isError).toBe(true);
      expect(result.text).toContain('has changed since it was checked');
      outside.remove();
      swapped.remove();
    },
  );
});

describe('the process of ripgrep', () => {
  beforeAll(() => void (way = {}));

  it(proves('A11')('ends ripgrep when the turn is cancelled'), async () => {
    const program = rig.write('rg', '#!/bin/bash\necho $$ > pid\nexec sleep 1000\n');
    chmodSync(program, 0o755);
    const own = await toolRig({ ripgrep: program });
    const running = own.call('search_directory', { directory_path: '.', query: 'x' });
    while (!existsSync(own.path('pid')) || readFileSync(own.path('pid'), 'utf8') === '') await delay(10);
    const pid = Number(readFileSync(own.path('pid'), 'utf8'));
    expect(process.kill(pid, 0)).toBe(true);
    own.turn.cancel();
    expect((await running).type).toBe('cancelled');
    while (existsSync(`/proc/${pid}`)) await delay(10);
    own.remove();
  });

  it(proves('A11')('reports unreadable files without failing'), async () => {
    const program = rig.write('rg', '#!/bin/bash\nexit 2\n');
    chmodSync(program, 0o755);
    const own = await toolRig({ ripgrep: program });
    const text = await own.text('search_directory', { directory_path: '.', query: 'x' });
    expect(text).toBe('Nothing was found.\n[some files could not be read]');
    own.remove();
  });

  it(proves('A11')('is ended if an ignore file is a pipe, on which it waits'), async () => {
    const own = await toolRig();
    execFileSync('mkfifo', [own.path('.gitignore')]);
    own.write('a.txt', 'needle');
    const running = own.call('search_directory', { directory_path: '.', query: 'needle' });
    await delay(300);
    own.turn.cancel();
    expect((await running).type).toBe('cancelled');
    own.remove();
  });

  it(proves('A11')('reports that ripgrep is missing'), async () => {
    const own = await toolRig({ ripgrep: '/no/such/rg' });
    expect(await own.error('search_directory', { directory_path: '.', query: 'x' })).toContain(
      'ripgrep cannot be started',
    );
    own.remove();
  });
});

describe.each(ways)('find_file %s', (_, options) => {
  beforeAll(() => void (way = options));
  beforeEach(() => {
    for (const name of ['src/main.ts', 'src/deep/Main.test.ts', 'README.md', 'ignored/main.ts', 'ü main.txt', '.env'])
      rig.write(name, '');
    rig.write('.gitignore', 'ignored/\n');
  });

  it.each([
    ['main', 'src/deep/Main.test.ts\nsrc/main.ts\nü main.txt'],
    ['*.ts', 'src/deep/Main.test.ts\nsrc/main.ts'],
    ['src/**/*.ts', 'src/deep/Main.test.ts\nsrc/main.ts'],
    ['src/*.ts', 'src/main.ts'],
    ['**/*.test.ts', 'src/deep/Main.test.ts'],
    ['*.{md,txt}', 'README.md\nü main.txt'],
    ['?nv', 'No file was found.'],
    ['.env', '.env'],
    ['[!m]*.ts', 'No file was found.'],
    ['readme.md', 'README.md'],
    ['src/', 'src/deep/Main.test.ts\nsrc/main.ts'],
  ])(proves('A11')('finds by part of a name or by pattern: %s'), async (query, found) => {
    expect(await find(query)).toBe(found);
  });

  it(proves('A11', 'G12')('shows a bounded list and counts the rest'), async () => {
    for (let i = 0; i < 1600; i++) rig.write(`many/${'long-name-'.repeat(4)}${i}`, '');
    const text = await find('long-name');
    expect(text).toMatch(/\n\[\d+ further files are not shown\]$/);
    expect(Buffer.byteLength(text)).toBeLessThan(64 * 1024);
  });
});

describe('a search in a tree of many kinds of files', () => {
  const lines = ['alpha', 'beta', 'Alpha beta', 'gamma', 'Ünï alpha', 'delta\r', '', 'alpha', 'omega'];
  const files: Readonly<Record<string, string | Uint8Array>> = {
    '.gitignore':
      '# comment\n\n*.log\n!keep.log\n/top.txt\nbuild/\ndocs/**/draft.txt\nlist[0-9].txt\n\\#odd.txt\n*.{tmp,bak}\nspace\\ .txt\n',
    '.ignore': '!again.log\n',
    '.rgignore': 'hidden-from-rg.txt\n',
    'sub/.gitignore': '!*.log\ntop.txt\n/only-here\n',
    '.git/info/exclude': 'excluded.txt\n',
    '.git/config': 'alpha\n',
    'crlf.txt': 'alpha\r\nbeta\r\n',
    'utf16.txt': Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('alpha\nbeta\n', 'utf16le')]),
    'bom.txt': Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('alpha\n')]),
    'latin1.txt': Buffer.from('caf\u00e9 alpha\n', 'latin1'),
    'binary.dat': Buffer.from('alpha\0\n'),
    'empty.txt': '',
    'no-end.txt': 'alpha',
    ...Object.fromEntries(
      `a.log keep.log again.log top.txt sub/top.txt sub/b.log sub/deep/top.txt sub/only-here/x sub/deep/only-here build/x
      sub/build/y docs/draft.txt docs/a/b/draft.txt docs/a/kept.txt list1.txt listx.txt #odd.txt x.tmp y.bak excluded.txt
      hidden-from-rg.txt .hidden/z.txt .env src/a.ts src/b.tsx src/deep/c.ts`
        .split(/\s+/)
        .map((name) => [name, `${lines.join('\n')}\n`]),
    ),
    'space .txt': 'alpha\n',
  };
  const queries: readonly object[] = [
    { query: 'alpha' },
    { query: 'ALPHA', ignore_case: true },
    { query: 'ÜNÏ', ignore_case: true },
    { query: 'alpha', context_lines: 1 },
    { query: 'alpha', context_lines: 20 },
    { query: 'gamma', context_lines: 2 },
    { query: '^alpha$', regex: true },
    { query: '(?i)^a.*a$', regex: true },
    { query: 'beta|omega', regex: true, context_lines: 1 },
    { query: '^$', regex: true },
    { query: 'alpha\nbeta' },
    { query: 'beta\nAlpha', ignore_case: true, context_lines: 1 },
    { query: 'a$\n^b', regex: true },
    { query: 'alpha', include: '*.log' },
    { query: 'alpha', include: '*.{ts,tsx}' },
    { query: 'alpha', include: 'src/*.ts' },
    { query: 'alpha', include: 'src/**' },
    { query: 'alpha', include: '**/deep/*' },
    { query: 'alpha', include: 'sub/b.log' },
    { query: 'alpha', include: '!src/**' },
    { query: '.', include: 'nothing.here' },
    { query: 'caf' },
  ];

  it(proves('A11')('finds the same in all ways'), async () => {
    const found: unknown[] = [];
    for (const [, options] of ways) {
      const own = await toolRig(options);
      for (const [name, contents] of Object.entries(files)) own.write(name, contents);
      symlinkSync('src', own.path('linked'));
      symlinkSync('src/a.ts', own.path('link.ts'));
      const texts: Record<string, string> = {};
      for (const each of queries) {
        for (const directory_path of ['.', 'sub'])
          texts[JSON.stringify({ directory_path, ...each })] = await own.text('search_directory', {
            directory_path,
            ...each,
          });
      }
      for (const query of ['*', '.log', '**/*.txt', 'src/**']) {
        texts[query] = await own.text('find_file', { directory_path: '.', query });
        texts[`${query} in sub`] = await own.text('find_file', { directory_path: 'sub', query });
      }
      found.push(texts);
      own.remove();
    }
    const [withPackage, withSystem, without] = found;
    expect(withSystem).toEqual(withPackage);
    expect(without).toEqual(withPackage);
    expect(Object.values(withPackage as object).filter((text) => /was found/.test(String(text))).length).toBeLessThan(
      12,
    );
  });
});

describe('a query of several lines', () => {
  const text = 'aa\naa\naa\naa\naa\nUnï alpha\r\n\n\nDelta\nomega\n';
  const found: readonly (readonly [query: string, numbers: string, more?: object])[] = [
    ['aa\naa', '1: 2: 3: 4:'],
    ['a\naa\na', '1: 2: 3: 4: 5: 6-', { context_lines: 1 }],
    ['aa\naa\naa\naa\naa\naa', ''],
    ['omega\n', '10:'],
    ['omega\n\n', ''],
    ['\n\n', '6: 7:'],
    ['Ï ALPHA\r\n\n', '6: 7:', { ignore_case: true }],
    ['Ï ALPHA\r\n\n', ''],
    ['delta\nOm', '8- 9: 10:', { ignore_case: true, context_lines: 1 }],
    ['aa\nUn', '3- 4- 5: 6: 7- 8-', { context_lines: 2 }],
  ];

  it.each(ways)(proves('A11')('is found where its lines follow each other, %s'), async (_, options) => {
    const own = await toolRig(options);
    own.write('co:lon.txt', text);
    const include = '**/co:lon.txt';
    for (const [query, numbers, more] of found) {
      const shown = await own.text('search_directory', { directory_path: '.', query, include, ...more });
      expect(Array.from(shown.matchAll(/^ {2}\d+[:-]/gm), ([each]) => each.trim()).join(' '), query).toBe(numbers);
    }
    own.remove();
  });
});

/** The longest time for which nothing else could run. */
async function longestBlock(work: Promise<unknown>): Promise<number> {
  const ended = new AbortController();
  const end = work.finally(() => ended.abort());
  let [longest, last] = [0, performance.now()];
  while (!ended.signal.aborted) {
    await delay(1);
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }
  await end;
  return longest;
}

/** Letters in an order that no automaton can remember. */
function mixed(length: number): string {
  let last = 1;
  return Array.from({ length }, () => 'abefg'[(last = (last * 48_271) % 2_147_483_647) % 5]).join('');
}

function numbered(prefix: string, count: number): string {
  return Array.from({ length: count }, (_, at) => `${prefix}${at}`).join('\n');
}

/** Ten times what is promised, in milliseconds. */
const hanging = 5000;

describe('a search without ripgrep', () => {
  beforeAll(() => void (way = { ripgrep: false }));

  it(proves('A11')('cannot be made slow by a pattern, a query or a line of an ignore file'), async () => {
    rig.write('.gitignore', `${'*a'.repeat(200)}b\n${'**/a/'.repeat(100)}x\n`);
    rig.write('a.txt', `${'a'.repeat(100_000)}\n`);
    rig.write('a'.repeat(250), 'x');
    expect(await search('(a*)*(a|aa)+$b', { regex: true })).toBe('Nothing was found.');
    expect(
      await rig.error('search_directory', { directory_path: '.', query: '((a{99}){99}){9}', regex: true }),
    ).toContain('repeats too much');
  });

  it.each([
    ['a query of many lines', { query: `${'\n'.repeat(9999)}b` }, `${'\n'.repeat(300_000)}b\n`],
    ['a query that nearly fits everywhere', { query: `${'a'.repeat(4999)}b${'a'.repeat(4999)}` }, 'a'.repeat(500_000)],
    ['a pattern with a large count', { query: 'a.{450}[cd]', regex: true }, `${mixed(4000)}\n`.repeat(60)],
    ['a pattern of many lines', { query: `a${'\n'.repeat(900)}b`, regex: true }, 'a\n'.repeat(30_000)],
    ['many lines around few', { query: 'needle', context_lines: 20 }, `${'\n'.repeat(4_000_000)}needle\n`],
  ])(proves('A11')('lets other work run meanwhile: %s'), async (_, query, text) => {
    rig.write('a.txt', text);
    const running = rig.text('search_directory', { directory_path: '.', ...query });
    expect(await longestBlock(running)).toBeLessThan(hanging);
    expect(await running).toMatch(/^Nothing was found\.$|needle$|\[cut after/);
  });

  it(proves('A11')('is cancelled while it searches one file'), async () => {
    rig.write('a.txt', 'a\n'.repeat(1_000_000));
    const running = rig.call('search_directory', { directory_path: '.', query: `a${'\n'.repeat(900)}b`, regex: true });
    await delay(300);
    const start = performance.now();
    rig.turn.cancel();
    expect((await running).type).toBe('cancelled');
    expect(performance.now() - start).toBeLessThan(hanging);
  });

  it('says that a line is too long for a pattern', async () => {
    rig.write('a.txt', `needle\n${'needle'.repeat(50_000)}\nneedle\n`);
    expect(await search('ne+.*dle$', { regex: true })).toBe(
      'a.txt\n  1:needle\n  3:needle\n[lines that are too long for this pattern were not searched]',
    );
  });

  it(proves('A11')('applies only a bounded number of lines of ignore files, and says so'), async () => {
    rig.write('.gitignore', `a.txt\n${numbered('x', 4000)}\n${'a.txt\n'.repeat(2000)}`);
    rig.write('sub/.gitignore', `b.txt\n${numbered('y', 2000)}`);
    rig.write('large/.gitignore', `c.txt\n${'#'.repeat(65_536)}`);
    rig.write('braces/.gitignore', `d.txt\n${numbered('{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}', 1000)}`);
    rig.write('spaces/.gitignore', `${' '.repeat(60_000)}x\ne.txt`);
    for (const name of ['a.txt', 'sub/b.txt', 'large/c.txt', 'braces/d.txt', 'spaces/e.txt'])
      rig.write(name, 'needle\n');
    const running = search('needle');
    expect(await longestBlock(running)).toBeLessThan(hanging);
    expect(await running).toBe(
      `braces/d.txt\n  1:needle\nlarge/c.txt\n  1:needle\nsub/b.txt\n  1:needle
[too many lines in ignore files: some files were not applied]\n[ignore files of more than 64 KiB were not applied]`,
    );
  });

  it('reads no more of a file than its limit, even if it says that it is empty', async () => {
    const file = await open('/dev/zero');
    expect(await readAtMost(file, 1_000_000)).toBeUndefined();
    await file.close();
    const own = await open('/proc/self/status');
    expect((await own.stat()).size).toBe(0);
    expect((await readAtMost(own, 1_000_000))?.toString()).toContain('Name:');
    expect(await readAtMost(own, 0)).toEqual(Buffer.alloc(0));
    await own.close();
    const plain = await open(rig.write('a.txt', '12345'));
    expect(await readAtMost(plain, 4)).toBeUndefined();
    await plain.close();
  });

  it('says which files it did not search', async () => {
    rig.write('large.txt', 'needle\n'.repeat(700_000));
    rig.write('small.txt', 'needle\n');
    expect(await search('needle')).toBe('small.txt\n  1:needle\n[files of more than 4 MiB were not searched]');
  });

  it(proves('W08')('opens no pipe or other special file'), async () => {
    execFileSync('mkfifo', [rig.path('pipe')]);
    rig.write('a.txt', 'needle');
    expect(await search('needle')).toBe('a.txt\n  1:needle');
  });

  it(proves('A11')('ends when the turn is cancelled'), async () => {
    for (let i = 0; i < 500; i++) rig.write(`d${i}/f.txt`, 'needle\n');
    const running = rig.call('search_directory', { directory_path: '.', query: 'absent' });
    await delay(1);
    rig.turn.cancel();
    expect((await running).type).toBe('cancelled');
  });
});

describe('a program on PATH', () => {
  it(proves('A11')('is used only if nobody but the administrator can replace it'), () => {
    expect(findSystemProgram('env', `relative:${programs}:/nowhere:/usr/bin:/bin`)).toBe('/usr/bin/env');
    // Also if root runs the test: only folders of the system count.
    expect(findSystemProgram('rg', programs)).toBeUndefined();
    symlinkSync('/usr/bin/env', join(programs, 'env'));
    expect(findSystemProgram('env', programs)).toBeUndefined();
    expect(findSystemProgram('../bin/env', '/usr/bin')).toBeUndefined();
    // A link to a program of another name.
    expect(existsSync('/usr/bin/awk')).toBe(true);
    expect(findSystemProgram('awk', '/usr/bin')).toBeUndefined();
    expect(findSystemProgram('env', '')).toBeUndefined();
    expect(findSystemProgram('bin', '/usr')).toBeUndefined();
  });
});

/** Relative paths of up to three names. */
const pathOf = (...letters: readonly string[]) =>
  fc
    .array(fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 5 }), {
      minLength: 1,
      maxLength: 3,
    })
    .map((names) => names.join('/'))
    .filter((path) => !/(?:^|\/)\.\.?(?:$|\/)/.test(path));

describe('a file name pattern', () => {
  it('agrees with a regular expression on stars and question marks', () => {
    fc.assert(
      fc.property(pathOf('a', 'b', '*', '?', '.'), pathOf('a', 'b', '.'), (glob, path) => {
        fc.pre(/[*?]/.test(glob) && !glob.includes('**') && glob.includes('/'));
        const source = glob
          .replace(/[.]/g, String.raw`\.`)
          .replace(/\*/g, '[^/]*')
          .replace(/\?/g, '[^/]');
        expect(fileNameMatcher(glob)(path)).toBe(new RegExp(`^${source}$`).test(path));
      }),
      { numRuns: runs(2000) },
    );
  });

  it.each([
    ['foo{bar', 'The pattern "foo{bar" has a brace that is not closed.'],
    ['*.t[s', 'The pattern "*.t[s" has a bracket that is not closed or is empty.'],
  ])('that is not one is refused: %s', (query, message) => {
    expect(() => fileNameMatcher(query)).toThrow(message);
  });

  it.each([
    ['~*', '~x', true],
    ['/src/*.ts', 'src/a.ts', true],
    ['../*', 'x', false],
    ['**', 'a/b.ts', true],
    ['SRC/**/*.TS', 'src/a/b/c.ts', true],
    ['*.{md,TXT}', 'docs/A.txt', true],
  ])('is about names below the folder, in any case: %s, %s', (query, path, fits) => {
    expect(fileNameMatcher(query)(path)).toBe(fits);
  });

  it(proves('A11')('cannot be made slow'), () => {
    const fits = fileNameMatcher(`${'*a'.repeat(200)}b`);
    expect(fits('a'.repeat(255))).toBe(false);
    expect(() => fileNameMatcher('{a,b}'.repeat(20))).toThrow('more than 256 alternatives');
    expect(() => fileNameMatcher(`${'{**,*a}/'.repeat(8)}${'**/*a/'.repeat(120)}`)).toThrow('too many alternatives');
    expect(() => fileNameMatcher('**/*a/'.repeat(160))).not.toThrow();
  });
});
