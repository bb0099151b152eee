import fc from 'fast-check';
import { win32 } from 'node:path';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { runs } from '../../../../test/property-runs.ts';
import { checkWindowsPath, parseWindowsPath } from './windows-path.ts';

const cwd = 'C:\\ws\\sub';

function pathOf(text: unknown, from: string | undefined = cwd): string {
  const parsed = parseWindowsPath(text, from);
  return parsed.type === 'path' ? parsed.path : `refused: ${parsed.reason}`;
}

describe('parseWindowsPath', () => {
  it.each([
    ['C:\\ws\\file', 'C:\\ws\\file'],
    ['c:/ws//file/', 'C:\\ws\\file'],
    ['C:/ws\\a/../b\\.', 'C:\\ws\\b'],
    ['C:\\..\\..\\x', 'C:\\x'],
    ['C:\\', 'C:\\'],
    ['file', 'C:\\ws\\sub\\file'],
    ['..\\file', 'C:\\ws\\file'],
    ['.', 'C:\\ws\\sub'],
    ['\\rooted', 'C:\\rooted'],
    ['/rooted', 'C:\\rooted'],
    ['\\\\server\\share\\x', '\\\\server\\share\\x'],
    ['//server/share/x', '\\\\server\\share\\x'],
    ['\\\\server\\share\\..\\..\\x', '\\\\server\\share\\x'],
    ['\\\\server\\share', '\\\\server\\share\\'],
    ['\\\\?\\C:\\ws\\x', 'C:\\ws\\x'],
    ['\\\\?\\UNC\\server\\share\\x', '\\\\server\\share\\x'],
    ['\\??\\C:\\ws\\x', 'C:\\ws\\x'],
    ['file.txt.', 'C:\\ws\\sub\\file.txt'],
    ['file. . .', 'C:\\ws\\sub\\file'],
    ['dir.\\x', 'C:\\ws\\sub\\dir\\x'],
    [' x', 'C:\\ws\\sub\\ x'],
    ['console', 'C:\\ws\\sub\\console'],
    ['com10', 'C:\\ws\\sub\\com10'],
    ['~', 'C:\\ws\\sub\\~'],
    ['backup~', 'C:\\ws\\sub\\backup~'],
    ['a-long-name~1', 'C:\\ws\\sub\\a-long-name~1'],
  ])(proves('W07')('reads %j as %j'), (text, path) => {
    expect(pathOf(text)).toBe(path);
  });

  it.each([
    ['', 'empty'],
    [7, 'not a string'],
    ['a\0', 'NUL'],
    ['\ud800', 'surrogate'],
    ['C:file', 'hidden current folder'],
    ['C:', 'hidden current folder'],
    ['D:..\\x', 'hidden current folder'],
    ['\\\\.\\C:\\x', 'device path'],
    ['//./PhysicalDrive0', 'device path'],
    ['\\\\.', 'device path'],
    ['\\\\?\\GLOBALROOT\\Device\\x', 'device or volume'],
    ['\\\\?\\Volume{1}\\x', 'device or volume'],
    ['\\??\\pipe\\x', 'device or volume'],
    ['\\\\?\\C:', 'device or volume'],
    ['\\\\?\\C:\\ws\\..\\x', 'verbatim'],
    ['\\\\?\\C:\\ws\\.\\x', 'verbatim'],
    ['\\\\?\\C:\\ws \\x', 'verbatim'],
    ['\\\\?\\C:\\ws\\x.', 'verbatim'],
    ['\\\\?\\C:\\ws\\\\x', 'verbatim'],
    ['\\\\?\\C:/ws/x', 'mixes'],
    ['//?/C:/ws/x', 'mixes'],
    ['\\\\?\\UNC\\server', 'form'],
    ['\\\\server', 'form'],
    ['\\\\server\\', 'form'],
    ['\\\\\\server\\share', 'form'],
    ['\\\\..\\share\\x', 'form'],
    ['\\\\server\\..\\x', 'form'],
    ['\\\\server\\pipe\\x', 'network device'],
    ['\\\\server\\IPC$\\x', 'network device'],
    ['CON', 'device'],
    ['con.txt', 'device'],
    ['NUL', 'device'],
    ['nul ', 'device'],
    ['nul .txt', 'device'],
    ['aux.c.d', 'device'],
    ['COM1', 'device'],
    ['com\u00b9', 'device'],
    ['lpt\u00b3.x', 'device'],
    ['LPT1.txt', 'device'],
    ['CONIN$', 'device'],
    ['conout$', 'device'],
    ['prn\\x', 'device'],
    ['a\\nul\\b', 'device'],
    ['file.txt:stream', 'stream'],
    ['file.txt::$DATA', 'stream'],
    ['dir:x\\y', 'stream'],
    ['PROGRA~1', 'short'],
    ['progra~1\\x', 'short'],
    ['FILE~12.TXT', 'short'],
    ['a\\..\\~1', 'short'],
    ['...', 'dots or blanks'],
    [' ', 'dots or blanks'],
    ['.. ', 'dots or blanks'],
    ['.. \\x', 'dots or blanks'],
    ['...\\x', 'dots or blanks'],
    ['ws \\x', 'dots or blanks'],
    ['ws..\\x', 'dots or blanks'],
    ['a?', 'Windows names cannot'],
    ['a*', 'Windows names cannot'],
    ['a\u0001', 'Windows names cannot'],
    ['<a>', 'Windows names cannot'],
    ['x'.repeat(256), 'longer than 255'],
    ['x\\'.repeat(20_000), 'longer than 32766'],
  ])(proves('W07')('refuses %j'), (text, reason) => {
    expect(pathOf(text)).toMatch(new RegExp(`^refused: .*${reason}`));
  });

  it(proves('W07')('needs an absolute working folder for a relative path'), () => {
    for (const from of ['ws', '\\ws', 'C:ws', '\\\\.\\C:\\'])
      expect(pathOf('x', from)).toMatch(/^refused: .*working folder/);
    expect(parseWindowsPath('x')).toMatchObject({ type: 'refused' });
    expect(pathOf('x', '\\\\server\\share\\a')).toBe('\\\\server\\share\\a\\x');
    expect(pathOf('\\x', '\\\\server\\share\\a')).toBe('\\\\server\\share\\x');
    expect(pathOf('x', '//server/share')).toBe('\\\\server\\share\\x');
  });

  it(proves('W07')('agrees with Node on plain paths'), () => {
    const name = fc.constantFrom('a', 'B', 'ws', 'file.txt', '.', '..', '', 'ünï', '.git', '..x');
    const separator = fc.constantFrom('\\', '/');
    const start = fc.constantFrom('', '\\', 'C:\\', 'd:/', '\\\\server\\share\\');
    const text = fc
      .tuple(start, fc.array(fc.tuple(name, separator), { minLength: 1, maxLength: 8 }))
      .map(([begin, parts]) => begin + parts.flat().join(''));
    fc.assert(
      fc.property(text, (path) => {
        fc.pre(path !== '' && !(/^[\\/]{2}/.test(path) && !path.startsWith('\\\\server')));
        const expected = win32.resolve(cwd, path);
        expect(pathOf(path).toLowerCase().replace(/\\$/, '')).toBe(expected.toLowerCase().replace(/\\$/, ''));
      }),
      { numRuns: runs(5000) },
    );
  });
});

