/**
 * Lets Gemini CLI's policy engine load without the packages that it does not use to decide: the bench installs them
 * as empty packages. Each import from one of those gets a placeholder that does nothing.
 */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const core = '/@google/gemini-cli-core/';

export async function resolve(specifier, context, next) {
  const isPackage = !/^(?:node:|[./]|file:)/.test(specifier);
  if (!isPackage || !context.parentURL?.includes(core)) return next(specifier, context);
  try {
    const found = await next(specifier, context);
    if (!found.url.startsWith('file:') || !isEmptyPackage(found.url)) return found;
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND' && error.code !== 'ERR_PACKAGE_PATH_NOT_EXPORTED') throw error;
  }
  const names = importedNames(readFileSync(fileURLToPath(context.parentURL), 'utf8'), specifier);
  return { url: `data:text/javascript,${encodeURIComponent(placeholder(names))}`, shortCircuit: true };
}

function isEmptyPackage(url) {
  const folder = url.slice(0, url.lastIndexOf('/') + 1);
  try {
    return JSON.parse(readFileSync(fileURLToPath(`${folder}package.json`), 'utf8')).name === 'empty-npm-package';
  } catch {
    return false;
  }
}

function importedNames(source, specifier) {
  const text = specifier.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
  const statements = source.matchAll(new RegExp(String.raw`import\s([^;]*?)\sfrom\s*['"]${text}['"]`, 'g'));
  const lists = Array.from(statements, ([, clause]) => /\{([^}]*)\}/.exec(clause)?.[1] ?? '');
  const names = lists.flatMap((list) => list.split(',')).map((name) => name.trim().split(/\s+as\s+/)[0]);
  return [...new Set(names.filter((name) => name !== '' && name !== 'default'))];
}

function placeholder(names) {
  return [
    'class Missing {}',
    'const get = (target, key) => (key in target ? target[key] : missing);',
    'const missing = new Proxy(Missing, { get, apply: () => missing });',
    'export default missing;',
    ...names.map((name) => `export const ${name} = missing;`),
  ].join('\n');
}
