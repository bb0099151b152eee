/** Walks the syntax tree of a line: every node that bash might execute, once. */

import type {
  AndOr,
  Case,
  Command,
  CompoundList,
  Coproc,
  For,
  Function as FunctionNode,
  If,
  Pipeline,
  PipelineNode,
  Redirected,
  Select,
  Statement,
  TestExpression,
} from 'unbash';
import { LineCommand, plainStart } from '../commands/line-command.ts';
import { unreachable } from '../commands/shell-location.ts';
import { assign, assignUnknown } from './assign-variable.ts';
import { commandOutput } from './command-output.ts';
import { type LineState, unknownInput } from './line-state.ts';
import { readRedirects } from './read-redirects.ts';
import { programOfWord, startCommand } from './start-command.ts';
import { walkCommand } from './walk-command.ts';
import { walkArithmetic, walkArithmeticText, walkWord } from './walk-word.ts';
import { type KnownValues, mergeValues, valueOfWords } from '../words/known-values.ts';
import { readWord } from '../words/read-word.ts';
import type { ShellWord } from '../words/shell-word.ts';
import { isShellOnlyVariable } from '../words/variable-effects.ts';

type AnyNode = PipelineNode | AndOr | CompoundList;

export function walkStatements(state: LineState, statements: readonly Statement[]): void {
  for (const { command, background } of statements) {
    if (background === true) state.inBackground(() => walkNode(state, command));
    else {
      walkNode(state, command);
      if (command.type === 'Function' && state.depth === 1)
        (state.knownFunctions ??= new Set()).add(command.name.value);
    }
  }
}

function walkList(state: LineState, list: CompoundList): void {
  walkStatements(state, list.commands);
}

function walkNode(state: LineState, node: AnyNode, input = unknownInput): void {
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
      return state.inSubshell(() => walkList(state, node.body));
    case 'Redirected':
      return walkRedirected(state, node);
    case 'If':
      return walkIf(state, node);
    case 'While':
      return state.inLoop(() => {
        walkList(state, node.clause);
        walkList(state, node.body);
      });
    case 'For':
    case 'Select':
      return walkLoop(state, node);
    case 'ArithmeticFor':
      state.markOtherShell();
      walkArithmetic(state, node.initialize);
      walkArithmetic(state, node.test);
      walkArithmetic(state, node.update);
      return state.inLoop(() => walkList(state, node.body));
    case 'ArithmeticCommand':
      state.markOtherShell();
      return walkArithmetic(state, node.expression);
    case 'Case':
      return walkCase(state, node);
    case 'TestCommand':
      state.markOtherShell();
      return walkTestExpression(state, node.expression);
    case 'Function':
      return walkFunction(state, node);
    case 'Coproc':
      return walkCoproc(state, node);
    default:
      node satisfies never;
  }
}

/** `&&` continues after success, `||` after failure, each with the folders and variables at that point. */
function walkAndOr(state: LineState, { commands, operators }: AndOr): void {
  const { variables } = state;
  let ok = state.location;
  let failed = ok;
  let success = variables.current;
  let failure = success;
  let index = 0;
  for (const command of commands) {
    const operator = index === 0 ? undefined : operators[index - 1];
    if (ok !== failed || ok !== state.location) state.begin(operator === '&&' ? ok : failed);
    variables.restore(operator === '||' ? failure : success);
    walkNode(state, command);
    const { current } = variables;
    ok = operator === '||' ? ok.or(state.ok) : state.ok;
    failed = operator === '&&' ? failed.or(state.failed) : state.failed;
    success = operator === '||' ? mergeValues(success, current) : current;
    failure = operator === '&&' ? mergeValues(failure, current) : current;
    index += 1;
  }
  if (ok !== failed || ok !== state.location) state.end(ok, failed);
  variables.restore(mergeValues(success, failure));
}

function walkIf(state: LineState, node: If): void {
  const { variables } = state;
  const ends: (KnownValues | undefined)[] = [];
  let ok = unreachable;
  let failed = unreachable;
  for (const { clause, then } of [node, ...node.elif]) {
    walkList(state, clause);
    const otherwise = state.failed;
    const { current } = variables;
    state.begin(state.ok);
    walkList(state, then);
    ok = ok.or(state.ok);
    failed = failed.or(state.failed);
    ends.push(variables.current);
    state.begin(otherwise);
    variables.restore(current);
  }
  if (node.else !== undefined) walkList(state, node.else);
  // If no branch is taken, it succeeds.
  state.end(ok.or(state.ok), node.else === undefined ? failed : failed.or(state.failed));
  variables.restore(ends.reduce(mergeValues, variables.current));
}

