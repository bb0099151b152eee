import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { writePolicyFile } from './write-policy-file.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = fs.mkdtempSync(join(tmpdir(), 'bridle-write-'));
  file = join(folder, 'bridle.yaml');
});

afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

it(proves('D10')('writes a file atomically and leaves nothing else behind'), () => {
  writePolicyFile(file, 'version: 1\n', { force: false });
  expect(fs.readFileSync(file, 'utf8')).toBe('version: 1\n');
  expect(fs.readdirSync(folder)).toEqual(['bridle.yaml']);
});

it(proves('D10')('replaces a file only if forced, and keeps its mode'), () => {
  fs.writeFileSync(file, 'mine', { mode: 0o600 });
  expect(() => writePolicyFile(file, 'new', { force: false })).toThrow('bridle.yaml already exists; use --force');
  expect(fs.readFileSync(file, 'utf8')).toBe('mine');
  writePolicyFile(file, 'new', { force: true });
  expect(fs.readFileSync(file, 'utf8')).toBe('new');
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  expect(fs.readdirSync(folder)).toEqual(['bridle.yaml']);
});

it.each([false, true])('does not write through a link or over a folder, forced: %s', (force) => {
  const target = join(folder, 'elsewhere');
  fs.writeFileSync(target, 'theirs');
  fs.symlinkSync(target, file);
  expect(() => writePolicyFile(file, 'new', { force })).toThrow('is a symbolic link, so it is not replaced');
  expect(fs.readFileSync(target, 'utf8')).toBe('theirs');
  fs.unlinkSync(file);
  fs.symlinkSync('nowhere', file);
  expect(() => writePolicyFile(file, 'new', { force })).toThrow('is a symbolic link');
  fs.unlinkSync(file);
  fs.mkdirSync(file);
  expect(() => writePolicyFile(file, 'new', { force })).toThrow('is not a regular file');
  expect(fs.readdirSync(folder).toSorted()).toEqual(['bridle.yaml', 'elsewhere']);
});

it('says why it cannot write', () => {
  expect(() => writePolicyFile(join(folder, 'missing/bridle.yaml'), 'x', { force: false })).toThrow(
    'cannot be written',
  );
});
