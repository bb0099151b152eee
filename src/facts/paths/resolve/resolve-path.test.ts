import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { resolvePath } from './resolve-path.ts';

const base = realpathSync.native(mkdtempSync(join(tmpdir(), 'resolve-')));
const ws = join(base, 'ws');

beforeAll(() => {
  mkdirSync(join(ws, 'a/deep'), { recursive: true });
  mkdirSync(join(base, 'out/folder'), { recursive: true });
  writeFileSync(join(ws, 'file'), 'x');
  writeFileSync(join(base, 'out/secret'), 'x');
  symlinkSync('../out/folder', join(ws, 'far'));
  symlinkSync('a', join(ws, 'near'));
  symlinkSync('nowhere', join(ws, 'dangling'));
  symlinkSync('loop-b', join(ws, 'loop-a'));
  symlinkSync('loop-a', join(ws, 'loop-b'));
  symlinkSync('/proc/self/root', join(ws, 'root'));
  mkdirSync(join(ws, '~root'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function pathOf(given: unknown, cwd = ws): string {
  const resolution = resolvePath(given, { cwd, home: join(base, 'out') });
  return resolution.type === 'resolved' ? resolution.checked.path : `refused: ${resolution.reason}`;
}

describe('resolvePath', () => {
  it(proves('W02')('follows a link before it goes up from it'), () => {
    expect(pathOf('far/../secret')).toBe(join(base, 'out/secret'));
    expect(pathOf('near/../file')).toBe(join(ws, 'file'));
    expect(pathOf('a/./deep//../deep/')).toBe(join(ws, 'a/deep'));
    expect(pathOf('../../../../../../../../../../../../..')).toBe('/');
  });

  it(proves('W02')('starts relative paths at the given folder, not at the folder of the process'), () => {
    expect(pathOf('file')).toBe(join(ws, 'file'));
    expect(pathOf('deep', join(ws, 'a'))).toBe(join(ws, 'a/deep'));
    expect(pathOf('.', join(ws, 'near'))).toBe(join(ws, 'a'));
    expect(pathOf('x', 'relative')).toMatch(/^refused: .*not an absolute path/);
  });

  it(proves('W02')('returns the nearest existing ancestor of a missing path'), () => {
    const resolution = resolvePath('near/new/./sub//leaf/', { cwd: ws });
    expect(resolution).toMatchObject({
      type: 'resolved',
      checked: { path: join(ws, 'a/new/sub/leaf'), identity: undefined, ancestor: { path: join(ws, 'a') } },
    });
    const there = resolvePath('a', { cwd: ws });
    const hanging = resolution.type === 'resolved' ? resolution.checked.ancestor.identity : undefined;
    expect(there.type === 'resolved' && there.checked.identity).toEqual(hanging);
  });

  it(proves('W02')('returns the parent folder of an existing path'), () => {
    expect(resolvePath('near/deep', { cwd: ws })).toMatchObject({ checked: { ancestor: { path: join(ws, 'a') } } });
    expect(resolvePath('/', { cwd: ws })).toMatchObject({ checked: { path: '/', ancestor: { path: '/' } } });
  });

  it.each([
    ['', 'is empty'],
    ['a\0b', 'NUL'],
    ['\0', 'NUL'],
    ['lone \ud800', 'surrogate'],
    [7, 'a number'],
    [null, 'null'],
    [undefined, 'undefined'],
    [['file'], 'a list'],
    [{ path: 'file' }, 'an object'],
    ['dangling', 'dangling'],
    ['dangling/x', 'dangling'],
    ['dangling/../file', '\\.\\.'],
    ['loop-a', 'loop'],
    ['loop-a/x', 'loop'],
    ['file/', 'not a folder'],
    ['file/.', 'not a folder'],
    ['file/..', 'not a folder'],
    ['file/x', 'not a folder'],
    ['missing/../file', '\\.\\.'],
    ['missing/a/..', '\\.\\.'],
    ['x'.repeat(256), 'longer than 255'],
    [`missing/${'x'.repeat(256)}`, 'longer than 255'],
    [`missing/${'ü'.repeat(128)}`, 'longer than 255'],
    ['a/'.repeat(3000), 'longer than 4095'],
  ])(proves('W02')('refuses %j'), (given, reason) => {
    expect(pathOf(given)).toMatch(new RegExp(`^refused: .*${reason}`));
  });

  it(proves('W02')('counts the bytes of the whole path, working folder included'), () => {
    const space = 4095 - Buffer.byteLength(`${ws}/`);
    const longest = 'm/'.repeat(2048).slice(0, space - 1);
    expect(pathOf(longest)).not.toMatch(/^refused/);
    expect(pathOf(`${longest}xx`)).toMatch(/longer than 4095/);
  });

  it(proves('W02')('is not fooled by links in /proc, whose text is not their target'), () => {
    expect(pathOf(`root${ws}/file`)).toBe(join(ws, 'file'));
    expect(pathOf('/proc/self/fd/0/x')).toMatch(/^refused: .+/);
    const socket = execFileSync(process.execPath, ['-e', 'console.log(require("fs").readlinkSync("/proc/self/fd/1"))']);
    expect(String(socket)).toMatch(/^(pipe|socket):/);
  });

  it(proves('W07')('refuses every path on Windows, where it is not tested'), () => {
    const { platform } = process;
    Object.defineProperty(process, 'platform', { value: 'win32' });
    try {
      expect(pathOf('file')).toMatch(/^refused: .*Windows/);
    } finally {
      Object.defineProperty(process, 'platform', { value: platform });
    }
  });

  it.runIf(process.platform === 'linux')(proves('W02')('refuses a link whose text names another file'), () => {
    const gone = join(ws, 'gone');
    writeFileSync(gone, '');
    const file = openSync(gone, 'r');
    rmSync(gone);
    writeFileSync(`${gone} (deleted)`, '');
    const given = `/proc/self/fd/${file}`;
    expect(readlinkSync(given)).toBe(`${gone} (deleted)`);
    expect(pathOf(given)).toMatch(/^refused: .*does not name its target/);
    closeSync(file);
  });

  it(proves('W02')('measures a missing path by its real location'), () => {
    const deep = join(ws, ...Array.from({ length: 15 }, () => 'd'.repeat(240)));
    mkdirSync(deep, { recursive: true });
    symlinkSync(deep, join(ws, 'deep'));
    const name = 'n'.repeat(240);
    expect(pathOf(`deep/${name}`)).toBe(join(deep, name));
    expect(pathOf(`deep/${name}/${name}/${name}`)).toMatch(/^refused: .*longer than 4095/);
  });

  it(proves('W04')('supports ~ and ~/x, and nothing else that begins with ~'), () => {
    expect(pathOf('~')).toBe(join(base, 'out'));
    expect(pathOf('~/secret')).toBe(join(base, 'out/secret'));
    expect(pathOf('~//./secret')).toBe(join(base, 'out/secret'));
    expect(pathOf('~root')).toBe(join(ws, '~root'));
    expect(pathOf('~root/../~')).toBe(join(ws, '~'));
    expect(pathOf('a/~')).toBe(join(ws, 'a/~'));
    expect(resolvePath('~', { cwd: ws, home: 'relative' }).type).toBe('refused');
    expect(resolvePath('~', { cwd: ws }).type).toBe('resolved');
  });

  it(proves('W04')('decodes file URLs once'), () => {
    expect(pathOf(`file://${ws}/file`)).toBe(join(ws, 'file'));
    expect(pathOf(`FILE://localhost${ws}/%66ile`)).toBe(join(ws, 'file'));
    expect(pathOf(`file://${ws}/a%20b`)).toBe(join(ws, 'a b'));
    expect(pathOf(`file://${ws}/%252e%252e/x`)).toBe(join(ws, '%2e%2e/x'));
    expect(pathOf(`file://${ws}/%2e%2e/out/secret`)).toBe(join(base, 'out/secret'));
    expect(pathOf(`file://${ws}/a/../file`)).toBe(join(ws, 'file'));
  });

  it.each([
    [`file://evil${ws}/file`, 'another host'],
    [`file://127.0.0.1${ws}/file`, 'another host'],
    [`file://${ws}/..%2fout`, 'encoded slash'],
    [`file://${ws}/%00`, 'NUL'],
    [`file://${ws}/%zz`, 'percent-encoding'],
    [`file://${ws}/%ff`, 'percent-encoding'],
    [`file://${ws}/file?x`, 'query'],
    [`file://${ws}/file#x`, 'fragment'],
    [`file://${ws}\\..\\x`, 'rewrite'],
    [`file://${ws}/.\t./x`, 'rewrite'],
    [`file://${ws}/far/../secret`, 'interpret differently'],
    ['file:/etc/passwd', 'form file:///path'],
    ['file:etc/passwd', 'form file:///path'],
    ['file://', 'form file:///path'],
    [' file:///etc/passwd', 'form file:///path'],
    ['fi\nle:///etc/passwd', 'form file:///path'],
    ['\u0001file:///etc/passwd', 'form file:///path'],
  ])(proves('W04')('refuses the file URL %j'), (given, reason) => {
    expect(pathOf(given)).toMatch(new RegExp(`^refused: .*${reason}`));
  });

  it.each([
    '..%2f..%2fetc',
    '%2e%2e',
    '..\\..\\x',
    'C:\\x',
    '$HOME',
    '${HOME}',
    '`id`',
    '*',
    'http://h/x',
    '．．',
    '‥',
    ' ',
    '..;',
    '.. ',
    '...',
    '..\u200b',
    '..%c0%af',
    '\u2215etc',
  ])(proves('W04')('takes %j literally'), (given) => {
    expect(pathOf(given)).toBe(join(ws, given));
  });
});

describe('a folder that may not be searched', () => {
  const closed = join(base, 'closed');
  beforeAll(() => {
    mkdirSync(join(closed, 'inner'), { recursive: true });
    chmodSync(closed, 0o000);
    chmodSync(base, 0o755);
  });

  it(proves('W02')('makes a path unreadable, so it is refused'), async () => {
    const given = join(closed, 'inner');
    const reason = process.getuid?.() === 0 ? await resolveAsNobody(given) : pathOf(given);
    expect(reason).toMatch(/permission denied/);
  });

  /** Root may read everything, so another user's process asks. */
  async function resolveAsNobody(given: string): Promise<string> {
    const outDir = join(base, 'bundle');
    const entry = fileURLToPath(new URL('./resolve-path.ts', import.meta.url));
    await build({ configFile: false, logLevel: 'silent', build: { ssr: entry, outDir, target: 'node20' } });
    const script = `import { resolvePath } from ${JSON.stringify(`${outDir}/resolve-path.js`)};
      console.log(JSON.stringify(resolvePath(${JSON.stringify(given)}, { cwd: '/' })));`;
    const options = { uid: 65_534, gid: 65_534, cwd: '/' };
    return String(execFileSync(process.execPath, ['--input-type=module', '-e', script], options));
  }
});
