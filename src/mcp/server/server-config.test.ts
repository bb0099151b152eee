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
  it('is copied, so that nobody changes it later', () => {
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

  it(proves('M01', 'M05')('is refused with every problem, each at its place'), () => {
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
      'mcpServers[0] "x": has both command and url',
      'mcpServers[1] "x": has an unknown option "comand"; did you mean "command"?',
      'mcpServers[1] "x": has neither command nor url',
      'mcpServers[1] "x": has the name of mcpServers[0]',
      'mcpServers[2] "a/b": has a name that holds a "/"',
      'mcpServers[2] "a/b": has a command that is no text',
      'mcpServers[2] "a/b": has enabledTools that are no list of texts',
      'mcpServers[2] "a/b": has disabledTools that are no list of texts',
      'mcpServers[2] "a/b": has both enabledTools and disabledTools',
      'mcpServers[3] "c": has args, which only a command takes',
      'mcpServers[3] "c": has a url with ftp:; it is http: or https:',
      'mcpServers[3] "c": has a timeoutMs that is no number from 1 to 86400000',
      'mcpServers[4] "d": has a url with a user name or password; use headers',
      'mcpServers[4] "d": has headers in which "a" is no text',
      'mcpServers[5] "e": has headers, which only a url takes',
      'mcpServers[5] "e": has env that are a list, not an object',
      'mcpServers[5] "e": has paths in which "t" is no list of texts',
      'mcpServers[5] "e": has touches in which "t" is no object',
      'mcpServers[5] "e": has tiers in which "t" is neither observe nor confirm',
      'mcpServers[6] "f": has a command that is no text',
      'mcpServers[6] "f": has a cwd that is no text',
      'mcpServers[6] "f": has args that are no list of texts',
      'mcpServers[6] "f": has both enabledTools and disabledTools',
      'mcpServers[7] "g": has a url that is no URL',
      'mcpServers[8]: is not an object',
      'mcpServers[9]: has a name that is undefined, not a string',
      'mcpServers[10] "i": has env in which "BRIDLE_STORE" is of Bridle itself, and not for servers',
    ]);
    expect(() => checkServerConfigs({})).toThrow('mcpServers is an object, not a list');
  });
});
