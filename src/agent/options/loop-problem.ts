/** Checks the option `loop`, since callers in plain JavaScript have no types. */

import { bridleOptionFor } from './foreign-options.ts';

/**
 * A loop may have other methods, but a method that another SDK would call is an error here, because Bridle never calls
 * it.
 */
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

/** The method names of an object, inherited ones included. */
function methodNames(loop: object): readonly string[] {
  const names: string[] = [];
  for (let each = loop; each !== null && each !== Object.prototype; each = Object.getPrototypeOf(each) as object) {
    const own = Object.entries(Object.getOwnPropertyDescriptors(each));
    names.push(...own.filter(([, { value }]) => typeof value === 'function').map(([name]) => name));
  }
  return names;
}
