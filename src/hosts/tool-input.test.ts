import { describe, expect, it } from 'vitest';
import { reasonText } from './reason-text.ts';
import { patternFolder, ToolInput } from './tool-input.ts';

const folder = '/home/user/project';

describe('ToolInput', () => {
  const input = new ToolInput(
    { file: 'a/../b', none: '', list: ['x', '/y'], empty: [], bad: ['x', 1], nul: 'a\0b', n: 1 },
    folder,
  );

  it('makes paths absolute', () => {
    expect(input.path('file')).toBe('/home/user/project/b');
    expect(input.paths('list')).toEqual(['/home/user/project/x', '/y']);
    expect([input.paths('empty'), input.paths('missing'), input.paths('none')]).toEqual([[folder], [folder], [folder]]);
  });

  it.each(['none', 'missing', 'nul', 'n', 'bad'])('refuses the path %j', (name) => {
    expect(() => (name === 'bad' ? input.paths(name) : input.path(name))).toThrow(
      expect.objectContaining({ code: 'PAYLOAD_INVALID' }),
    );
  });

  it('translates changed args back, or not at all', () => {
    const back = new ToolInput({ cmd: 'ls', dir: 'a', note: 'n' }, folder).renamed({ command: 'cmd', folder: 'dir' });
    expect(back({ command: 'pwd' })).toEqual({ note: 'n', cmd: 'pwd' });
    expect(back({ command: 'pwd', folder: '/x' })).toEqual({ note: 'n', cmd: 'pwd', dir: '/x' });
    expect(back({ command: 'pwd', other: 1 })).toBeUndefined();
  });
});

describe('patternFolder', () => {
  it.each([
    ['**/*.ts', folder],
    ['src/{a,b}/*', folder],
    ['../*.txt', '/home/user'],
    ['../x/**', '/home/user/x'],
    ['/etc/*', '/etc'],
    ['/etc/passwd', '/etc/passwd'],
    ['/*', '/'],
    ['*/../../x', '/'],
    ['{..,a}/x', '/'],
    ['{/etc,a}/x', '/'],
    ['@(/etc)/x', '/'],
    ['~/x', '/home/user/project/~/x'],
    ['a\\../*', '/'],
  ])('of %j is %j', (pattern, expected) => {
    expect(patternFolder(folder, pattern)).toBe(expected);
  });
});

describe('reasonText', () => {
  it('makes control characters visible and is never empty', () => {
    expect(reasonText('a\u001B[2Jb\u202Ec\r\nd\te')).toBe('a⟨U+001B⟩[2Jb⟨U+202E⟩c\nd\te');
    expect([reasonText(''), reasonText(' \n')]).toEqual(['Denied.', 'Denied.']);
  });

  it.each(['a', 'ä', '😀', '\u0000'])('has at most 8 KB of %j', (unit) => {
    for (const count of [2000, 4096, 8185, 8192, 8193, 200_000]) {
      const text = reasonText(unit.repeat(count));
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8192);
      expect(text).not.toContain('\uFFFD');
    }
  });
});
