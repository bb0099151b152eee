/** Walks the syntax tree of a line, every node that bash might execute once. */

import type { AndOr, Case, Command, CompoundList, Coproc, For, Function as FunctionNode, If } from 'unbash';
import type { Pipeline, PipelineNode, Redirected, Select, Statement } from 'unbash';
import { assign, assignUnknown } from './assign.ts';
import { bareCircumstances, FoundCommand } from './found-command.ts';
import { givenInput, type LineState } from './line-state.ts';
import { printedText } from './printed-text.ts';
import { readRedirects } from './read-redirects.ts';
import { programOf, startCommand } from './start-command.ts';
import { readWord } from './read-word.ts';
import type { ShellWord } from './shell-word.ts';
import { joinValues, valueOfWords, type Values } from './shown-values.ts';
import { isOwnVariable } from './variables.ts';
import { walkCommand } from './walk-command.ts';
import { walkArithmetic, walkWord } from './walk-parts.ts';
import { walkTest } from './walk-test.ts';
import { neverReached } from './whereabouts.ts';

type AnyNode = PipelineNode | AndOr | CompoundList;

export function walkStatements(state: LineState, statements: readonly Statement[]): void {
  for (const { command, background } of statements) {
    if (background === true) state.beside(() => walkNode(state, command));
    else {
      walkNode(state, command);
      if (command.type === 'Function' && state.depth === 1) (state.functions ??= new Set()).add(command.name.value);
    }
  }
}

function walkList(state: LineState, list: CompoundList): void {
  walkStatements(state, list.commands);
}

function walkNode(state: LineState, node: AnyNode, input = givenInput): void {
  state.begin();
  if (node.type === 'Command') return walkCommand(state, node, input);
  if (!state.enter()) return;
  walkCompound(state, node);
  state.leave();
}

function walkCompound(state: LineState, node: Exclude<AnyNode, Command>): void {
  switch (node.type) {
    case 'Pipeline':
      return walkPipeline(state, node);
    case 'AndOr':
      return walkAndOr(state, node);
    case 'CompoundList':
      return walkList(state, node);
    case 'BraceGroup':
      return walkList(state, node.body);
    case 'Subshell':
      return state.aside(() => walkList(state, node.body));
    case 'Redirected':
      return walkRedirected(state, node);
    case 'If':
      return walkIf(state, node);
    case 'While':
      return state.repeated(() => {
        walkList(state, node.clause);
        walkList(state, node.body);
      });
    case 'For':
    case 'Select':
      return walkLoop(state, node);
    case 'ArithmeticFor':
      state.doubtOtherShell();
      walkArithmetic(state, node.initialize);
      walkArithmetic(state, node.test);
      walkArithmetic(state, node.update);
      return state.repeated(() => walkList(state, node.body));
    case 'ArithmeticCommand':
      state.doubtOtherShell();
      return walkArithmetic(state, node.expression);
    case 'Case':
      return walkCase(state, node);
    case 'TestCommand':
      state.doubtOtherShell();
      return walkTest(state, node.expression);
    case 'Function':
      return walkFunction(state, node);
    case 'Coproc':
      return walkCoproc(state, node);
    default:
      node satisfies never;
  }
}

/** What follows `&&` runs after a success, what follows `||` after a failure: where the shell is then, with its variables. */
function walkAndOr(state: LineState, { commands, operators }: AndOr): void {
  const { shown } = state;
  let ok = state.at;
  let failed = ok;
  let success = shown.now;
  let failure = success;
  let index = 0;
  for (const command of commands) {
    const operator = index === 0 ? undefined : operators[index - 1];
    if (ok !== failed || ok !== state.at) state.begin(operator === '&&' ? ok : failed);
    shown.keep(operator === '||' ? failure : success);
    walkNode(state, command);
    const { now } = shown;
    ok = operator === '||' ? ok.or(state.ok) : state.ok;
    failed = operator === '&&' ? failed.or(state.failed) : state.failed;
    success = operator === '||' ? joinValues(success, now) : now;
    failure = operator === '&&' ? joinValues(failure, now) : now;
    index += 1;
  }
  if (ok !== failed || ok !== state.at) state.end(ok, failed);
  shown.keep(joinValues(success, failure));
}

