import { describe, expect, it } from 'vitest';
import { changesCommands } from './shell-environment.ts';

describe('changesCommands', () => {
  it.each([
    { BASH_ENV: '/tmp/x' },
    { BASH_ENV: '' },
    { 'BASH_FUNC_ls%%': '() { rm -r .; }' },
    { CDPATH: '/usr' },
    { GLOBIGNORE: '*' },
    { SHELLOPTS: 'noglob' },
    { BASHOPTS: 'expand_aliases' },
  ])('is true for %j', (env) => {
    expect(changesCommands({ PATH: '/bin', ...env })).toBe(true);
  });

  it('is false for the usual variables', () => {
    expect(changesCommands({ PATH: '/bin', HOME: '/root', SHELL: '/bin/bash', ENV: 'test', BASH_ENV: undefined })).toBe(
      false,
    );
  });
});
