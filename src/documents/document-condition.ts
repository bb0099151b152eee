/** Reads a condition, and tells where each character of it stands. */

import { lazy } from '../lazy.ts';
import type { DocumentCondition } from './document.ts';
import type { DocumentReport } from './document-report.ts';
import type { ScalarNode } from './document-node.ts';
import { readTextNode, type Read } from './document-values.ts';
import { scalarPieces } from './yaml-pieces.ts';

const mostCharacters = 10_000;
// An invisible character in a name that is compared would make a rule that looks right and never matches.
const unseen = lazy(() => /[^\P{C}\t\n\r]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);

const plain = /^[\t\n -~]*$/;

export const readCondition: Read<DocumentCondition> = (node, name, report) => {
  const given = readTextNode(node, name, report);
  if (given === undefined) return undefined;
  const text = given.value;
  if (text.trim() === '') return report.problem(node.at, `${name} is empty; write a condition, or leave the key out`);
  if (text.length > mostCharacters) {
    return report.problem(node.at, `${name} is longer than ${mostCharacters} characters; use several rules`);
  }
  const condition = { text, at: report.place(node.at), stretches: stretchesOf(given, report) };
  const hidden = plain.test(text) ? null : unseen().exec(text);
  if (hidden === null) return condition;
  const code = (hidden[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return report.problem(
    offsetIn(given, hidden.index),
    `${name} holds the invisible character U+${code}; inside a string of the condition write \\u${code}`,
  );
};

function stretchesOf(node: ScalarNode, report: DocumentReport): DocumentCondition['stretches'] {
  return scalarPieces(node).map(({ offset, source }) => ({ offset, at: report.place(source) }));
}

function offsetIn(node: ScalarNode, offset: number): number {
  const piece = scalarPieces(node).findLast((each) => each.offset <= offset);
  return piece === undefined ? node.at : piece.source + offset - piece.offset;
}
