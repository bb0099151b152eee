/** Checking a custom loop: plain JavaScript may get its methods wrong. */

import { bridleOptionFor } from './foreign-options.ts';

/** A loop may have methods of its own, but one that another SDK would call must not silently stay uncalled. */
export function loopProblem(loop: Readonly<Record<string, unknown>>): string | undefined {
  const { name } = loop;
  if (typeof name !== 'string' || name.trim() === '') return 'has no name';
  for (const method of ['run', 'start', 'stop', 'revise']) {
    const isMethod = typeof loop[method] === 'function';
    if (!isMethod && loop[method] !== undefined) return `has a ${method} that is not a function`;
    const uncalled = isMethod
      ? undefined
      : methodNames(loop).find((each) => bridleOptionFor('loop', each) === `"${method}"`);
    if (uncalled !== undefined) return `has a method "${uncalled}", which is never called; use "${method}"`;
  }
  return loop['run'] === undefined ? 'has no method run' : undefined;
}

/** Of the object and of its classes. */
function methodNames(of: object): readonly string[] {
  const names: string[] = [];
  for (let each = of; each !== null && each !== Object.prototype; each = Object.getPrototypeOf(each) as object) {
    const own = Object.entries(Object.getOwnPropertyDescriptors(each));
    names.push(...own.filter(([, { value }]) => typeof value === 'function').map(([name]) => name));
  }
  return names;
}
