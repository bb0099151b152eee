import type { FolderView } from './folder-view.ts';

const secretName =
  /^\.env(?!\.(?:example|sample|template|dist)$)(?:\..*)?$|\.(?:pem|key|p12|pfx)$|^id_(?:rsa|ed25519)$/;
const maxNamed = 5;

/** Files with secrets in the folder that .gitignore does not list, so a search of the folder would show them. */
export function findUnignoredSecrets(view: FolderView): string[] {
  const secrets = view.names().filter((name) => secretName.test(name) && /^[\w.-]+$/.test(name));
  const patterns = ignorePatterns(view.text('.gitignore') ?? '');
  return secrets.filter((name) => !isIgnored(name, patterns)).slice(0, maxNamed);
}

interface IgnorePattern {
  readonly ignores: boolean;
  readonly names: RegExp;
}

/** Only patterns for names in this folder. Patterns that are not understood ignore nothing. */
function ignorePatterns(text: string): IgnorePattern[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [, not = '', pattern = ''] = /^(!?)(?:\*\*\/|\/)?([\w.*-]{1,80})[ \t]*$/.exec(line) ?? [];
    // Many stars could make matching extremely slow.
    if (pattern === '' || pattern.split('*').length > 4) return [];
    const source = pattern.replaceAll('.', String.raw`\.`).replaceAll(/\*+/g, '[^/]*');
    return [{ ignores: not === '', names: new RegExp(`^${source}$`) }];
  });
}

/** The last matching pattern decides. */
function isIgnored(name: string, patterns: readonly IgnorePattern[]): boolean {
  return patterns.findLast(({ names }) => names.test(name))?.ignores ?? false;
}
