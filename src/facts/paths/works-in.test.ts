import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import type { ToolCall } from '../../kernel/call.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { isUnknown } from '../truth.ts';
import { worksIn, worksInFact } from '../index.ts';

const bash: ToolDeclaration = {
  name: 'bash',
  commands: ['line'],
  paths: ['folder'],
  touches: { bash: ['line'], folder: 'folder' },
};

let folder: string;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-works-in-')));
  mkdirSync(join(folder, 'packages/web/src'), { recursive: true });
  mkdirSync(join(folder, 'evil'));
  symlinkSync('packages/web', join(folder, 'web'));
  symlinkSync('../evil', join(folder, 'packages/api'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function answer(args: JsonObject, tool = bash): string {
  const call = { id: '1', tool: 'x', args, cwd: folder, agent: [], tier: 'confirm', displayName: 'x' };
  const truth = worksInFact(['.', 'packages/web'])(call as unknown as ToolCall, tool);
  return isUnknown(truth) ? 'unknown' : truth ? 'yes' : 'no';
}

describe('worksIn', () => {
  it.each([
    'npm test',
    'npm test && make build | tail -5',
    'npm --prefix packages/web test',
    'cd packages/web && npm test',
    'cd web && npm test',
    'cd ./packages/web/ && npm test',
    '(cd packages/web && npm test) && npm test',
  ])(proves('X08')('is true if every command runs in a named folder: %s'), (line) => {
    expect(answer({ line })).toBe('yes');
    expect(answer({ line, folder: '.' })).toBe('yes');
  });

  it.each([
    'cd evil && npm test',
    'cd evil; npm test',
    'cd packages/api && npm test',
    'cd packages/web/src && npm test',
    'cd packages && npm test',
    'pushd evil && npm test',
    '(cd evil; npm test)',
    'cd evil | npm test; cd evil && npm test',
    'npm --prefix evil test',
    'npm test --prefix=evil',
    'make -C evil test',
    'env -C evil npm test',
    'cd $x && npm test',
    'cd "$(pwd)/evil" && npm test',
    'cd / && npm test',
    'cd && npm test',
    'sh -c "cd evil && npm test"',
    'npm test; $x',
  ])(proves('X08')('is not true if a command runs elsewhere, or its folder is unknown: %s'), (line) => {
    expect(answer({ line })).not.toBe('yes');
  });

  it('starts at the folder that the call names', () => {
    expect(answer({ line: 'npm test', folder: 'packages/web' })).toBe('yes');
    expect(answer({ line: 'npm test', folder: 'evil' })).toBe('no');
    expect(answer({ line: 'cd ../packages/web && npm test', folder: 'evil' })).not.toBe('yes');
  });

  it('is not true for a call without a bash command line', () => {
    expect(answer({})).toBe('no');
    expect(answer({ line: 'npm test' }, { name: 'zsh', commands: ['line'] })).toBe('unknown');
    expect(answer({ line: 3 })).toBe('unknown');
  });

  it('needs a folder', () => {
    expect(() => worksIn()).toThrow('A folder is missing');
    expect(() => worksIn('')).toThrow('A folder is missing');
    expect(worksIn('.').toString()).toBe('worksIn(["."])');
  });
});
