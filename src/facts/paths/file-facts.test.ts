import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compilePolicy, forbid, type ToolCall, type ToolDeclaration } from 'bridle';
import { reads, readsFact, writes, writesFact } from 'bridle/facts';
import { builtinTools } from 'bridle/tools';
import { proves } from '../../../test/contract/cite.ts';
import { runs } from '../../../test/property-runs.ts';
import { newId, type CallId, type SessionId } from '../../kernel/ids.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { FileAccess } from '../shell/commands/command-analysis.ts';
import type { Fact } from '../truth.ts';
import { filesOfAnalysis } from './touched-files/files-of-line.ts';

const base = realpathSync.native(mkdtempSync(join(tmpdir(), 'facts-')));
const ws = join(base, 'ws');

beforeAll(() => {
  for (const folder of ['ws/src/deep', 'ws/empty', 'ws/many', 'out'])
    mkdirSync(join(base, folder), { recursive: true });
  for (const file of ['ws/.env', 'ws/a.txt', 'ws/src/a.ts', 'ws/src/deep/.env', 'out/secret'])
    writeFileSync(join(base, file), 'x');
  symlinkSync('../out', join(ws, 'far'));
  symlinkSync('.env', join(ws, 'plain'));
  symlinkSync('../out/secret', join(ws, 'src/.secret'));
  symlinkSync('nowhere', join(ws, 'dangling'));
  symlinkSync('src', join(ws, 'lib'));
  symlinkSync('ws', join(base, 'alias'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function callOf(args: JsonObject, cwd: string | undefined = ws): ToolCall {
  return {
    id: newId<CallId>(),
    tool: 'tool',
    server: undefined,
    displayName: 'tool',
    tier: 'confirm',
    args,
    requested: args,
    cwd,
    session: newId<SessionId>(),
    turn: 1,
    step: 1,
    agent: [],
  };
}

const reader: ToolDeclaration = { name: 'tool', paths: ['path'], touches: { reads: ['path'] } };
const writer: ToolDeclaration = { name: 'tool', paths: ['path'], touches: { writes: ['path'] } };
const of = (name: string): ToolDeclaration => builtinTools.find((tool) => tool.name === name) as ToolDeclaration;
const shell = of('run_command');

type Answer = 'yes' | 'no' | 'unknown';

function ask(fact: Fact, call: ToolCall, tool: ToolDeclaration): Answer {
  const truth = fact(call, tool);
  return truth === true ? 'yes' : truth === false ? 'no' : 'unknown';
}

const readsPath = (glob: string, path: JsonObject[string], cwd = ws): Answer =>
  ask(readsFact(glob), callOf({ path }, cwd), reader);
const writesPath = (glob: string, path: string): Answer => ask(writesFact(glob), callOf({ path }), writer);
const line = (command_line: string, rest: JsonObject = {}): ToolCall => callOf({ command_line, ...rest });
const readsLine = (glob: string, text: string, rest?: JsonObject): Answer =>
  ask(readsFact(glob), line(text, rest), shell);
const writesLine = (glob: string, text: string, rest?: JsonObject): Answer =>
  ask(writesFact(glob), line(text, rest), shell);

describe('an entry of which only metadata is read', () => {
  it.each([
    'ls -la .env',
    'ls .e*',
    'ls -l plain',
    'stat -c %s .env',
    'du -h .env src/deep/.env',
    'find .env -type f',
    'find . -newer .env',
    'find . -name .env | xargs ls -l',
    'find . -name .env -exec stat {} +',
    'tree .env',
    'git ls-files --error-unmatch .env',
    '[ -f .env ] && echo yes',
    '[[ -s .env ]]',
    'cd src && ls deep/.env',
    'for f in .env a.txt; do ls "$f"; done',
  ])(proves('X08')('is not read: %s'), (text) => {
    expect(readsLine('**/.env', text)).toBe('no');
  });

  it.each([
    'ls .env && cat .env',
    'ls < .env',
    'wc -c .env',
    'file .env',
    'tree --fromfile .env',
    'du --exclude-from=.env',
    'git ls-files --eol .env',
  ])(proves('X08')('is read by a program that opens it: %s'), (text) => {
    expect(readsLine('**/.env', text)).toBe('yes');
  });

  it.each([
    'ls .env | xargs cat',
    'cat $(ls .env)',
    'find .env -exec cat {} +',
    'find .env | xargs cat',
    'fd . .env -x cat',
    'git ls-files .env | xargs cat',
    'stat -c %n .env | xargs cat',
    'ls .env | while read f; do cat "$f"; done',
    'ln -s .env new && ls new && cat new',
  ])(proves('X08')('passes its name on, so it may be read: %s'), (text) => {
    expect(readsLine('**/.env', text)).not.toBe('no');
  });

  it(proves('X08')('is read if it is a folder, because its names are its content'), () => {
    expect(readsLine('src', 'ls src')).toBe('yes');
    expect(readsLine('src', 'ls lib/')).toBe('yes');
    expect(readsLine('src/**/*.ts', 'ls -R src')).toBe('no');
    expect(readsLine('**/.env', 'ls "$x"')).toBe('unknown');
  });

  it(proves('X08')('may be read by git, which compares changed files'), () => {
    expect(readsLine('**/.env', 'git status .env')).toBe('unknown');
    expect(readsLine('**/.env', 'git status -s -- .env')).toBe('unknown');
    expect(readsLine('**/.env', 'git status -vv .env')).toBe('yes');
    expect(readsLine('**/.env', 'git status a.txt')).toBe('no');
    expect(readsLine('**/.env', 'git diff .env')).toBe('yes');
  });

  it(proves('X08')('still counts as deleted'), () => {
    expect(writesLine('**/.env', 'find .env -delete')).toBe('yes');
    expect(writesLine('**/.env', 'find -name .env -delete')).toBe('unknown');
  });
});

describe('files named by path arguments', () => {
  it(proves('X08')('are matched by their real path'), () => {
    expect(readsPath('**/.env', '.env')).toBe('yes');
    expect(readsPath('**/.env', './src/../.env')).toBe('yes');
    expect(readsPath('**/.env', 'plain')).toBe('yes');
    expect(readsPath('.env', join(base, 'alias/.env'))).toBe('yes');
    expect(readsPath(`${base}/out/**`, 'far/secret')).toBe('yes');
    expect(readsPath('**/.env', 'a.txt')).toBe('no');
    expect(readsPath('**/.env', 'a.env')).toBe('no');
    expect(readsPath('src/*.ts', 'src/a.ts')).toBe('yes');
    expect(readsPath('src/*.ts', 'src/new.ts')).toBe('yes');
    expect(readsPath('src/*.ts', 'src/deep/.env')).toBe('no');
    expect(readsPath('../out/*', 'far/secret')).toBe('yes');
    expect(readsPath('~/.ssh/**', '~/.ssh/id')).toBe('yes');
    expect(readsPath('~/.ssh/**', join(homedir(), '.ssh', 'id'))).toBe('yes');
  });

  it(
    proves('X08')('are unknown if only the name of a link fits, so that links bypass neither allow nor forbid rules'),
    () => {
      // Inside by its text, but really outside.
      expect(writesPath('far/**', 'far/secret')).toBe('unknown');
      expect(writesPath('src/**', 'src/.secret')).toBe('unknown');
      // The pattern leads through a link, the path does not.
      expect(writesPath('lib/**', 'src/a.ts')).toBe('unknown');
      expect(writesPath('lib/**', 'a.txt')).toBe('no');
    },
  );

  it(proves('X08')('include everything in a folder'), () => {
    expect(writesPath('src/a.ts', 'src')).toBe('unknown');
    expect(writesPath('src/new.ts', '.')).toBe('unknown');
    expect(writesPath('other/**', 'src')).toBe('no');
    expect(readsPath('src/*.ts', 'src')).toBe('unknown');
    expect(readsPath('src/*.ts', '.')).toBe('unknown');
    expect(readsPath('**/.env', 'empty')).toBe('no');
    expect(readsPath('**/.env', 'a.txt')).toBe('no');
    // A link to a folder that may contain something.
    expect(readsPath('**/secret', '.')).toBe('unknown');
  });

  it('may be anything in a folder that is too large to search', () => {
    for (let index = 0; index < 20_001; index++) writeFileSync(join(ws, 'many', String(index)), '');
    expect(readsPath('**/.env', 'many')).toBe('unknown');
    expect(readsPath('src/**', 'many')).toBe('no');
  });

  it.each([['dangling'], ['none/../a'], ['a.txt/x'], ['\0'], [''], ['/proc/self/cwd/a.txt'], [7], [null], [{ a: 1 }]])(
    'are unknown if they cannot be resolved: %s',
    (path) => {
      expect(readsPath('**/nothing', path)).toBe('unknown');
    },
  );

  it(proves('X08')('are unknown without a start folder'), () => {
    const lost = { ...callOf({ path: 'a.txt' }), cwd: undefined };
    expect(ask(readsFact('**/.env'), lost, reader)).toBe('unknown');
    expect(ask(readsFact('/nowhere/**'), lost, reader)).toBe('unknown');
    const rooted = { ...callOf({ path: '/etc/passwd' }), cwd: undefined };
    expect(ask(readsFact('/etc/passwd'), rooted, reader)).toBe('yes');
    expect(ask(readsFact('relative/**'), rooted, reader)).toBe('unknown');
  });

  it(proves('X08')('are read by tools of the tier observe; without a declaration, other tools may do either'), () => {
    const observe: ToolDeclaration = { name: 'tool', tier: 'observe', paths: ['path'] };
    const other: ToolDeclaration = { name: 'tool', paths: ['path'] };
    const call = callOf({ path: '.env' });
    expect([ask(readsFact('.env'), call, observe), ask(writesFact('.env'), call, observe)]).toEqual(['yes', 'no']);
    expect([ask(readsFact('.env'), call, other), ask(writesFact('.env'), call, other)]).toEqual(['unknown', 'unknown']);
    expect([ask(readsFact('x'), call, other), ask(writesFact('x'), call, other)]).toEqual(['no', 'no']);
    expect(ask(readsFact('.env'), call, { name: 'tool' })).toBe('no');
  });

  it('include those in lists and nested objects', () => {
    const tool: ToolDeclaration = { name: 'tool', paths: ['edits[].path'], touches: { writes: ['edits[].path'] } };
    const call = callOf({ edits: [{ path: 'a.txt' }, { path: '.env' }] });
    expect(ask(writesFact('**/.env'), call, tool)).toBe('yes');
    expect(ask(writesFact('**/.env'), callOf({ edits: ['.env'] }), tool)).toBe('unknown');
  });

  it(proves('X08')('are declared for the built-in tools'), () => {
    expect(ask(readsFact('.env'), callOf({ file_path: '.env' }), of('view_file'))).toBe('yes');
    expect(ask(writesFact('.env'), callOf({ file_path: '.env' }), of('view_file'))).toBe('no');
    expect(ask(writesFact('.env'), callOf({ file_path: '.env' }), of('create_file'))).toBe('yes');
    expect(ask(writesFact('**/.env'), callOf({ file_path: 'fresh.txt' }), of('create_file'))).toBe('no');
    expect(ask(writesFact('.env'), callOf({ file_path: '.env' }), of('edit_file'))).toBe('yes');
    expect(ask(readsFact('.env'), callOf({ file_path: '.env' }), of('edit_file'))).toBe('yes');
    for (const name of ['list_directory', 'search_directory', 'find_file'])
      expect(ask(readsFact('.env'), callOf({ directory_path: '.' }), of(name))).toBe('unknown');
  });
});

describe('files named by command lines', () => {
  it(proves('X08')('include redirections'), () => {
    expect(readsLine('.env', 'echo < .env')).toBe('yes');
    expect(writesLine('.env', 'echo > .env')).toBe('yes');
    expect(writesLine('.env', 'echo >> plain')).toBe('yes');
    expect(writesLine('.env', 'echo 2> /dev/null')).toBe('no');
    expect(writesLine('**', 'echo > /dev/null 2>/dev/stderr')).toBe('no');
    expect(writesLine('.env', 'echo < .env > /dev/stdout')).toBe('unknown');
    expect(writesLine('~/x', 'echo > ~/x')).toBe('yes');
    expect(writesLine('~/x', "echo > '~/x'")).toBe('no');
    expect(writesLine('.env', 'echo > "$file"')).toBe('unknown');
    expect(writesLine('.env', 'echo > ~root/x')).toBe('unknown');
  });

  it(proves('X08')('start from the folder of the line'), () => {
    expect(readsLine('src/deep/.env', 'echo < .env', { working_dir: 'src/deep' })).toBe('yes');
    expect(readsLine('src/deep/.env', 'echo < ../deep/.env', { working_dir: 'lib/deep' })).toBe('yes');
    expect(readsLine('.env', 'echo < .env', { working_dir: 'src/deep' })).toBe('no');
    expect(readsLine('.env', 'echo < .env', { working_dir: 'dangling' })).toBe('unknown');
    const lost = { ...line('echo < .env'), cwd: undefined };
    expect(ask(readsFact('/nowhere'), lost, shell)).toBe('unknown');
  });

  it(proves('X08')('are unknown after a cd to a folder that is not literal'), () => {
    expect(readsLine('/nowhere', 'cd "$x"; echo < a.ts')).toBe('unknown');
    expect(readsLine('.env', `cd src && echo < ${ws}/.env`)).toBe('yes');
  });

  it(proves('X11')('are unknown for any shell but bash'), () => {
    const { touches: _bash, ...untold } = shell;
    expect(ask(readsFact('/nowhere'), line('echo'), untold)).toBe('unknown');
    expect(ask(readsFact('/nowhere'), callOf({}), untold)).toBe('no');
    expect(ask(readsFact('/nowhere'), callOf({ command_line: 7 }), shell)).toBe('unknown');
  });

  it('are unknown if there may be more', () => {
    expect(readsLine('/nowhere', 'echo "')).toBe('unknown');
    expect(readsLine('/nowhere', 'eval "$x"')).toBe('unknown');
  });
});

/** Hand-written analyses: what a line may touch, independent of the known programs. */
function touched(files: readonly Partial<FileAccess>[]): ReturnType<typeof filesOfAnalysis>['files'] {
  const whole = files.map((file): FileAccess => ({
    mode: 'write',
    path: undefined,
    text: 'word',
    from: [''],
    ...file,
  }));
  return filesOfAnalysis({ files: whole, unknown: undefined, filesUnknown: undefined, foreign: [], commands: [] }, ws)
    .files;
}

const pathsOf = (files: readonly Partial<FileAccess>[]): readonly (string | undefined)[] =>
  touched(files).flatMap(({ locations }) => locations.map(({ checked }) => checked?.path));

/** A file or folder is moved, and then read. */
const move = (from: string): readonly unknown[] => {
  const source = { mode: 'write', path: from, text: from, from: [''], reach: 'tree' } as const;
  const files = [source, { path: 'to', reach: 'onto', sources: [source] }, { mode: 'read', path: 'to' }] as const;
  return touched(files).map(({ reach, locations }) => [reach, locations[0]?.checked !== undefined]);
};

/** Files are copied to a destination. */
const to = (path: string, ...names: readonly string[]): readonly Partial<FileAccess>[] => [
  { path, reach: 'into', sources: names.map((name) => ({ mode: 'read', path: name, text: name, from: [''] })) },
];

describe('the files that a line touches', () => {
  it('are the new names in a folder, or the destination itself', () => {
    expect(pathsOf(to('src', 'x', 'other/y'))).toEqual([join(ws, 'src/x'), join(ws, 'src/y')]);
    expect(pathsOf(to('new', 'x'))).toEqual([join(ws, 'new')]);
    expect(pathsOf(to('a.txt', 'x'))).toEqual([join(ws, 'a.txt')]);
    // What the line creates may be a folder by then.
    expect(pathsOf([{ path: 'new', reach: 'itself' }, ...to('new', 'x')])).toEqual([
      join(ws, 'new'),
      join(ws, 'new'),
      join(ws, 'new/x'),
    ]);
    expect(touched([{ path: 'src', reach: 'into' }]).map(({ reach }) => reach)).toEqual([undefined]);
    expect(touched([{ path: 'new', reach: 'into' }]).map(({ reach }) => reach)).toEqual(['itself']);
  });

  it('may start from several folders', () => {
    const [file] = touched([{ path: 'x', from: ['', 'src', '/etc'] }]);
    expect(file?.locations.map(({ checked }) => checked?.path)).toEqual([join(ws, 'x'), join(ws, 'src/x'), '/etc/x']);
    expect(file?.sure).toBe(true);
    expect(touched([{ path: '/etc/x', from: undefined }]).map(({ sure }) => sure)).toEqual([true]);
  });

  it(proves('X08')('are unknown at or below what the line creates: it may be a link by then'), () => {
    const [link, behind] = touched([
      { path: 'new', text: 'new' },
      { mode: 'read', path: 'new/passwd', text: 'new/passwd' },
    ]);
    expect(link?.locations[0]?.checked?.path).toBe(join(ws, 'new'));
    expect(behind?.locations[0]).toMatchObject({ checked: undefined, why: expect.stringContaining('link') as string });
    const plain = { path: 'new', reach: 'itself' } as const;
    expect(pathsOf([plain, { mode: 'read', path: 'new' }])).toEqual([join(ws, 'new'), join(ws, 'new')]);
  });

  it('stay plain files when moved', () => {
    expect(move('a.txt')).toEqual([
      ['tree', true],
      ['itself', true],
      [undefined, true],
    ]);
    expect(move('missing')).toEqual(move('a.txt'));
    for (const from of ['src', 'plain'])
      expect(move(from)).toEqual([
        ['tree', true],
        [undefined, true],
        [undefined, false],
      ]);
  });

  it('are unknown if there are too many', () => {
    const files = Array.from({ length: 1001 }, (_, index) => ({ path: String(index) }));
    expect(touched(files)).toEqual([]);
    const whole = files.map((file): FileAccess => ({ mode: 'read', text: '', from: [''], ...file }));
    expect(
      filesOfAnalysis({ files: whole, unknown: undefined, filesUnknown: undefined, foreign: [], commands: [] }, ws)
        .unknown,
    ).toContain('1000');
  });
});

describe('reads and writes', () => {
  it(proves('X08', 'X01')('are conditions that are decided safely when unknown'), async () => {
    const policy = compilePolicy([forbid('*', { when: writes('**/.env') })], { tools: [{ ...writer, name: 'write' }] });
    const decide = async (name: string): Promise<string> =>
      (await policy.decide({ tool: 'write', args: { path: join(ws, name) } })).effect;
    expect(await decide('.env')).toBe('deny');
    expect(await decide('dangling')).toBe('deny');
    expect(await decide('a.txt')).toBe('allow');
  });

  it('differ by their text', () => {
    expect(String(reads('a*'))).toBe('reads("a*")');
    expect(compilePolicy([forbid('*', { when: writes('a') })]).version).not.toBe(
      compilePolicy([forbid('*', { when: writes('b') })]).version,
    );
  });

  it('refuse an invalid pattern', () => {
    expect(() => reads('[')).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
    expect(() => writes(undefined as never)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });
});

describe('any call', () => {
  const odd = fc.constantFrom(
    '',
    '.',
    '..',
    '/',
    '~',
    '~x',
    '\0',
    '\ud800',
    'file://x/y',
    '/proc/self/fd/0',
    'a'.repeat(5000),
  );
  const path = fc.oneof(odd, fc.string(), fc.jsonValue());
  const word = fc.constantFrom(
    'cat',
    'rm -r',
    '>',
    '<',
    '&&',
    ';',
    'cd',
    '"$x"',
    '*',
    '~/a',
    'a.txt',
    'src',
    "'",
    '$(',
  );
  const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '));

  it(proves('X08')('gets an answer, and unknown is never false'), () => {
    fc.assert(
      fc.property(path, text, (value, command_line) => {
        const given = JSON.parse(JSON.stringify(value)) as JsonObject[string];
        for (const fact of [readsFact('**/.env'), writesFact('src/**')]) {
          expect(['yes', 'no', 'unknown']).toContain(
            ask(fact, callOf({ path: given }), { name: 'tool', paths: ['path'] }),
          );
          expect(['yes', 'no', 'unknown']).toContain(ask(fact, callOf({ command_line, working_dir: given }), shell));
        }
        const isText = typeof given === 'string' || (Array.isArray(given) && given.length === 0);
        if (!isText) expect(readsPath('/nowhere/**', given)).not.toBe('yes');
        if (!isText && !Array.isArray(given)) expect(readsPath('/nowhere/**', given)).toBe('unknown');
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('resolution', () => {
  /** Compares with the kernel's own name of an existing file. */
  it(proves('X08')('finds every file of a tree with links by its real path, and never denies it'), () => {
    const tree = join(base, 'tree');
    const names = ['a', 'b', 'c'];
    const step = fc.constantFrom('..', '.', '', ...names);
    mkdirSync(join(tree, 'a/b/c'), { recursive: true });
    mkdirSync(join(tree, 'b'), { recursive: true });
    for (const file of ['a/x', 'a/b/x', 'a/b/c/x', 'b/x']) writeFileSync(join(tree, file), '');
    symlinkSync('../a/b', join(tree, 'b/a'));
    symlinkSync('..', join(tree, 'a/b/a'));
    symlinkSync('a/b/c', join(tree, 'c'));
    let found = 0;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 6 }), (steps) => {
        const path = [...steps.map((each) => (each === '' ? '.' : each)), 'x'].join('/');
        let real: string;
        try {
          real = realpathSync.native(`${tree}/${path}`);
        } catch {
          return;
        }
        found++;
        expect(readsPath(real, path, tree)).toBe('yes');
        expect(readsPath(`${dirname(real)}/*`, path, tree)).toBe('yes');
        const relative = real.startsWith(`${tree}/`) ? real.slice(tree.length + 1) : undefined;
        if (relative !== undefined) expect(readsPath(relative, path, tree)).toBe('yes');
        for (const other of ['a/x', 'a/b/x', 'a/b/c/x', 'b/x']) {
          if (join(tree, other) !== real) expect(readsPath(join(tree, other), path, tree), path).not.toBe('yes');
        }
      }),
      { numRuns: runs(300) },
    );
    expect(found).toBeGreaterThan(50);
  });
});
