/** Rules about files and addresses, and that a rule is what it says. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject, ToolDeclaration } from 'bridle';
import type { ProposalSubject, RememberedRule } from '../../kernel/approval.ts';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { runs as count } from '../../../test/property-runs.ts';
import { type Subjects, subjects } from '../../../test/rigs/remember-rig.ts';
import { ruleProposals } from './rule-proposals.ts';

let folder: string;
let of: Subjects['of'];
let command: Subjects['command'];
const proposals = ruleProposals();
const propose = (subject: ProposalSubject): RememberedRule | undefined => proposals.propose(subject);
const covers = (rule: RememberedRule, subject: ProposalSubject): boolean => proposals.covers(rule, subject);

beforeEach(() => {
  folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'remember-')));
  mkdirSync(join(folder, 'sub'));
  for (const name of ['a.txt', 'b.txt', 'sub/a.txt']) writeFileSync(join(folder, name), name);
  ({ of, command } = subjects(folder));
});
afterEach(() => rmSync(folder, { recursive: true }));

function mustRule(subject: ProposalSubject): RememberedRule {
  const rule = propose(subject);
  if (rule === undefined) throw new RangeError('no rule');
  return rule;
}

const kept = (rule: RememberedRule): RememberedRule => JSON.parse(JSON.stringify(rule)) as RememberedRule;
const turned = ({ text, data }: RememberedRule): RememberedRule => ({
  text,
  data: Object.fromEntries(Object.entries(data as JsonObject).toReversed()),
});
const edit = (file_path: string, more: JsonObject = {}): ProposalSubject =>
  of('edit_file', { file_path, old_text: 'a', new_text: 'b', ...more });

describe('a rule for files', () => {
  it(proves('Q02')('names the tool, the resolved file and the open arguments'), () => {
    symlinkSync('a.txt', join(folder, 'link.txt'));
    const text = `edit_file with file_path ${JSON.stringify(join(folder, 'a.txt'))}, with any new_text, old_text and replace_all.`;
    expect(mustRule(edit('./sub/../a.txt')).text).toBe(text);
    expect(mustRule(edit('link.txt')).text).toBe(text);
  });

  it(proves('Q02')('covers the same tool on the same file, and no other'), () => {
    const rule = mustRule(edit('a.txt'));
    expect(covers(rule, edit('a.txt'))).toBe(true);
    expect(covers(rule, edit(join(folder, 'a.txt'), { new_text: 'other', replace_all: true }))).toBe(true);
    expect(covers(rule, edit('b.txt'))).toBe(false);
    expect(covers(rule, edit('sub/a.txt'))).toBe(false);
    expect(covers(rule, edit('missing.txt'))).toBe(false);
    expect(covers(rule, of('create_file', { file_path: 'a.txt', contents: 'x' }))).toBe(false);
    expect(covers(rule, of('view_file', { file_path: 'a.txt' }))).toBe(false);
    expect(covers(rule, command('cat a.txt'))).toBe(false);
  });

  it(proves('Q02')('does not cover a link that has changed'), () => {
    symlinkSync('a.txt', join(folder, 'link.txt'));
    const rule = mustRule(edit('link.txt'));
    expect(covers(rule, edit('link.txt'))).toBe(true);
    unlinkSync(join(folder, 'link.txt'));
    symlinkSync('b.txt', join(folder, 'link.txt'));
    expect(covers(rule, edit('link.txt'))).toBe(false);
    // The file itself becomes a link.
    unlinkSync(join(folder, 'a.txt'));
    symlinkSync('b.txt', join(folder, 'a.txt'));
    expect(covers(rule, edit('a.txt'))).toBe(false);
  });

  it(proves('Q02')('compares checked paths, not the current files'), () => {
    const rule = mustRule(edit('a.txt'));
    const other = edit('b.txt');
    expect(covers(rule, { ...edit('a.txt'), paths: other.paths })).toBe(false);
    expect(propose({ ...edit('a.txt'), paths: [] })).toBeUndefined();
    expect(propose({ ...edit('a.txt'), paths: [...edit('a.txt').paths, ...other.paths] })).toBeUndefined();
  });

  it(proves('Q02')('covers all files of the call, each in its argument'), () => {
    const tool: ToolDeclaration = {
      name: 'copy',
      args: ['from', 'to', 'mode'],
      paths: ['from', 'to[]'],
      touches: { reads: ['from'], writes: ['to[]'] },
    };
    const copy = (from: string, ...to: readonly string[]): ProposalSubject => of(tool, { from, to: [...to], mode: 1 });
    const rule = mustRule(copy('a.txt', 'b.txt', 'c.txt'));
    expect(rule.text).toBe(
      `copy with from "${folder}/a.txt", to[0] "${folder}/b.txt" and to[1] "${folder}/c.txt", with any mode.`,
    );
    expect(covers(rule, copy('a.txt', 'b.txt', './c.txt'))).toBe(true);
    expect(covers(rule, copy('b.txt', 'a.txt', 'c.txt'))).toBe(false);
    expect(covers(rule, copy('a.txt', 'c.txt', 'b.txt'))).toBe(false);
    expect(covers(rule, copy('a.txt', 'b.txt'))).toBe(false);
    expect(covers(rule, copy('a.txt', 'b.txt', 'c.txt', 'd.txt'))).toBe(false);
  });

  it(proves('Q02')('is proposed for any tool that declares how it uses its paths'), () => {
    const told: ToolDeclaration = { name: 'act', paths: ['path'], touches: { writes: ['path'] } };
    expect(propose(of(told, { path: 'a.txt', text: 'ls' }))?.text).toContain('with any text');
    // With nothing else to leave open it would be for exactly this call.
    expect(propose(of(told, { path: 'a.txt' }))).toBeUndefined();
    expect(propose(of('list_directory', { directory_path: 'sub' }))).toBeUndefined();
  });

  it.each<[string, Partial<ToolDeclaration>]>([
    ['that declares nothing', {}],
    ['that does not tell what it does with its paths', { paths: ['path'] }],
    ['whose path was not checked', { touches: { writes: ['path'] } }],
    [
      'with an argument it does not tell of',
      { args: ['path', 'other'], paths: ['path'], touches: { writes: ['path'] } },
    ],
    ['that runs commands', { paths: ['path'], touches: { writes: ['path'] }, commands: ['text'] }],
    ['that runs bash', { paths: ['path'], touches: { writes: ['path'], bash: ['text'] } }],
    ['that reaches addresses', { paths: ['path'], touches: { writes: ['path'], urls: ['text'] } }],
    ['with a path inside an argument', { paths: ['text.path', 'path'], touches: { writes: ['path', 'text.path'] } }],
  ])(proves('Q02')('is not proposed for a tool %s'), (_title, declared) => {
    expect(propose(of({ name: 'act', ...declared }, { path: 'a.txt', text: 'ls' }))).toBeUndefined();
  });
});

describe('a rule for addresses', () => {
  const tool: ToolDeclaration = { name: 'fetch', args: ['url', 'method'], touches: { urls: ['url'] } };
  const get = (url: string, method = 'GET'): ProposalSubject => of(tool, { url, method });

  it(proves('Q02')('names scheme, host and port, and keeps every other argument'), () => {
    expect(mustRule(of('read_url_content', { url: 'HTTPS://Example.com:443/a?b#c' })).text).toBe(
      'read_url_content with any url at https://example.com (this scheme, host and port only).',
    );
    expect(mustRule(get('http://example.com:8080/')).text).toBe(
      'fetch with any url at http://example.com:8080 (this scheme, host and port only). All other arguments must stay the same: method "GET".',
    );
  });

  it.each([
    ['https://example.com/other?x=1', true],
    ['https://EXAMPLE.com:443', true],
    ['http://example.com/', false],
    ['https://example.com:8443/', false],
    ['https://example.com./', false],
    ['https://www.example.com/', false],
    ['https://example.com.evil.org/', false],
    ['https://example.com@evil.org/', false],
    ['https://evil.org\\@example.com/', false],
    ['https://ann:secret@example.com/', false],
    ['https://еxample.com/', false],
    ['file:///etc/passwd', false],
    ['example.com', false],
    ['', false],
  ])(proves('Q02')('of https://example.com, for %s: %s'), (url, expected) => {
    const rule = mustRule(get('https://example.com/a'));
    expect(covers(rule, get(url))).toBe(expected);
    expect(covers(rule, get(url, 'POST'))).toBe(false);
  });

  it(proves('Q02')('is not proposed if programs parse the URL differently, or if it contains credentials'), () => {
    const addresses = ['https://a:b@example.com/', 'https://evil.org\\@example.com/', 'data:text/plain,x', '//x', 'x'];
    expect(addresses.filter((url) => propose(get(url)) !== undefined)).toEqual([]);
    expect(propose(of({ ...tool, paths: ['to'] }, { url: 'https://x.y/', to: 'a.txt' }))).toBeUndefined();
  });
});

describe('a rule', () => {
  it(proves('Q02')('covers one tool of one server, in one folder, with equal other arguments'), () => {
    const rule = mustRule(command('git status'));
    expect(covers(rule, command('git status -s'))).toBe(true);
    expect(covers(rule, command('git status', { working_dir: '.' }))).toBe(true);
    expect(covers(rule, command('git status', { working_dir: folder }))).toBe(true);
    expect(covers(rule, command('git status', { working_dir: 'sub' }))).toBe(false);
    expect(covers(rule, command('git status', { timeout: 5 }))).toBe(false);
    expect(covers(rule, subjects(join(folder, 'sub')).command('git status'))).toBe(false);
    const { tool, call, paths } = command('git status');
    expect(covers(rule, { tool, paths, call: { ...call, server: 'other' } })).toBe(false);
    expect(covers(rule, { tool, paths, call: { ...call, tool: 'other' } })).toBe(false);
    expect(propose({ tool, paths, call: { ...call, cwd: undefined } })).toBeUndefined();
  });

  it(proves('Q02')('does not cover a working folder whose link has changed'), () => {
    symlinkSync('sub', join(folder, 'here'));
    const rule = mustRule(command('cat a.txt', { working_dir: 'here' }));
    expect(covers(rule, command('cat a.txt', { working_dir: 'sub' }))).toBe(true);
    expect(covers(rule, command('cat ../b.txt', { working_dir: 'sub' }))).toBe(false);
    unlinkSync(join(folder, 'here'));
    symlinkSync('.', join(folder, 'here'));
    expect(covers(rule, command('cat a.txt', { working_dir: 'here' }))).toBe(false);
  });

  it(proves('Q02')('shows other arguments completely and unambiguously, or is not proposed'), () => {
    const more = { note: 'x"; everything.\n\u202Eevil', limits: { ms: 5 } };
    const rule = mustRule(command('ls', more));
    expect(rule.text).toContain(
      'All other arguments must stay the same: note "x\\"; everything.\\n⟨U+202E⟩evil" and limits {"ms":5}.',
    );
    expect(covers(rule, command('ls -l', structuredClone(more)))).toBe(true);
    expect(covers(rule, command('ls -l', { ...more, limits: { ms: 6 } }))).toBe(false);
    expect(propose(command('ls', { note: 'x'.repeat(2000) }))).toBeUndefined();
  });

  it(proves('Q02')('escapes invisible characters in a path'), () => {
    const name = 'a\u200B", with any\nother';
    writeFileSync(join(folder, name), '');
    const { text } = mustRule(edit(name));
    expect(text).toContain(`/a⟨U+200B⟩\\", with any\\nother", with any new_text`);
    expect(text).not.toContain('\n');
  });

  it(proves('Q02')('works after storage as JSON, with keys in any order'), () => {
    for (const subject of [
      command('git log'),
      edit('a.txt'),
      of('read_url_content', { url: 'https://example.com/' }),
    ]) {
      expect(covers(kept(mustRule(subject)), subject)).toBe(true);
      expect(covers(turned(mustRule(subject)), subject)).toBe(true);
    }
  });

  it(proves('Q02')('covers nothing if its text and its data do not match'), () => {
    const own = [command('git log'), edit('a.txt'), of('read_url_content', { url: 'https://example.com/' })];
    const others = [command('git status'), edit('b.txt'), of('read_url_content', { url: 'https://example.org/' })];
    own.forEach((subject, index) => {
      const rule = mustRule(subject);
      const other = mustRule(others[index] as ProposalSubject);
      for (const mixed of [
        { text: rule.text, data: other.data },
        { text: other.text, data: rule.data },
        { text: `${rule.text} `, data: rule.data },
        { text: '', data: rule.data },
        { text: rule.text, data: { ...(rule.data as JsonObject), more: 1 } },
      ]) {
        for (const each of [...own, ...others]) expect(covers(mixed, each)).toBe(false);
      }
    });
  });

  it(proves('Q02')('covers nothing and does not throw for foreign data'), () => {
    const subject = command('git log');
    const rule = mustRule(subject);
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.string(),
        fc.constantFrom(...Object.keys(rule.data as object)),
        (json, text, field) => {
          const data = { ...(rule.data as JsonObject), [field]: json as JsonObject };
          expect(covers({ text, data: json as JsonObject }, subject)).toBe(false);
          if (JSON.stringify(data) === JSON.stringify(rule.data)) return;
          expect(covers({ text: rule.text, data }, subject)).toBe(false);
        },
      ),
      { numRuns: count(500) },
    );
  });
});
