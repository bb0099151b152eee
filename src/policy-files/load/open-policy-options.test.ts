import type { BridleError } from 'bridle';
import { describe, expect, it } from 'vitest';
import { openPolicy } from './open-policy.ts';

function problemsOf(file: unknown, options: unknown = {}): readonly string[] {
  try {
    openPolicy(file as string, options as object);
    return [];
  } catch (error) {
    // The options were accepted, and there is no such file.
    if ((error as BridleError).code === 'POLICY_FILE') return [];
    expect(error).toMatchObject({ code: 'OPTION_INVALID' });
    return (error as BridleError).problems;
  }
}

describe('the options of openPolicy', () => {
  it.each([
    ['nothing', undefined, {}, ['openPolicy takes the path of a policy file, not undefined']],
    ['an empty name', '', {}, ['openPolicy takes the path of a policy file, not an empty string']],
    ['options that are none', 'a.yaml', 'b', ['openPolicy takes an object of options, not a string']],
    [
      'a wrong value',
      'a.yaml',
      { reload: 'always' },
      ['openPolicy: option "reload" is "always", not "trusted" or "replace"'],
    ],
    ['a slip', 'a.yaml', { relod: 'replace' }, ['openPolicy: option "relod" is not known; did you mean "reload"?']],
    ['a text for a list', 'a.yaml', { higher: 'b.yaml' }, ['openPolicy: option "higher" is a string, not a list']],
    [
      'several at once',
      'a.yaml',
      { cwd: 7, abstains: 'yes' },
      ['openPolicy: option "cwd" is 7, not a string', 'openPolicy: option "abstains" is a string, not true or false'],
    ],
  ])('refuses %s', (_title, ...[file, options, problems]) => {
    expect(problemsOf(file, options)).toEqual(problems);
  });

  it('accepts every option, and no options', () => {
    expect(problemsOf('a.yaml')).toEqual([]);
    const all = { cwd: '.', home: '~', untrusted: [], higher: ['b.yaml'], reload: 'replace', abstains: true };
    expect(problemsOf('a.yaml', all)).toEqual([]);
    expect(problemsOf('a.yaml', { reload: undefined })).toEqual([]);
  });
});
