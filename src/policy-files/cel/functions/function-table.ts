/** All functions of conditions in one table, which checks, evaluation and the reference docs share. */

import { callFacts, textFacts } from './fact-functions.ts';
import { type SpecialFormRow, type FunctionRow, isMethod } from './function-row.ts';
import { valueFunctions } from './value-functions.ts';

const specialForms: readonly SpecialFormRow[] = [
  {
    type: 'presence',
    name: 'has',
    signature: 'has(args.name)',
    description: 'The field exists.',
  },
  {
    type: 'pattern',
    name: 'matches',
    signature: 'text.matches("pattern")',
    description: 'An RE2 pattern matches somewhere in the text; `^` and `$` match its start and end.',
  },
  {
    type: 'loop',
    name: 'all',
    signature: 'list.all(item, condition)',
    description: 'The condition is true for every item; also true for an empty list.',
  },
  {
    type: 'loop',
    name: 'exists',
    signature: 'list.exists(item, condition)',
    description: 'The condition is true for at least one item.',
  },
  {
    type: 'loop',
    name: 'exists_one',
    signature: 'list.exists_one(item, condition)',
    description: 'The condition is true for exactly one item.',
  },
  {
    type: 'loop',
    name: 'filter',
    signature: 'list.filter(item, condition)',
    description: 'The items for which the condition is true.',
  },
  {
    type: 'loop',
    name: 'map',
    signature: 'list.map(item, expression)',
    description: 'The result of the expression for each item.',
  },
];

export const functions: readonly FunctionRow[] = [...callFacts, ...textFacts, ...specialForms, ...valueFunctions];

const methods = new Map(functions.filter(isMethod).map((row) => [row.name, row]));
const standalone = new Map(functions.filter((row) => !isMethod(row)).map((row) => [row.name, row]));

/** Methods, or standalone functions, by name. */
export function functionsByName(isMethodCall: boolean): ReadonlyMap<string, FunctionRow> {
  return isMethodCall ? methods : standalone;
}
