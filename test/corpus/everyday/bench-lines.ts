/** The lines of the bench's shell suite. They were written to measure time, so no policy was tuned with them. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { EverydayCase } from './everyday-case.ts';

const file = fileURLToPath(new URL('../../../bench/shell/commands.txt', import.meta.url));

/** Lines that certainly touch protected files. */
const denies: Readonly<Record<string, string>> = {
  'cp .env.example .env': 'writes .env',
  '[ -f .env ] || cp .env.example .env': 'writes .env',
  'cat > .env <<EOF\nPORT=3000\nDATABASE_URL=postgres://localhost/app_dev\nEOF': 'writes .env',
  'chmod 600 ~/.ssh/id_ed25519': 'changes a key',
  'openssl x509 -in cert.pem -noout -dates -subject': 'reads a .pem file',
  'chown -R "$USER":"$(id -gn)" .': 'changes the policy file',
  'ln -sf ../../scripts/pre-commit .git/hooks/pre-commit': 'writes a git hook',
  'git push --force-with-lease origin feature/login': 'a force push',
};

/** One command per line of the file; continuation lines start with a tab. All are decided in one project. */
export function benchCases(): EverydayCase[] {
  const lines = readFileSync(file, 'utf8')
    .trimEnd()
    .split(/\n(?!\t)/)
    .map((line) => line.replaceAll('\n\t', '\n'));
  return lines.map((line, index) => {
    const why = Object.hasOwn(denies, line) ? denies[line] : undefined;
    const id = `bench-${String(index + 1).padStart(4, '0')}`;
    return { id, class: 'bench', folder: 'ts', line, held: true, ...(why !== undefined && { denies: why }) };
  });
}
