import { describe, expect, it } from 'vitest';
import { changesCommands } from './shell-environment.ts';

describe('changesCommands', () => {
  it.each([
    { BASH_ENV: '/tmp/x' },
    { BASH_ENV: '' },
    { CDPATH: '/usr' },
    { GLOBIGNORE: '*' },
    { SHELLOPTS: 'noglob' },
    { BASHOPTS: 'expand_aliases' },
  ])('is true for %j', (env) => {
    expect(changesCommands({ PATH: '/bin', ...env }, 'ls')).toBe(true);
  });

  it('is false for the usual variables', () => {
    const usual = { PATH: '/bin', HOME: '/root', SHELL: '/bin/bash', ENV: 'test', BASH_ENV: undefined };
    expect(changesCommands(usual, 'ls')).toBe(false);
  });

  it.each([
    ['ls', true],
    ['cd x && ls -la', true],
    ['"l"s', true],
    ['env ls', true],
    ['sh -c "ls"', true],
    ['find . -exec ls {} +', true],
    ['echo ls', false],
    ['/bin/ls', false],
  ])('looks for exported functions in %j: %j', (line, expected) => {
    expect(changesCommands({ 'BASH_FUNC_ls%%': '() { rm -r .; }' }, line)).toBe(expected);
    expect(changesCommands({ 'BASH_FUNC_ls()': '() { rm -r .; }' }, line)).toBe(expected);
  });
});
