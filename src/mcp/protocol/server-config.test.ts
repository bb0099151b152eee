import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { checkServerConfigs } from './server-config.ts';

function problemsOf(...servers: readonly unknown[]): readonly string[] {
  try {
    checkServerConfigs(servers);
    return [];
  } catch (error) {
    expect(error).toMatchObject({ code: 'OPTION_INVALID' });
    return (error as { problems: readonly string[] }).problems;
  }
}

describe('the configuration of servers', () => {
  it('is copied, so that later changes have no effect', () => {
    const given = {
      name: 'x',
      command: 'x',
      args: ['a'],
      env: { A: '1' },
      cwd: '/',
      timeoutMs: 5,
      tiers: { t: 'observe' },
    };
    const [copy] = checkServerConfigs([given]);
    given.args.push('b');
    expect(copy).toMatchObject({ args: ['a'] });
    expect(Object.isFrozen(copy)).toBe(true);
    expect(problemsOf({ name: 'y', url: 'https://y.example/mcp', headers: { a: 'b' }, paths: { t: ['p'] } })).toEqual(
      [],
    );
    expect(problemsOf({ name: 'y', command: 'x', touches: { t: { urls: ['u'] } } })).toEqual([]);
  });

  it(proves('M01', 'M05')('is refused with every problem and its location'), () => {
    expect(
      problemsOf(
        { name: 'x', command: 'x', url: 'http://x' },
        { name: 'x', comand: 'x' },
        { name: 'a/b', command: '', enabledTools: 'read', disabledTools: [''] },
        { name: 'c', url: 'ftp://x', args: [], timeoutMs: 0 },
        { name: 'd', url: 'http://u:p@x', headers: { a: 1 } },
        { name: 'e', command: 'x', headers: {}, tiers: { t: 'safe' }, paths: { t: 'p' }, touches: { t: [] }, env: [] },
        { name: 'f', command: 'x\0y', cwd: 7, args: ['a', 1], enabledTools: ['a'], disabledTools: ['b'] },
        { name: 'g', url: 'no url' },
        'h',
        { command: 'x' },
        { name: 'i', command: 'x', env: { BRIDLE_STORE: 'x', TOKEN: 'y' } },
      ),
    ).toEqual([
      'mcpServers[0] "x": has both command and url: keep one',
      'mcpServers[1] "x": has an unknown option "comand"; did you mean "command"?',
      'mcpServers[1] "x": has no command and no url: add one',
      'mcpServers[1] "x": has the name of mcpServers[0]',
      'mcpServers[2] "a/b": has a name that contains "/"',
      'mcpServers[2] "a/b": command must be a non-empty string',
      'mcpServers[2] "a/b": enabledTools must be a list of strings',
      'mcpServers[2] "a/b": disabledTools must be a list of strings',
      'mcpServers[2] "a/b": has both enabledTools and disabledTools',
      'mcpServers[3] "c": has args, which needs a command',
      'mcpServers[3] "c": has a url with ftp:; it must be http: or https:',
      'mcpServers[3] "c": timeoutMs must be a number from 1 to 86400000',
      'mcpServers[4] "d": has a url with a user name or password; use headers',
      'mcpServers[4] "d": headers: "a" must be a string',
      'mcpServers[5] "e": has headers, which needs a url',
      'mcpServers[5] "e": env must be an object, not a list',
      'mcpServers[5] "e": paths: "t" must be a list of strings',
      'mcpServers[5] "e": touches: "t" must be an object',
      'mcpServers[5] "e": tiers: "t" must be observe or confirm',
      'mcpServers[6] "f": command must be a non-empty string',
      'mcpServers[6] "f": cwd must be a non-empty string',
      'mcpServers[6] "f": args must be a list of strings',
      'mcpServers[6] "f": has both enabledTools and disabledTools',
      'mcpServers[7] "g": url is not a valid URL',
      'mcpServers[8]: is not an object',
      'mcpServers[9]: has a name that is undefined, not a string',
      'mcpServers[10] "i": env: "BRIDLE_STORE" is reserved for Bridle',
    ]);
    expect(() => checkServerConfigs({})).toThrow('mcpServers must be a list, not an object');
  });
});
