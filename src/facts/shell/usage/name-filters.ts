/** Options that select files below a folder: `grep --include='*.ts'`, `rg -g '*.ts'`, `rg -t ts`. */

import type { NameFilter } from './value-role.ts';
import type { ShellWord } from '../words/shell-word.ts';

export type FilterKind = 'include' | 'exclude' | 'prune' | 'globs' | 'types' | 'unfiltered';

export const filterKinds: readonly FilterKind[] = ['include', 'exclude', 'prune', 'globs', 'types', 'unfiltered'];

/** File names of each type, for every version of ripgrep. An unlisted type may match any name. */
const types: Readonly<Record<string, string>> = {
  ts: '*.ts *.tsx *.cts *.mts',
  typescript: '*.ts *.tsx *.cts *.mts',
  js: '*.js *.jsx *.vue *.cjs *.mjs',
  py: '*.py *.pyi',
  python: '*.py *.pyi',
  rust: '*.rs',
  go: '*.go',
  java: '*.java *.jsp *.jspx *.properties',
  kotlin: '*.kt *.kts',
  swift: '*.swift',
  php: '*.php *.php? *.phtml',
  css: '*.css *.scss',
  html: '*.ejs *.htm *.html',
  md: '*.markdown *.md *.mdown *.mdwn *.mkd *.mkdn *.mdx',
  markdown: '*.markdown *.md *.mdown *.mdwn *.mkd *.mkdn *.mdx',
  json: '*.json composer.lock *.sarif',
  yaml: '*.yaml *.yml',
  toml: '*.toml Cargo.lock',
  sql: '*.sql *.psql',
  lua: '*.lua',
};

/** An unknown value counts as the pattern that reads the most files. */
export function filtersOf(mark: FilterKind, value: ShellWord | undefined): readonly NameFilter[] {
  const text = value?.type === 'literal' ? value.value : undefined;
  switch (mark) {
    case 'include':
      return [{ type: mark, pattern: isPlain(text) ? text : '*' }];
    case 'exclude':
    case 'prune':
      return isPlain(text) ? [{ type: mark, pattern: text }] : [{ type: mark, pattern: '.' }];
    // find joins its conditions in another way, so a single one proves nothing.
    case 'unfiltered':
      return [{ type: 'include', pattern: '*' }];
    case 'globs':
      return text?.startsWith('!') === true
        ? []
        : alternatives(baseOf(text)).map((pattern) => ({ type: 'glob', pattern }));
    case 'types':
      return (types[text ?? ''] ?? '*').split(' ').map((pattern) => ({ type: 'glob', pattern }));
    default:
      return mark satisfies never;
  }
}

/** The pattern for the last name of a path: `*.ts` for `src/**\/*.ts`. */
function baseOf(text: string | undefined): string | undefined {
  return text?.includes('{') === true ? text : text?.slice(text.lastIndexOf('/') + 1);
}

/** True for a pattern that every program reads the same way. */
function isPlain(text: string | undefined): text is string {
  return text !== undefined && /^[^/\\[\]{}()!|+@]+$/u.test(text);
}

/** `*.{ts,tsx}` as `*.ts` and `*.tsx`. */
function alternatives(text: string | undefined): readonly string[] {
  const [, before = '', inner, after = ''] = /^([^{}]*)\{([^{}]*)\}([^{}]*)$/u.exec(text ?? '') ?? [];
  const patterns = inner === undefined ? [text] : inner.split(',').map((part) => before + part + after);
  return patterns.every(isPlain) ? patterns : ['*'];
}
