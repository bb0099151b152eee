import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ToolCall, ToolDeclaration } from 'bridle';
import { readsFact } from 'bridle/facts';
import { proves } from '../../../../test/contract/cite.ts';
import { newId, type CallId, type SessionId } from '../../../kernel/ids.ts';
import type { Fact } from '../../truth.ts';

const base = realpathSync.native(mkdtempSync(join(tmpdir(), 'holds-')));
const { platform } = process;

beforeAll(() => {
  for (const folder of ['ws/src/deep', 'ws/many', 'out']) mkdirSync(join(base, folder), { recursive: true });
  for (const file of ['ws/src/a.ts', 'ws/src/deep/Key.pem']) writeFileSync(join(base, file), '');
  for (let index = 0; index < 20_001; index++) writeFileSync(join(base, 'ws/many', String(index)), '');
  symlinkSync('a.ts', join(base, 'ws/src/link'));
  symlinkSync('../../out', join(base, 'ws/src/far'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));
afterEach(() => Object.defineProperty(process, 'platform', { value: platform }));

function reading(path: string): ToolCall {
  return {
    id: newId<CallId>(),
    tool: 'tool',
    server: undefined,
    displayName: 'tool',
    tier: 'confirm',
    args: { path },
    requested: { path },
    cwd: join(base, 'ws'),
    session: newId<SessionId>(),
    turn: 1,
    step: 1,
    agent: [],
  };
}

const tool: ToolDeclaration = { name: 'tool', paths: ['path'], touches: { reads: ['path'] } };

function ask(fact: Fact, call: ToolCall): boolean | 'unknown' {
  const truth = fact(call, tool);
  return typeof truth === 'object' ? 'unknown' : truth;
}

const holds = (glob: string, path: string): boolean | 'unknown' => ask(readsFact(glob), reading(path));

describe('a folder that is read with everything in it', () => {
  it(proves('X08')('is searched for every alternative of a pattern'), () => {
    expect(holds('src/{no,deep/*.{key,pem}}', 'src')).toBe('unknown');
    expect(holds('src/{no,deep/*.{key,crt}}', 'src')).toBe(false);
    expect(holds('src/link', 'src')).toBe('unknown');
    // A linked folder is not searched.
    expect(holds('src/far/*', 'src')).toBe('unknown');
    expect(holds('src/deep/nothing', 'src')).toBe(false);
  });

  it(proves('X08')('counts only what the pattern can match'), () => {
    expect(holds('src/none', '.')).toBe(false);
    expect(holds('many/none', '.')).toBe('unknown');
  });

  it.runIf(platform === 'linux')('is searched without case on a case-insensitive file system', () => {
    expect(holds('src/DEEP/*.PEM', 'src')).toBe(false);
    Object.defineProperty(process, 'platform', { value: 'darwin' });
    expect(holds('src/DEEP/*.PEM', 'src')).toBe('unknown');
    expect(holds('src/DEEP/*.KEY', 'src')).toBe(false);
  });

  it(proves('X08')('is read once per decision'), async () => {
    const call = reading('src/deep');
    const [one, other] = [readsFact('**/one'), readsFact('**/{x,later}')];
    expect(ask(one, call)).toBe(false);
    writeFileSync(join(base, 'ws/src/deep/later'), '');
    expect(ask(other, call)).toBe(false);
    await Promise.resolve();
    expect(ask(other, call)).toBe('unknown');
    expect(ask(other, reading('src/deep'))).toBe('unknown');
  });

  it('is not searched if something else decides', () => {
    const both: ToolDeclaration = { name: 'tool', paths: ['path', 'more'], touches: { reads: ['path', 'more'] } };
    const call = { ...reading('many'), args: { path: 'many', more: 'src/a.ts' } };
    expect(readsFact('**/a.ts')(call, both)).toBe(true);
    expect(readsFact('**/b.ts')(call, both)).toMatchObject({ type: 'unknown' });
  });
});
