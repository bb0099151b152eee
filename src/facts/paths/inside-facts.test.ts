import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import type { ToolCall } from '../../kernel/call.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { isUnknown } from '../truth.ts';
import { readsInside, readsInsideFact, writesInside, writesInsideFact } from '../index.ts';

const bash: ToolDeclaration = { name: 'bash', commands: ['line'], touches: { bash: ['line'] } };
const files: ToolDeclaration = {
  name: 'files',
  paths: ['from', 'to', 'any'],
  touches: { reads: ['from'], writes: ['to'] },
};

let top: string;
let folder: string;

beforeAll(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-inside-')));
  folder = join(top, 'ws');
  mkdirSync(join(folder, 'sub'), { recursive: true });
  mkdirSync(join(top, 'ws-evil'));
  writeFileSync(join(folder, 'a.txt'), '');
  symlinkSync(top, join(folder, 'way-out'));
  symlinkSync(join(folder, 'sub'), join(folder, 'way-in'));
});

afterAll(() => rmSync(top, { recursive: true, force: true }));

function callOf(args: JsonObject, cwd: string | undefined): ToolCall {
  return { id: '1', tool: 'x', args, cwd, agent: [], tier: 'confirm', displayName: 'x' } as unknown as ToolCall;
}

function answers(line: string): string {
  const call = callOf({ line }, folder);
  const told = [readsInsideFact(['.']), writesInsideFact(['.'])].map((fact) => fact(call, bash));
  return told.map((truth) => (isUnknown(truth) ? '?' : String(truth))).join(' ');
}

describe('the files of a command line', () => {
  it.each([
    ['ls', 'true true'],
    ['cat a.txt sub/../a.txt way-in/x', 'true true'],
    ['cat a.txt /etc/hosts', 'false true'],
    ['cat ../ws-evil/x', 'false true'],
    ['cat way-out/x', 'false true'],
    ['ls -l a.txt', 'true true'],
    ['ls -l /etc/hosts', 'false true'],
    ['stat way-out/x', 'false true'],
    ['find .. -newer a.txt', 'false true'],
    ['cat ~/x', 'false'],
    ['cat $x', '?'],
    ['cat $x /etc/hosts', 'false'],
    ['cat < /etc/hosts', 'false true'],
    ['rm -rf sub', 'true true'],
    ['rm -rf sub ..', 'true false'],
    ['rm -rf .', 'true false'],
    ['rm -rf ../ws', 'true false'],
    ['rm -rf "$HOME"', '? ?'],
    ['echo x > new.txt', 'true true'],
    ['echo x > ../new.txt', 'true false'],
    ['echo x > /dev/null', 'true true'],
    ['cd .. && cat a.txt', 'false true'],
    ['cd .. ; cat a.txt', 'false true'],
    ['cd sub && cat a.txt', 'true true'],
    ['cd sub; cat a.txt', 'true true'],
    ['cd sub && rm x', 'true true'],
    ['cd sub && cat ../a.txt', 'true true'],
    ['cd sub; cat ../a.txt', '? true'],
    ['cd sub; rm ../a.txt', 'true ?'],
    ['cd sub && cat ../../x', 'false true'],
    ['cd sub && cd .. && cat a.txt', 'true true'],
    ['cd "$x" && cat a.txt', '? '],
    ['cp a.txt sub', 'true true'],
    ['cp a.txt /tmp', 'true false'],
    ['sudo sh -c "rm -r ~/x"', ' false'],
    ['echo $(cat /etc/hosts)', 'false'],
    ['cat <<< "x', '? ?'],
  ])(proves('X08')('are inside or not: %s'), (line, expected) => {
    // Partial results, because a word that is not literal may be an option.
    expect(answers(line)).toContain(expected);
  });
});

describe('the files of path arguments', () => {
  it.each<[JsonObject, boolean, boolean]>([
    [{}, true, true],
    [{ from: 'a.txt', to: 'sub/new' }, true, true],
    [{ from: '/etc/hosts', to: 'new' }, false, true],
    [{ from: 'a.txt', to: '../new' }, true, false],
    [{ any: '../x' }, false, false],
    [{ from: '.', to: '.' }, true, false],
  ])(proves('X08')('are inside or not: %j'), (args, read, written) => {
    const call = callOf(args, folder);
    expect([readsInsideFact(['.'])(call, files), writesInsideFact(['.'])(call, files)]).toEqual([read, written]);
  });

  it('may be in any of several folders, and in no unknown one', () => {
    const call = callOf({ from: join(top, 'ws-evil/x') }, folder);
    expect(readsInsideFact(['.', '../ws-evil'])(call, files)).toBe(true);
    expect(readsInsideFact(['missing'])(call, files)).toBe(false);
    const nowhere = readsInsideFact(['.'])(callOf({ from: '/etc/hosts' }, undefined), files);
    expect(isUnknown(nowhere)).toBe(true);
  });
});

it('a predicate has a text, and refuses an invalid folder', () => {
  expect(String(readsInside('.', '/tmp'))).toBe('readsInside([".","/tmp"])');
  expect(String(writesInside('.'))).toBe('writesInside(["."])');
  expect(() => readsInside()).toThrow('A folder is missing');
  expect(() => writesInside('')).toThrow('A folder is missing');
});
