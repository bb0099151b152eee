/**
 * The public API as text, from the declarations of the build: every name of every entry point with its type, and the
 * types that they use without exporting them. `docs/reference/api.txt` is this text.
 */

import { readFileSync } from 'node:fs';
import { posix, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'vite';

const root = fileURLToPath(new URL('../..', import.meta.url));
const parsed = new Map();

/** A declaration file: where its names come from, and the statements that declare them. */
function readDeclarations(path) {
  const known = parsed.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(join(root, path.replace(/\.ts$/, '.d.ts')), 'utf8');
  const { program, errors } = parseSync(`${path}.d.ts`, text);
  if (errors.length > 0) throw new SyntaxError(`${path}: ${errors[0].message}`);
  const file = { path, text, imports: new Map(), exports: new Map(), declared: new Map() };
  for (const statement of program.body) addStatement(file, statement);
  parsed.set(path, file);
  return file;
}

function addStatement(file, statement) {
  const source = statement.source?.value;
  const from = source?.startsWith('.') ? posix.join(posix.dirname(file.path), source) : undefined;
  for (const { type, local, imported, exported } of statement.specifiers ?? []) {
    if (type === 'ImportSpecifier') file.imports.set(local.name, { from, source, name: imported.name });
    else if (type === 'ExportSpecifier') file.exports.set(exported.name, { from, source, name: local.name });
    else file.imports.set(local.name, { from: undefined, source, name: '*' });
  }
  const declaration = statement.declaration ?? (statement.type.startsWith('Export') ? undefined : statement);
  for (const name of declaredNames(declaration)) {
    const others = file.declared.get(name) ?? [];
    file.declared.set(name, [...others, { start: statement.start, end: statement.end, node: declaration }]);
  }
}

function declaredNames(declaration) {
  if (declaration?.type === 'VariableDeclaration') return declaration.declarations.map(({ id }) => id.name);
  return typeof declaration?.id?.name === 'string' ? [declaration.id.name] : [];
}

/** The file and the name under which something is declared; undefined if it comes from a package. */
function findDeclaration(path, name) {
  const file = readDeclarations(path);
  if (file.declared.has(name)) return { file, name };
  const exported = file.exports.get(name);
  const link = exported?.source === undefined ? file.imports.get(exported?.name ?? name) : exported;
  if (link?.from !== undefined) return findDeclaration(link.from, link.name);
  return exported !== undefined && file.declared.has(exported.name) ? { file, name: exported.name } : undefined;
}

/** The text of a declaration, without comments and private members. */
function textOf({ file, name }) {
  const statements = file.declared.get(name).map(({ start, end }) => file.text.slice(start, end));
  return statements
    .join('\n')
    .replaceAll(/^ *\/\*\*[\s\S]*?\*\/\n/gm, '')
    .replaceAll(/^ *(?:private .*|#private);\n/gm, '')
    .replaceAll(/^export (?:declare )?|^declare /gm, '');
}

/** The names that a declaration mentions and that are declared elsewhere in the package. */
function mentionedIn({ file, name }) {
  const names = new Set();
  const visit = (node) => {
    if (node.type === 'Identifier') names.add(node.name);
    if (node.accessibility === 'private') return;
    for (const value of Object.values(node)) {
      for (const item of Array.isArray(value) ? value : [value]) if (typeof item?.type === 'string') visit(item);
    }
  };
  for (const { node } of file.declared.get(name)) visit(node);
  names.delete(name);
  return [...names].flatMap((each) => findDeclaration(file.path, each) ?? []);
}

const keyOf = ({ file, name }) => `${file.path} ${name}`;

/** By entry point, sorted: what it exports. */
function entryPoints() {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.entries(exports).flatMap(([entry, { types }]) => {
    if (types === undefined) return [];
    const path = posix.normalize(types).replace(/\.d\.ts$/, '.ts');
    const names = [...readDeclarations(path).exports.keys()].toSorted((a, b) => (a < b ? -1 : 1));
    return [
      {
        entry: posix.join('bridle', entry),
        names: names.map((name) => ({ name, found: findDeclaration(path, name) })),
      },
    ];
  });
}

/** A list of sections: an entry point with the texts of its names, and last the types that are not exported. */
export function apiReport() {
  const entries = entryPoints();
  const printed = new Map();
  const queue = [];
  const sections = entries.map(({ entry, names }) => ({
    title: `${entry}: ${names.length} names`,
    texts: names.map(({ name, found }) => {
      if (found === undefined) return `${name}: from another package`;
      const known = printed.get(keyOf(found));
      if (known !== undefined) return `${name}: see ${known}`;
      printed.set(keyOf(found), `${entry}${found.name === name ? '' : `, ${name}`}`);
      queue.push(found);
      return found.name === name ? textOf(found) : `${name} =\n${textOf(found)}`;
    }),
  }));
  const inner = [];
  for (const declaration of queue) {
    for (const mentioned of mentionedIn(declaration)) {
      if (printed.has(keyOf(mentioned))) continue;
      printed.set(keyOf(mentioned), 'inner');
      queue.push(mentioned);
      inner.push(mentioned);
    }
  }
  inner.sort((a, b) => (a.name + keyOf(a) < b.name + keyOf(b) ? -1 : 1));
  return [...sections, { title: `used by these types, not exported: ${inner.length}`, texts: inner.map(textOf) }];
}

export function toText(sections) {
  return sections.map(({ title, texts }) => `${'='.repeat(20)} ${title}\n\n${texts.join('\n\n')}\n`).join('\n');
}
