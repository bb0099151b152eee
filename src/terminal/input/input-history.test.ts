import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { InputHistory } from './input-history.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-history-'));
  file = join(folder, 'home/chat-history');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('is there in the next session, in a file that only its owner can read', () => {
  const first = new InputHistory(file);
  for (const prompt of ['one', 'two\nlines', 'one', ' not kept', '  ']) first.add(prompt);
  expect(new InputHistory(file).prompts).toEqual(['two\nlines', 'one']);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('stores no secret, but keeps it for this session', () => {
  const prompt = 'run `curl --token=hunter2hunter2 https://example.com`';
  const history = new InputHistory(file);
  history.add(prompt);
  expect(history.prompts).toEqual([prompt]);
  expect(readFileSync(file, 'utf8')).not.toContain('hunter2');
  expect(new InputHistory(file).prompts[0]).toContain('--token=[masked:');
});

it('serves two chats at the same time', () => {
  const [first, second] = [new InputHistory(file), new InputHistory(file)];
  for (let at = 0; at < 50; at++) {
    first.add(`first ${at}`);
    second.add(`second ${at}`);
  }
  expect(new InputHistory(file).prompts).toHaveLength(100);
});

it('is bounded, and keeps the newest prompts', () => {
  const history = new InputHistory(file);
  const long = 'x'.repeat(15_000);
  for (let at = 0; at < 60; at++) history.add(`${at} ${long}`);
  history.add('y'.repeat(30_000));
  const kept = new InputHistory(file).prompts;
  expect(kept.at(-1)).toBe(`59 ${long}`);
  expect(kept.length).toBeGreaterThan(12);
  expect(statSync(file).size + statSync(`${file}.1`).size).toBeLessThan(450_000);
});

it('skips damaged lines, and works without a file or where none can be written', () => {
  new InputHistory(file).add('good');
  appendFileSync(file, '"cut off\n{}\n7\n"also good"\n');
  expect(new InputHistory(file).prompts).toEqual(['good', 'also good']);
  for (const history of [new InputHistory(), new InputHistory(join(file, 'no/folder'))]) {
    history.add('kept for now');
    expect(history.prompts).toEqual(['kept for now']);
  }
});