describe('checkWindowsPath', () => {
  it.each([
    ['C:\\ws\\file', 'inside'],
    ['c:/WS/FILE', 'inside'],
    ['C:\\ws', 'inside'],
    ['C:\\ws\\', 'inside'],
    ['C:\\ws.', 'inside'],
    ['\\\\?\\c:\\Ws\\x', 'inside'],
    ['file', 'inside'],
    ['..\\file', 'inside'],
    ['..\\..\\file', 'outside'],
    ['C:\\ws-evil\\x', 'outside'],
    ['C:\\wsx', 'outside'],
    ['D:\\ws\\x', 'outside'],
    ['\\ws\\x', 'inside'],
    ['\\x', 'outside'],
    ['\\\\localhost\\C$\\ws\\x', 'outside'],
    ['C:\\w\u017f\\x', 'outside'],
    ['C:\\ws \\x', 'refused'],
    ['C:\\ws\\nul', 'refused'],
    ['C:\\ws:s\\x', 'refused'],
    ['C:ws\\x', 'refused'],
  ])(proves('W07')('finds %j %s'), (path, type) => {
    expect(checkWindowsPath('C:\\ws', path, cwd).type).toBe(type);
  });

  it(proves('W07')('compares letters as NTFS does, and never more of them'), () => {
    expect(checkWindowsPath('C:\\ÄÖÜ', 'c:\\äöü\\x').type).toBe('inside');
    expect(checkWindowsPath('C:\\ß', 'C:\\SS\\x').type).toBe('outside');
    expect(checkWindowsPath('C:\\MASS', 'C:\\ma\u017f\u017f').type).toBe('outside');
    expect(checkWindowsPath('C:\\I', 'C:\\\u0131').type).toBe('outside');
    expect(checkWindowsPath('C:\\\u00b5', 'C:\\\u03bc').type).toBe('outside');
    expect(checkWindowsPath('C:\\K', 'C:\\\u212a').type).toBe('outside');
  });

  it(proves('W07')('compares shares by both names, and refuses a workspace that it cannot resolve'), () => {
    expect(checkWindowsPath('\\\\Server\\Share\\a', '//server/share/A/x').type).toBe('inside');
    expect(checkWindowsPath('\\\\server\\share', '\\\\server\\other\\x').type).toBe('outside');
    expect(checkWindowsPath('\\\\?\\UNC\\server\\share', '\\\\server\\share\\x').type).toBe('inside');
    expect(checkWindowsPath('C:ws', 'C:\\ws\\x')).toMatchObject({
      type: 'refused',
      reason: expect.stringContaining('workspace') as string,
    });
  });

  it(proves('W07')('never finds a path that goes up inside'), () => {
    const part = fc.constantFrom('..', '.', 'a', 'ws', 'WS', 'ws.', 'ws ', '', 'C:', 'nul', 'x:y', '...');
    const text = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('\\'));
    fc.assert(
      fc.property(text, (path) => {
        const check = checkWindowsPath('C:\\ws', path, 'C:\\ws');
        if (check.type === 'inside') expect(win32.resolve('C:\\ws', path)).toMatch(/^C:\\ws(\.?\\|[. ]*$)/i);
      }),
      { numRuns: runs(5000) },
    );
  });
});
