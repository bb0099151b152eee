/** Finds what bash would run while it expands words: substitutions, at any depth, and what arithmetic evaluates. */

import type {
  ArithmeticExpression,
  CommandExpansionPart,
  ParameterExpansionPart,
  ParameterOperation,
  ProcessSubstitutionPart,
  Word,
  WordPart,
} from 'unbash';
import { givenInput, type Input, type LineState } from './line-state.ts';
import { assign } from './assign.ts';
import { printedByScript, valueOfOutput } from './printed-text.ts';
import { losesSeparator } from './lost-separator.ts';
import { isLiteral } from './plain-word.ts';
import { usesHeldText } from './variables.ts';

/** Inside double quotes and here-documents bash runs substitutions that stand between single quotes. */
const quotedSubstitution = /'[^]*(?:\$[({]|`)/;

const evaluatesOutput = 'text that is not known is evaluated as arithmetic';

/** Only with one of these is there anything to run, whatever quotes there are. */
const expands = /[$`]|[<>?*+@!](?:\\\n)*\(/;
const unread = /`|\$[({[]/;

export function walkWord(state: LineState, word: Word): void {
  if (isLiteral(word.text)) return;
  if (state.otherShell && word.parts?.some(({ type }) => type === 'BraceExpansion') === true) state.doubtOtherShell();
  if (!expands.test(word.text)) return;
  const { parts } = word;
  if (parts === undefined) checkLiteral(state, word.text);
  else walkParts(state, parts, false);
}

/** The parser takes this for literal: should bash find something to expand in it all the same, nothing is known. */
export function checkLiteral(state: LineState, text: string): void {
  if (expands.test(text) && unread.test(text.replace(/\\[^]/g, ''))) state.doubt('an expansion cannot be read');
}

export function walkParts(state: LineState, parts: readonly WordPart[], quoted: boolean): void {
  for (const part of parts) {
    switch (part.type) {
      case 'Literal':
        checkLiteral(state, part.text);
        break;
      case 'SingleQuoted':
      case 'SimpleExpansion':
        break;
      case 'AnsiCQuoted':
        state.doubtOtherShell();
        break;
      case 'DoubleQuoted':
      case 'LocaleString':
        walkParts(state, part.parts, true);
        break;
      case 'CommandExpansion':
      case 'ProcessSubstitution':
        walkSubstitution(state, part);
        break;
      case 'ParameterExpansion':
        if (quoted && quotedSubstitution.test(part.text)) state.doubt('quotes are nested in an expansion');
        walkParameter(state, part);
        break;
      case 'ArithmeticExpansion':
        if (part.text.startsWith('$[')) state.doubtOtherShell();
        walkArithmetic(state, part.expression);
        break;
      case 'ExtendedGlob':
        // Without `extglob` bash reads the text differently, and the line may switch it.
        if (!state.inTest) state.doubt('it holds an extended pattern');
        walkParts(state, part.parts ?? [], quoted);
        break;
      case 'Glob':
      case 'BraceExpansion':
        walkParts(state, part.parts ?? [], quoted);
        break;
      default:
        part satisfies never;
    }
  }
}

function walkSubstitution(state: LineState, part: CommandExpansionPart | ProcessSubstitutionPart): void {
  // bash counts parentheses in comments there, and takes what follows for more of the word.
  if (/^[<>]\(\(/.test(part.text)) state.doubt('a substitution begins with doubled parentheses');
  const { script } = part;
  if (script === undefined) state.doubt('a substitution cannot be read');
  else {
    let printed: Input = givenInput;
    const run = (): void => {
      state.runScript(state, script);
      printed = printedByScript(state, script);
    };
    if (part.type === 'ProcessSubstitution') state.beside(run);
    else {
      state.aside(run);
      state.shown.setOutput(part.text, valueOfOutput(printed), printed.type === 'text');
    }
  }
  if (losesSeparator(part.text)) state.doubt('a separator after a here-document may be lost');
}

function walkParameter(state: LineState, part: ParameterExpansionPart): void {
  const { index, operation } = part;
  const whole = index !== undefined && (index.text === '@' || index.text === '*');
  if (index !== undefined && !whole) walkEvaluated(state, index);
  // The value of the variable is taken as a name, with a subscript perhaps.
  if (part.prefix === '!' && !whole && operation?.type !== 'Names') state.evaluates = true;
  if (operation === undefined) return;
  if (part.prefix === '!' && operation.type === 'Default' && operation.operator.endsWith('='))
    state.doubt(setsOpenName);
  walkOperation(state, operation, part.parameter);
}

function walkOperation(state: LineState, operation: ParameterOperation, name: string): void {
  switch (operation.type) {
    case 'Default':
      walkWord(state, operation.operand);
      if (operation.operator.endsWith('=')) assign(state, name, operation.operand);
      break;
    case 'Remove':
      walkWord(state, operation.operand);
      break;
    case 'Replace':
      walkWord(state, operation.pattern);
      walkWord(state, operation.replacement);
      break;
    case 'Slice':
      walkEvaluated(state, operation.offset);
      if (operation.length !== undefined) walkEvaluated(state, operation.length);
      break;
    case 'CaseModification':
      if (operation.operand !== undefined) walkWord(state, operation.operand);
      break;
    case 'Transform':
      if (operation.operand.text.includes('P')) state.doubt('the value of a variable is run as a prompt');
      walkWord(state, operation.operand);
      break;
    case 'Names':
      break;
    case 'Unknown':
      state.doubt('an expansion cannot be read');
      break;
    default:
      operation satisfies never;
  }
}

/** A subscript, a slice or an operand of `-eq`: text that bash evaluates as arithmetic once it is expanded. */
export function walkEvaluated(state: LineState, word: Word): void {
  walkWord(state, word);
  evaluateText(state, word.text);
}

/** Arithmetic runs substitutions whatever quotes stand around them, also those in the values of variables. */
export function evaluateText(state: LineState, text: string): void {
  if (/^\s*-?\d*\s*$/.test(text)) return;
  if (/['\\`]|\$\(|\$\{?[0-9@*]|\$\{!/.test(text.replaceAll('$((', ''))) {
    state.doubt(evaluatesOutput);
  }
  if (/[A-Za-z_]/.test(text)) {
    state.evaluates = true;
    if (usesHeldText(text)) state.dirty = true;
  }
  if (assigns.test(text)) assignNames(state, text);
}

/** `=`, `+=`, `<<=`, `++`, but no comparison. */
const assigns = /(?<![=!<>])=(?!=)|<<=|>>=|\+\+|--/;
const name = /^([A-Za-z_]\w*)(?:\[[^]*\])?$/;

/** Which of the names in a text it sets is not looked at: all of them may be. */
function assignNames(state: LineState, text: string): void {
  if (/[$"'\\`]/.test(text)) state.doubt(setsOpenName);
  for (const [found] of text.matchAll(/[A-Za-z_]\w*/g)) assign(state, found, undefined);
}

const setsOpenName = 'a variable is set whose name is not literal';

function assignTarget(state: LineState, target: ArithmeticExpression): void {
  const found = target.type === 'ArithmeticWord' ? name.exec(target.value)?.[1] : undefined;
  if (found === undefined) state.doubt(setsOpenName);
  else assign(state, found, undefined);
}

function isAssignment(operator: string): boolean {
  return operator.endsWith('=') && !/^[=!<>]=$/.test(operator);
}

export function walkArithmetic(state: LineState, node: ArithmeticExpression | undefined): void {
  if (node !== undefined) walkExpression(state, node);
}

function walkExpression(state: LineState, node: ArithmeticExpression): void {
  if (!state.enter()) return;
  switch (node.type) {
    case 'ArithmeticBinary':
      if (isAssignment(node.operator)) assignTarget(state, node.left);
      walkExpression(state, node.left);
      walkExpression(state, node.right);
      break;
    case 'ArithmeticUnary':
      if (node.operator === '++' || node.operator === '--') assignTarget(state, node.operand);
      walkExpression(state, node.operand);
      break;
    case 'ArithmeticTernary':
      walkExpression(state, node.test);
      walkExpression(state, node.consequent);
      walkExpression(state, node.alternate);
      break;
    case 'ArithmeticGroup':
      walkExpression(state, node.expression);
      break;
    case 'ArithmeticWord':
      evaluateText(state, node.value);
      if (node.parts !== undefined) walkParts(state, node.parts, true);
      if (node.parts?.some((part) => part.type === 'CommandExpansion') === true) state.doubt(evaluatesOutput);
      break;
    case 'ArithmeticCommandExpansion':
      state.doubt(evaluatesOutput);
      if (node.script === undefined) state.doubt('a substitution cannot be read');
      else {
        const { script } = node;
        state.aside(() => state.runScript(state, script));
      }
      break;
    default:
      node satisfies never;
  }
  state.leave();
}
