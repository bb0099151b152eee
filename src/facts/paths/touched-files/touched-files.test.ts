import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { TouchedFiles, type FileGroup, type TouchedFile } from './touched-files.ts';

function fileOf(mode: TouchedFile['mode'], label: string): TouchedFile {
  return { mode, label, reach: 'itself', origin: 'line', locations: [], pathEnd: undefined, sure: true };
}

/** Parts that tell when they are looked up. */
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

describe('found files', () => {
  it.each([
    ['read', 'r e mr me', 'reads either mixed'],
    ['write', 'w e mw me', 'writes either mixed'],
  ] as const)(proves('X08')('are looked up where they may be meant, and what may be either always: %s'), (...row) => {
    const [mode, names, parts] = row;
    const { found, looked } = watched();
    expect(found.withMode(mode).map(({ label }) => label)).toEqual(names.split(' '));
    expect(looked).toEqual(parts.split(' '));
  });

  it('are all there in their order', () => {
    expect(
      watched()
        .found.files.map(({ label }) => label)
        .join(' '),
    ).toBe('r w e mw mr me');
  });

  it('are counted without a look as long as they cannot be too many', () => {
    const { found, looked } = watched();
    expect(found.hasMoreThan(6)).toBe(false);
    expect(looked).toEqual([]);
    expect(found.hasMoreThan(5)).toBe(true);
  });

  it('are as many as they turn out to be, not as many as they could be', () => {
    const part: FileGroup = { mode: 'write', most: 10, files: () => [fileOf('write', 'w')] };
    expect(new TouchedFiles([part]).hasMoreThan(5)).toBe(false);
  });
});
