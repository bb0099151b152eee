/** Reads a condition and records the position of each of its characters. */

import { lazy } from '../../../kernel/lazy.ts';
import type { PolicyFileCondition } from '../../policy-file.ts';
import type { FileReport } from '../syntax/file-report.ts';
import type { ScalarNode } from '../syntax/file-node.ts';
import { readTextNode, type NodeReader } from './read-values.ts';
import { scalarSourceMap } from '../syntax/scalar-source-map.ts';

const maxCharacters = 10_000;
// With an invisible character in a compared name, a rule would look right and never match.
const invisibleCharacter = lazy(() => /[^\P{C}\t\n\r]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);

const plainText = /^[\t\n -~]*$/;

export const readCondition: NodeReader<PolicyFileCondition> = (node, name, report) => {
  const given = readTextNode(node, name, report);
  if (given === undefined) return undefined;
  const text = given.value;
  if (text.trim() === '') return report.problem(node.at, `${name} is empty; write a condition, or remove the key`);
  if (text.length > maxCharacters) {
    return report.problem(node.at, `${name} is longer than ${maxCharacters} characters; use several rules`);
  }
  const condition = { text, at: report.positionOf(node.at), stretches: segmentsOf(given, report) };
  const hidden = plainText.test(text) ? null : invisibleCharacter().exec(text);
  if (hidden === null) return condition;
  const code = (hidden[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return report.problem(
    fileOffsetOf(given, hidden.index),
    `${name} contains the invisible character U+${code}; in a string of the condition, write \\u${code}`,
  );
};

function segmentsOf(node: ScalarNode, report: FileReport): PolicyFileCondition['stretches'] {
  return scalarSourceMap(node).map(({ offset, source }) => ({ offset, at: report.positionOf(source) }));
}

function fileOffsetOf(node: ScalarNode, offset: number): number {
  const piece = scalarSourceMap(node).findLast((each) => each.offset <= offset);
  return piece === undefined ? node.at : piece.source + offset - piece.offset;
}
