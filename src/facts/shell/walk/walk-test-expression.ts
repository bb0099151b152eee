/** Walks `[[ … ]]`. */

import type { TestExpression } from 'unbash';
import type { LineState } from './line-state.ts';
import { walkArithmeticText, walkWord } from './walk-word.ts';

const arithmeticTest = /^-(?:eq|ne|lt|le|gt|ge)$/;

export function walkTestExpression(state: LineState, node: TestExpression): void {
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
