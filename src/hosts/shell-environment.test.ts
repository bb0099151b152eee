import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { changesCommands, withExportedFunctions } from './shell-environment.ts';

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

describe.runIf(process.platform === 'linux')('withExportedFunctions', () => {
  it('finds the functions that a shell does not pass on', async () => {
    const env = { ...process.env, 'BASH_FUNC_ls%%': '() {  echo a=b; }' };
    const shell = spawn('sh', ['-c', 'echo; sleep 60; :'], { env, detached: true });
    try {
      await once(shell.stdout, 'data');
      const found = withExportedFunctions({ HOME: '/x' }, shell.pid);
      expect(found).toEqual({ HOME: '/x', 'BASH_FUNC_ls%%': '' });
      expect(changesCommands(found, 'ls')).toBe(true);
    } finally {
      process.kill(-(shell.pid ?? 0), 'SIGKILL');
    }
    expect(withExportedFunctions({ HOME: '/x' }, 2 ** 30)).toEqual({ HOME: '/x' });
  });
});
