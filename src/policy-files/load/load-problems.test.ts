/** What is told of policies that cannot be loaded: where it is, what it is, and what would be right. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BridleError } from 'bridle';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtinTools } from '../../tools/index.ts';
import { loadPolicy } from './load-policy.ts';

let cwd: string;

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'load-'));
  mkdirSync(join(cwd, 'folder'));
});
afterAll(() => rmSync(cwd, { recursive: true }));

function problemsOf(text: string | Buffer): readonly string[] {
  writeFileSync(join(cwd, 'p.yaml'), text);
  try {
    loadPolicy(join(cwd, 'p.yaml'), { cwd, home: join(cwd, 'home'), tools: builtinTools });
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(BridleError);
    return (error as BridleError).problems;
  }
}

function withRule(target: string, when: string): string {
  return `version: 1\nrules:\n  - allow: ${target}\n    when: '${when}'\n`;
}

describe('an extended file', () => {
  it.each([
    ['./nope.yaml', 'extends "./nope.yaml", which cannot be read: The policy file nope.yaml does not exist.'],
    ['./folder', 'extends "./folder", which cannot be read: folder is a folder; name a policy file'],
    ['https://example.com/p.yaml', 'extends "https://example.com/p.yaml", which is a URL; only files can be extended'],
    ['p.yaml', 'extends "p.yaml", which extends this file'],
  ])('is told at the place where it is named: %s', (name, problem) => {
    expect(problemsOf(`version: 1\ndefault: ask\nextends: ${name}\n`)).toEqual([`p.yaml:3:10: ${problem}`]);
  });
});

describe('a policy that cannot be loaded', () => {
  it('says that it is UTF-16', () => {
    expect(problemsOf(Buffer.from('\ufeffversion: 1\n', 'utf16le'))).toEqual([
      'p.yaml is UTF-16 text; save it as UTF-8',
    ]);
    expect(problemsOf(Buffer.from('version: 1\n', 'utf16le'))).toEqual(['p.yaml is UTF-16 text; save it as UTF-8']);
  });

  it('says what to add for an undeclared server', () => {
    expect(problemsOf('version: 1\nrules:\n  - allow: github/list\n')[0]).toMatch(
      /^p\.yaml:3:5: .*no servers were given; add servers: \["github"\]$/,
    );
  });

  it.each([
    [
      'run_command',
      'args.command == "x"',
      'No tool of this rule has an argument "command". Did you mean "command_line"?',
    ],
    [
      'read_url_content',
      'underDomain("*.example.com")',
      '"*.example.com" is not a domain; write "example.com", which includes its subdomains.',
    ],
    [
      'read_url_content',
      'args.url.underDomain("https://Example.com/a")',
      '"https://Example.com/a" is not a domain; write "example.com", which includes its subdomains.',
    ],
    ['read_url_content', 'underDomain("a b")', '"a b" is not a domain.'],
  ])('says what would be right: %s %s', (target, when, problem) => {
    expect(problemsOf(withRule(target, when))).toEqual([`p.yaml:4:12: ${problem}`]);
  });
});