function walkIf(state: LineState, node: If): void {
  const { shown } = state;
  const ends: (Values | undefined)[] = [];
  let ok = neverReached;
  let failed = neverReached;
  for (const { clause, then } of [node, ...node.elif]) {
    walkList(state, clause);
    const otherwise = state.failed;
    const { now } = shown;
    state.begin(state.ok);
    walkList(state, then);
    ok = ok.or(state.ok);
    failed = failed.or(state.failed);
    ends.push(shown.now);
    state.begin(otherwise);
    shown.keep(now);
  }
  if (node.else !== undefined) walkList(state, node.else);
  // Without a branch that is taken, it succeeds.
  state.end(ok.or(state.ok), node.else === undefined ? failed : failed.or(state.failed));
  shown.keep(ends.reduce(joinValues, shown.now));
}

/** Each member runs in a subshell; with `lastpipe`, the whole line is not known. */
function walkPipeline(state: LineState, { commands, prefixes }: Pipeline): void {
  const [only] = commands;
  if (commands.length === 1 && only !== undefined) {
    walkNode(state, only);
    const negated = prefixes.filter(({ type }) => type === 'Negation').length % 2 === 1;
    if (negated) state.end(state.failed, state.ok);
    return;
  }
  const { piped } = state;
  const before = state.enterSubshells();
  let input = givenInput;
  let left = commands.length;
  for (const command of commands) {
    state.piped = piped || left > 1;
    state.nextSubshell(before);
    walkNode(state, command, input);
    left -= 1;
    if (left > 0) input = printedText(state, command);
  }
  state.leaveSubshells(before);
  state.piped = piped;
}

function walkRedirected(state: LineState, { command, redirects }: Redirected): void {
  const { files, out } = readRedirects(state, redirects);
  if (files.length > 0) addNameless(state, { assignments: [], redirects: files, redirectsOut: out });
  const { at } = state;
  const { now } = state.shown;
  walkNode(state, command);
  // If a file cannot be opened, the command does not run.
  if (state.at !== at) state.end(state.ok, state.failed.or(at));
  state.shown.keep(joinValues(now, state.shown.now));
}

/** Something the line does without a command: it assigns, or opens files. */
function addNameless(
  state: LineState,
  what: { assignments: readonly string[]; redirects: ReturnType<typeof readRedirects>['files']; redirectsOut: boolean },
): void {
  startCommand(state, new FoundCommand([], programOf(undefined), { ...bareCircumstances, ...what }), givenInput);
}

function walkLoop(state: LineState, node: For | Select): void {
  const name = node.name.value;
  const words: ShellWord[] = [];
  for (const word of node.wordlist ?? []) {
    walkWord(state, word);
    readWord(word, words, state.shown.now);
    assign(state, name, word);
  }
  const isFollowed = node.type === 'For' && node.wordlist !== undefined && !state.otherShell;
  const value = isFollowed ? valueOfWords(words, state.at.folders) : undefined;
  if (node.wordlist === undefined || node.type === 'Select') assignUnknown(state, name);
  if (!isOwnVariable(name)) addNameless(state, { assignments: [name], redirects: [], redirectsOut: false });
  state.repeated(() => {
    state.shown.set(name, value);
    walkList(state, node.body);
  });
}

function walkCase(state: LineState, node: Case): void {
  walkWord(state, node.word);
  const { at, shown } = state;
  const { now } = shown;
  let ok = at;
  let failed = neverReached;
  let before = at;
  for (const { pattern, body, terminator } of node.items) {
    state.begin(before);
    for (const word of pattern) walkWord(state, word);
    const values = shown.now;
    walkList(state, body);
    ok = ok.or(state.ok);
    failed = failed.or(state.failed);
    before = terminator === undefined || terminator === ';;' ? at : before.or(state.at);
    // The next one may be done after this one, or without it.
    shown.keep(joinValues(values, shown.now));
  }
  state.end(ok, failed);
  shown.keep(joinValues(now, shown.now));
}

/** Its body counts as executed, at any time: whether it is called is not asked. */
function walkFunction(state: LineState, node: FunctionNode): void {
  state.definesFunctions = true;
  (state.defined ??= new Set()).add(node.name.value);
  if (state.relied) state.doubt('a function is defined, which may be called like a program before it');
  state.unsettle('a function may set variables whenever it is called');
  const first = state.commands.length;
  state.later(() => walkNode(state, node.body));
  // It may call itself without end.
  const isCalled = ({ called = '' }: FoundCommand): boolean => state.defined?.has(called) === true;
  if (state.commands.slice(first).some(isCalled)) state.hide(`a function calls ${node.name.value} or another function`);
}

function walkCoproc(state: LineState, node: Coproc): void {
  assignUnknown(state, node.name?.value ?? 'COPROC');
  state.beside(() => walkNode(state, node.body));
}
