/** Whether the arguments of a command include those of an entry, by meaning (X07). */

import { allTrue, anyTrue, unknownBecause, type Truth } from '../../truth.ts';
import { findProgram } from '../programs/find-program.ts';
import type { ArgumentPart, OptionPart, ParsedArguments } from '../usage/program.ts';
import { readArguments } from '../arguments/read-arguments.ts';
import { couldBe, type ShellWord } from '../words/shell-word.ts';

/** Compares the words of a command, its name first, with those of an entry. */
export function matchCommand(have: readonly ShellWord[], want: readonly ShellWord[]): Truth {
  const [haveName, ...haveArgs] = have;
  const [wantName, ...wantArgs] = want;
  if (haveName?.type !== 'literal' || wantName?.type !== 'literal')
    return unknownBecause('a command name is not literal');
  if (baseOf(haveName.value) !== baseOf(wantName.value)) return false;
  const program = findProgram(baseOf(haveName.value));
  if (program === undefined) return matchWords(haveArgs, wantArgs);
  return matchArguments(readArguments(program, haveArgs), readArguments(program, wantArgs));
}

function baseOf(value: string): string {
  return value.slice(value.lastIndexOf('/') + 1);
}

/** For an unlisted program: true if the words come first, unknown if they appear elsewhere. */
export function matchWords(have: readonly ShellWord[], want: readonly ShellWord[]): Truth {
  if (startsWith(have, want)) return true;
  const perhaps = want.every((word) => have.some((other) => couldMatch(other, word)));
  return perhaps ? unknownBecause('the words are in another order or not literal') : false;
}

/** What was parsed with certainty is present. What is missing is unknown if the parsing was unsure. */
export function matchArguments(have: ParsedArguments, want: ParsedArguments): Truth {
  const match = matchParts(have, want);
  return match === false && have.unsure !== undefined ? unknownBecause(have.unsure) : match;
}

function matchParts(have: ParsedArguments, want: ParsedArguments): Truth {
  const truths: Truth[] = [];
  for (const part of want.parts) {
    const truth = part.type === 'operand' || matchPart(have, part, want);
    if (truth === false) return false;
    if (truth !== true) truths.push(truth);
  }
  return allTrue([...truths, matchOperands(operands(have), operands(want))]);
}

function operands(parsed: ParsedArguments): readonly ShellWord[] {
  return parsed.parts.flatMap((part) => (part.type === 'operand' ? [part.word] : []));
}

/** True if the operands match in order from the first. Unknown if they match further on. */
function matchOperands(have: readonly ShellWord[], want: readonly ShellWord[]): Truth {
  if (want.length === 0 || startsWith(have, want)) return true;
  let at = 0;
  for (const word of want) {
    while (at < have.length && !couldMatch(have[at], word)) at += 1;
    const found = have[at];
    if (found === undefined) return false;
    // A word that splits may also match the next operand.
    if (found.type === 'literal' || !found.splits) at += 1;
  }
  return unknownBecause('the operands are in another position or not literal');
}

function startsWith(have: readonly ShellWord[], want: readonly ShellWord[]): boolean {
  return want.every((word, index) => {
    const other = have[index];
    return other?.type === 'literal' && word.type === 'literal' && other.value === word.value;
  });
}

function couldMatch(have: ShellWord | undefined, want: ShellWord): boolean {
  return have !== undefined && want.type === 'literal' && couldBe(have, want.value);
}

function matchPart(have: ParsedArguments, part: ArgumentPart, want: ParsedArguments): Truth {
  switch (part.type) {
    case 'subcommand':
      return subcommandAt(have, subcommands(want).indexOf(part.name)) === part.name;
    case 'option':
      return anyTrue(have.parts.map((other) => (other.type === 'option' ? matchOption(other, part) : false)));
    case 'operand':
      return true;
    case 'code':
      return anyTrue(have.parts.map((other) => (other.type === 'code' ? matchWords(other.words, part.words) : false)));
    case 'command':
      return anyTrue(
        have.parts.map((other) => (other.type === 'command' ? matchCommand(other.argv, part.argv) : false)),
      );
    default:
      return part satisfies never;
  }
}

function subcommandAt({ parts }: ParsedArguments, place: number): string | undefined {
  let passed = 0;
  for (const part of parts) {
    if (part.type !== 'subcommand') continue;
    if (passed === place) return part.name;
    passed += 1;
  }
  return undefined;
}

function subcommands(parsed: ParsedArguments): readonly string[] {
  return parsed.parts.flatMap((part) => (part.type === 'subcommand' ? [part.name] : []));
}

function matchOption(have: OptionPart, want: OptionPart): Truth {
  if (have.name !== want.name) return false;
  if (want.value === undefined) return true;
  if (have.value === undefined || !couldMatch(have.value, want.value)) return false;
  return have.value.type === 'literal' ? true : unknownBecause(`the value of ${have.name} is not literal`);
}
