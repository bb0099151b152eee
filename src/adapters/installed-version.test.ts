import { describe, expect, it, vi } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { checkVersion, refuseMissing } from './installed-version.ts';

/** The warnings that are printed for a version of a package that was tested with 6.4.2 and 7.1.0. */
function warningsFor(name: string, installed: string | undefined): readonly string[] {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  try {
    checkVersion({ name, versions: ['6.4.2', '7.1.0'] }, installed);
    return warn.mock.calls.map(([text]) => String(text));
  } finally {
    warn.mockRestore();
  }
}

describe('the version of a framework', () => {
  it.each(['5.9.9', '8.0.0', '0.0.0', 'not a version'])(
    proves('B05')('%s is refused: its major was not tested'),
    (version) => {
      expect(() => warningsFor('major', version)).toThrow(expect.objectContaining({ code: 'FRAMEWORK_UNSUPPORTED' }));
    },
  );

  it.each(['6.4.2', '6.4.9', '6.0.0', '7.1.0', '7.0.5', '7.1.99'])(proves('B05')('%s passes silently'), (version) => {
    expect(warningsFor('silent', version)).toEqual([]);
  });

  it(proves('B05')('warns once if the minor is newer, or if it cannot be read'), () => {
    expect(warningsFor('newer', '7.2.0')).toEqual([expect.stringContaining('newer 7.2.0 is newer than 7.1.0')]);
    expect(warningsFor('newer', '7.2.0')).toEqual([]);
    expect(warningsFor('there-is-no-such-package', undefined)).toEqual([expect.stringContaining('cannot be read')]);
  });

  it(proves('B05')('is read from the package next to the program'), () => {
    expect(() => checkVersion({ name: 'vitest', versions: ['1.0.0'] })).toThrow(/vitest 4\.\S+ is installed/);
  });

  it(proves('B05')('does not help if a place where the adapter attaches is missing'), () => {
    expect(() => refuseMissing('X', { 'the hook': true })).not.toThrow();
    expect(() => refuseMissing('X', { 'the hook': false, 'the tools': true })).toThrow(
      'Bridle cannot attach to X: the hook is missing',
    );
  });
});
