/** What others make of a command line, and what each answers to: does it run rm? */

import {
  getCommandRoots,
  initializeShellParsers,
  normalizeCommand,
  stripShellWrapper,
} from '@google/gemini-cli-core/dist/src/utils/shell-utils.js';
import { checkCommand } from 'cc-safety-net/api';
import { parse as splitWords } from 'shell-quote';
import { forEachChild, parse } from 'unbash';
import { each } from './bridle-shell.mjs';

/** The parser below Bridle's analysis; it answers nothing. */
export const unbash = { name: 'limit', setup: (lines) => each(lines, parse) };

/** The same with every node visited: it reads the parts of a word only when somebody looks. */
export const unbashWalked = { name: 'unbash walked', setup: (lines) => each(lines, (line) => visit(parse(line))) };

function visit(node) {
  forEachChild(node, visit);
}

/** The names its shell tool asks a person about. It answers a line that it cannot parse with none, and asks then. */
export const gemini = {
  name: 'gemini',
  async setup(lines) {
    await initializeShellParsers();
    return each(lines, (line) => getCommandRoots(stripShellWrapper(line)));
  },
  runsRm(line) {
    const names = getCommandRoots(stripShellWrapper(line));
    if (names.length === 0) return 'unsure';
    return names.some((name) => normalizeCommand(name) === 'rm') ? 'yes' : 'no';
  },
};

/** A guard for coding agents: it denies what deletes outside the folder, and other harm. */
export const safetyNet = {
  name: 'cc-safety-net',
  setup: (lines) => each(lines, guarded),
  runsRm: (line) => (guarded(line).kind === 'deny' ? 'yes' : 'no'),
};

function guarded(command) {
  return checkCommand({ command, cwd: '/tmp' });
}

/** Words and operators; whoever uses it takes the first word after each operator for a command. */
export const shellQuote = {
  name: 'shell-quote',
  setup: (lines) => each(lines, firstWords),
  runsRm: (line) => (firstWords(line).some((name) => name.slice(name.lastIndexOf('/') + 1) === 'rm') ? 'yes' : 'no'),
};

function firstWords(line) {
  const names = [];
  let first = true;
  for (const entry of splitWords(line)) {
    if (typeof entry !== 'string') first = entry.op !== undefined && entry.op !== 'glob';
    else if (first) {
      names.push(entry);
      first = false;
    }
  }
  return names;
}