/** Each member runs in a subshell. With `lastpipe`, the whole line counts as unknown. */
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
  let input = unknownInput;
  let left = commands.length;
  for (const command of commands) {
    state.piped = piped || left > 1;
    state.nextSubshell(before);
    walkNode(state, command, input);
    left -= 1;
    if (left > 0) input = commandOutput(state, command);
  }
  state.leaveSubshells(before);
  state.piped = piped;
}

function walkRedirected(state: LineState, { command, redirects }: Redirected): void {
  const { files, out } = readRedirects(state, redirects);
  if (files.length > 0) addWithoutName(state, { assignments: [], redirects: files, redirectsOut: out });
  const { location } = state;
  const { current } = state.variables;
  walkNode(state, command);
  // If a file cannot be opened, the command does not run.
  if (state.location !== location) state.end(state.ok, state.failed.or(location));
  state.variables.restore(mergeValues(current, state.variables.current));
}

/** Adds what the line does without a command: assignments and opened files. */
function addWithoutName(
  state: LineState,
  what: { assignments: readonly string[]; redirects: ReturnType<typeof readRedirects>['files']; redirectsOut: boolean },
): void {
  startCommand(state, new LineCommand([], programOfWord(undefined), { ...plainStart, ...what }), unknownInput);
}

function walkLoop(state: LineState, node: For | Select): void {
  const name = node.name.value;
  const words: ShellWord[] = [];
  for (const word of node.wordlist ?? []) {
    walkWord(state, word);
    readWord(word, words, state.variables.current);
    assign(state, name, word);
  }
  const isFollowed = node.type === 'For' && node.wordlist !== undefined && !state.otherShell;
  const value = isFollowed ? valueOfWords(words, state.location.folders) : undefined;
  if (node.wordlist === undefined || node.type === 'Select') assignUnknown(state, name);
  if (!isShellOnlyVariable(name)) addWithoutName(state, { assignments: [name], redirects: [], redirectsOut: false });
  state.inLoop(() => {
    state.variables.set(name, value);
    walkList(state, node.body);
  });
}

function walkCase(state: LineState, node: Case): void {
  walkWord(state, node.word);
  const { location, variables } = state;
  const { current } = variables;
  let ok = location;
  let failed = unreachable;
  let before = location;
  for (const { pattern, body, terminator } of node.items) {
    state.begin(before);
    for (const word of pattern) walkWord(state, word);
    const values = variables.current;
    walkList(state, body);
    ok = ok.or(state.ok);
    failed = failed.or(state.failed);
    before = terminator === undefined || terminator === ';;' ? location : before.or(state.location);
    // The next branch may run after this one, or without it.
    variables.restore(mergeValues(values, variables.current));
  }
  state.end(ok, failed);
  variables.restore(mergeValues(current, variables.current));
}

/** The body counts as executed at any time, whether it is called or not. */
function walkFunction(state: LineState, node: FunctionNode): void {
  state.definesFunctions = true;
  (state.definedFunctions ??= new Set()).add(node.name.value);
  if (state.reliesOnOutput) state.markUnknown('a function may have the name of a program used earlier in the line');
  state.forgetVariables('a function may set variables each time it is called');
  const first = state.commands.length;
  state.deferred(() => walkNode(state, node.body));
  // It may recurse without end.
  const isCalled = ({ firstWord = '' }: LineCommand): boolean => state.definedFunctions?.has(firstWord) === true;
  if (state.commands.slice(first).some(isCalled))
    state.markOpaque(`a function calls ${node.name.value} or another function of the line`);
}

function walkCoproc(state: LineState, node: Coproc): void {
  assignUnknown(state, node.name?.value ?? 'COPROC');
  state.inBackground(() => walkNode(state, node.body));
}

const arithmeticTest = /^-(?:eq|ne|lt|le|gt|ge)$/;

function walkTestExpression(state: LineState, node: TestExpression): void {
  const outer = state.inTest;
  state.inTest = true;
  switch (node.type) {
    case 'TestUnary':
      if (node.operator === '-v' && !/^\w+$/.test(node.operand.text)) walkArithmeticText(state, node.operand);
      else walkWord(state, node.operand);
      break;
    case 'TestBinary':
      for (const word of [node.left, node.right]) {
        if (arithmeticTest.test(node.operator)) walkArithmeticText(state, word);
        else walkWord(state, word);
      }
      break;
    case 'TestLogical':
      for (const operand of node.operands) walkTestExpression(state, operand);
      break;
    case 'TestNot':
      walkTestExpression(state, node.operand);
      break;
    case 'TestGroup':
      walkTestExpression(state, node.expression);
      break;
    default:
      node satisfies never;
  }
  state.inTest = outer;
}
