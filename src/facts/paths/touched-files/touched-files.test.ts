import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { TouchedFiles, type FileGroup, type TouchedFile } from './touched-files.ts';

function fileOf(mode: TouchedFile['mode'], label: string): TouchedFile {
  return { mode, label, reach: 'itself', origin: 'line', locations: [], pathEnd: undefined, sure: true };
}

/** Groups that record when they are looked up. */
function watched(): { readonly found: TouchedFiles; readonly looked: string[] } {
  const looked: string[] = [];
  const part = (name: string, mode: FileGroup['mode'], files: readonly TouchedFile[]): FileGroup => ({
    mode,
    most: files.length,
    files: () => {
      looked.push(name);
      return files;
    },
  });
  const parts = [
    part('reads', 'read', [fileOf('read', 'r')]),
    part('writes', 'write', [fileOf('write', 'w')]),
    part('either', 'either', [fileOf('either', 'e')]),
    part('mixed', undefined, [fileOf('write', 'mw'), fileOf('read', 'mr'), fileOf('either', 'me')]),
  ];
  return { found: new TouchedFiles(parts), looked };
}

describe('touched files', () => {
  it.each([
    ['read', 'r e mr me', 'reads either mixed'],
    ['write', 'w e mw me', 'writes either mixed'],
  ] as const)(proves('X08')('are looked up only for their mode, and those of either mode always: %s'), (...row) => {
    const [mode, names, parts] = row;
    const { found, looked } = watched();
    expect(found.withMode(mode).map(({ label }) => label)).toEqual(names.split(' '));
    expect(looked).toEqual(parts.split(' '));
  });

  it('keep their order', () => {
    expect(
      watched()
        .found.files.map(({ label }) => label)
        .join(' '),
    ).toBe('r w e mw mr me');
  });

  it('are counted without lookups as long as they cannot be too many', () => {
    const { found, looked } = watched();
    expect(found.hasMoreThan(6)).toBe(false);
    expect(looked).toEqual([]);
    expect(found.hasMoreThan(5)).toBe(true);
  });

  it('count by their actual number, not by the possible maximum', () => {
    const part: FileGroup = { mode: 'write', most: 10, files: () => [fileOf('write', 'w')] };
    expect(new TouchedFiles([part]).hasMoreThan(5)).toBe(false);
  });
});
