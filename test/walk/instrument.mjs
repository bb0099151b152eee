/** A copy of the build in which every function and method reports the file it is in. */

import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'vite';

/** Arrow functions are left out: most are read where they are written. */
const reporting = new Set(['FunctionDeclaration', 'FunctionExpression']);

/** Copies the modules of `from` to `to`; the copies call `globalThis.bridleWalk(file)` first in each function. */
export function instrument(from, to) {
  rmSync(to, { recursive: true, force: true });
  for (const path of readdirSync(from, { recursive: true }).map(String)) {
    const target = join(to, path);
    mkdirSync(dirname(target), { recursive: true });
    if (path.endsWith('.js')) writeFileSync(target, withReports(readFileSync(join(from, path), 'utf8'), path));
    else if (path.endsWith('.json')) cpSync(join(from, path), target);
  }
}

function withReports(text, path) {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new SyntaxError(`${path}: ${errors[0].message}`);
  const report = `globalThis.bridleWalk(${JSON.stringify(path.replace(/js$/, 'ts'))});`;
  const places = [];
  visit(program, (node) => {
    if (reporting.has(node.type)) places.push(node.body.start + 1);
  });
  const ends = [...places.toSorted((a, b) => a - b), text.length];
  return ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end)).join(report);
}

function visit(node, look) {
  look(node);
  for (const value of Object.values(node)) {
    for (const item of Array.isArray(value) ? value : [value]) if (typeof item?.type === 'string') visit(item, look);
  }
}
