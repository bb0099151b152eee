/** Finds what bash runs while it expands words: substitutions at any depth, and arithmetic. */

import type {
  ArithmeticExpression,
  CommandExpansionPart,
  ParameterExpansionPart,
  ParameterOperation,
  ProcessSubstitutionPart,
  Word,
  WordPart,
} from 'unbash';
import { assign } from './assign-variable.ts';
import { scriptOutput, wordsOfOutput } from './command-output.ts';
import { type CommandInput, type LineState, unknownInput } from './line-state.ts';
import { isLiteral } from '../words/plain-word.ts';
import { mayUseBashSetVariable } from '../words/variable-effects.ts';

/** In double quotes and here-documents, bash runs substitutions even between single quotes. */
const quotedSubstitution = /'[^]*(?:\$[({]|`)/;

const evaluatesUnknown = 'bash evaluates unknown text as arithmetic';

/** Without one of these there is nothing to run, in any quotes. */
const expands = /[$`]|[<>?*+@!](?:\\\n)*\(/;
const expansionStart = /`|\$[({[]/;

export function walkWord(state: LineState, word: Word): void {
  if (isLiteral(word.text)) return;
  if (state.otherShell && word.parts?.some(({ type }) => type === 'BraceExpansion') === true) state.markOtherShell();
  if (!expands.test(word.text)) return;
  const { parts } = word;
  if (parts === undefined) checkUnparsed(state, word.text);
  else walkParts(state, parts, false);
}

/** The parser treats this as literal. If bash may still expand something in it, the line is unknown. */
export function checkUnparsed(state: LineState, text: string): void {
  if (expands.test(text) && expansionStart.test(text.replace(/\\[^]/g, '')))
    state.markUnknown('an expansion cannot be parsed');
}

export function walkParts(state: LineState, parts: readonly WordPart[], quoted: boolean): void {
  for (const part of parts) {
    switch (part.type) {
      case 'Literal':
        checkUnparsed(state, part.text);
        break;
      case 'SingleQuoted':
      case 'SimpleExpansion':
        break;
      case 'AnsiCQuoted':
        state.markOtherShell();
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
        if (quoted && quotedSubstitution.test(part.text)) state.markUnknown('an expansion contains nested quotes');
        walkParameter(state, part);
        break;
      case 'ArithmeticExpansion':
        if (part.text.startsWith('$[')) state.markOtherShell();
        walkArithmetic(state, part.expression);
        break;
      case 'ExtendedGlob':
        // Without `extglob`, bash reads the text differently, and the line may toggle it.
        if (!state.inTest) state.markUnknown('the line contains an extended glob pattern');
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
  // bash counts parentheses in comments there, and takes the following text as part of the word.
  if (/^[<>]\(\(/.test(part.text)) state.markUnknown('a substitution begins with two parentheses');
  const { script } = part;
  if (script === undefined) state.markUnknown('a substitution cannot be parsed');
  else {
    let printed: CommandInput = unknownInput;
    const run = (): void => {
      state.runScript(state, script);
      printed = scriptOutput(state, script);
    };
    if (part.type === 'ProcessSubstitution') state.inBackground(run);
    else {
      state.inSubshell(run);
      state.variables.setOutput(part.text, wordsOfOutput(printed), printed.type === 'text');
    }
  }
  if (heredocMayLoseSemicolon(part.text)) state.markUnknown('bash may ignore a separator after a here-document');
}

function walkParameter(state: LineState, part: ParameterExpansionPart): void {
  const { index, operation } = part;
  const whole = index !== undefined && (index.text === '@' || index.text === '*');
  if (index !== undefined && !whole) walkArithmeticText(state, index);
  // bash takes the value of the variable as a name, possibly with a subscript.
  if (part.prefix === '!' && !whole && operation?.type !== 'Names') state.evaluatesVariables = true;
  if (operation === undefined) return;
  if (part.prefix === '!' && operation.type === 'Default' && operation.operator.endsWith('='))
    state.markUnknown(setsUnknownName);
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
      walkArithmeticText(state, operation.offset);
      if (operation.length !== undefined) walkArithmeticText(state, operation.length);
      break;
    case 'CaseModification':
      if (operation.operand !== undefined) walkWord(state, operation.operand);
      break;
    case 'Transform':
      if (operation.operand.text.includes('P'))
        state.markUnknown('the value of a variable is expanded as a prompt, which can run code');
      walkWord(state, operation.operand);
      break;
    case 'Names':
      break;
    case 'Unknown':
      state.markUnknown('an expansion cannot be parsed');
      break;
    default:
      operation satisfies never;
  }
}

/** A subscript, a slice or an operand of `-eq`: bash expands the text and then evaluates it as arithmetic. */
export function walkArithmeticText(state: LineState, word: Word): void {
  walkWord(state, word);
  evaluateArithmetic(state, word.text);
}

/** Arithmetic runs substitutions in any quotes, and those in the values of variables. */
export function evaluateArithmetic(state: LineState, text: string): void {
  if (/^\s*-?\d*\s*$/.test(text)) return;
  if (/['\\`]|\$\(|\$\{?[0-9@*]|\$\{!/.test(text.replaceAll('$((', ''))) {
    state.markUnknown(evaluatesUnknown);
  }
  if (/[A-Za-z_]/.test(text)) {
    state.evaluatesVariables = true;
    if (mayUseBashSetVariable(text)) state.variableMayHoldCode = true;
  }
  if (assigns.test(text)) assignNames(state, text);
}

/** `=`, `+=`, `<<=`, `++`, but not a comparison. */
const assigns = /(?<![=!<>])=(?!=)|<<=|>>=|\+\+|--/;
const name = /^([A-Za-z_]\w*)(?:\[[^]*\])?$/;

/** Any of the names in the text may be set. */
function assignNames(state: LineState, text: string): void {
  if (/[$"'\\`]/.test(text)) state.markUnknown(setsUnknownName);
  for (const [found] of text.matchAll(/[A-Za-z_]\w*/g)) assign(state, found, undefined);
}

const setsUnknownName = 'the line sets a variable whose name is not literal';

function assignTarget(state: LineState, target: ArithmeticExpression): void {
  const found = target.type === 'ArithmeticWord' ? name.exec(target.value)?.[1] : undefined;
  if (found === undefined) state.markUnknown(setsUnknownName);
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
      evaluateArithmetic(state, node.value);
      if (node.parts !== undefined) walkParts(state, node.parts, true);
      if (node.parts?.some((part) => part.type === 'CommandExpansion') === true) state.markUnknown(evaluatesUnknown);
      break;
    case 'ArithmeticCommandExpansion':
      state.markUnknown(evaluatesUnknown);
      if (node.script === undefined) state.markUnknown('a substitution cannot be parsed');
      else {
        const { script } = node;
        state.inSubshell(() => state.runScript(state, script));
      }
      break;
    default:
      node satisfies never;
  }
  state.leave();
}

const document = /(?<!<)<<(?!<)-?[ \t]*([^\s;|&)]*)/g;

/**
 * True if bash may run the code of a substitution without some `;`. A bug in bash 5.2: in `$( )`, a `;` after a
 * here-document on the same line is lost, and the following words become arguments.
 */
function heredocMayLoseSemicolon(code: string): boolean {
  if (!code.includes('<<') || !code.includes(';')) return false;
  const ends: string[] = [];
  let passed = false;
  for (const line of code.replaceAll('\\\n', '').split('\n')) {
    const at = line.search(/(?<!<)<<(?!<)/);
    const separates = at !== -1 && line.includes(';', at);
    if (ends.length > 0) {
      if (separates) passed = true;
      if (line.trim() === ends[0]) ends.shift();
    } else if (separates) return true;
    else if (at !== -1) for (const [, end = ''] of line.matchAll(document)) ends.push(end.replaceAll(/['"\\]/g, ''));
  }
  // A here-document whose end was not found may not be one.
  return passed && ends.length > 0;
}
