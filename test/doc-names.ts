/**
 * Finds the names in the columns headed "in Bridle" and turns them into code that compiles only if they exist:
 * `ctx.session`, `createAgent({ hooks })`, `postToolCall.elapsedMs`, `tool_denied`.
 */

import type { DocProgram } from './doc-programs.ts';

/** A row of a table with a column "in Bridle": the other system's names, and Bridle's. */
export interface NameRow {
  readonly path: string;
  readonly line: number;
  readonly elsewhere: readonly string[];
  readonly inBridle: readonly string[];
}

export function nameRowsIn(path: string, text: string): NameRow[] {
  const rows: NameRow[] = [];
  let column = -1;
  for (const [at, line] of text.split('\n').entries()) {
    const cells = line.startsWith('|') ? line.split('|').slice(1, -1) : [];
    if (cells.length === 0) column = -1;
    else if (column === -1) column = cells.findIndex((cell) => cell.trim() === 'in Bridle') || -1;
    else rows.push({ path, line: at + 1, elsewhere: codeIn(cells[0]), inBridle: codeIn(cells[column]) });
  }
  return rows.filter(({ inBridle }) => inBridle.length > 0);
}

function codeIn(cell = ''): string[] {
  return Array.from(cell.matchAll(/`([^`]+)`/g), ([, code = '']) => code);
}

/** The public names by entry point, read from the list of the public API. */
export function publicNames(api: string): ReadonlyMap<string, string> {
  const [exported = ''] = api.split(/^=+ used by these types/m);
  const names = new Map<string, string>();
  for (const section of exported.split(/^=+ /m).slice(1)) {
    const entry = /^[\w/-]+/.exec(section)?.[0] ?? '';
    for (const [, name = ''] of section.matchAll(/^(?:abstract )?(?:class|const|function|interface|type) (\w+)/gm)) {
      if (!names.has(name)) names.set(name, entry);
    }
  }
  return names;
}

/** The types of values that documents name like variables. */
const variables: Readonly<Record<string, string>> = {
  ctx: 'HookContext',
  agent: 'Agent',
  guard: 'Guard',
  policy: 'Policy',
  session: 'Session',
  turn: 'Turn',
};

/**
 * A program that compiles only if the names of these rows exist. Each line is at the line of its row. The names of
 * `others` are left out: they are not names of TypeScript.
 */
export function namesProgram(
  rows: readonly [NameRow, ...NameRow[]],
  { names, others }: { names: ReadonlyMap<string, string>; others: (name: string) => boolean },
): DocProgram {
  const lines: string[] = ['declare const any: never;'];
  for (const { line, inBridle } of rows) {
    const typed = inBridle.filter((name) => !others(name));
    lines[line - 1] = typed.map((name) => compilable(name, names)).join(' ');
  }
  const code = `${Array.from(lines, (line) => line ?? '').join('\n')}\nexport {};\n`;
  return { path: rows[0].path, line: 0, code, runs: false, alone: false, output: undefined };
}

/** Code that compiles only if the name exists. */
function compilable(name: string, names: ReadonlyMap<string, string>): string {
  if (/^[a-z]+(?:_[a-z]+)+$/.test(name)) return `void ('${name}' satisfies import('bridle').BridleEvent['type']);`;
  const [, head, path = '', args = ''] = /^(\w+)((?:\.\w+)*)(?:\((.*)\))?$/.exec(name) ?? [];
  if (head === undefined) return `void (${JSON.stringify(name)} satisfies never);`;
  const type = typeNamed(head, path, names);
  const fields = path.split('.').slice(1);
  const member = fields.map((field) => `['${field}']`).join('');
  const checks = [`void (any as NonNullable<${type}${member}>);`];
  for (const [at, arg] of topLevel(args).entries()) {
    if (!arg.startsWith('{')) continue;
    const filled = arg.replaceAll(/([{,]\s*)(\w+)(?=\s*[,}])/g, '$1$2: any');
    checks.push(`void (${filled} satisfies Partial<NonNullable<Parameters<${type}${member}>[${at}]>>);`);
  }
  return checks.join(' ');
}

/** The type of a name. For an unknown name, it does not compile. */
function typeNamed(head: string, path: string, names: ReadonlyMap<string, string>): string {
  const name = path === '' ? head : (variables[head] ?? head);
  const entry = names.get(name) ?? 'bridle';
  if (/^[A-Z]/.test(name)) return `import('${entry}').${name}`;
  return path === '' ? `typeof import('${entry}').${name}` : `import('bridle').PointPayloads['${name}']`;
}

/** The arguments of a call, split at commas outside braces. */
function topLevel(args: string): string[] {
  return Array.from(args.matchAll(/\{(?:[^{}]|\{[^{}]*\})*\}|[^,{}]+/g), ([arg]) => arg.trim()).filter(
    (arg) => arg !== '',
  );
}
