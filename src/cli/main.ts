#!/usr/bin/env node
/** The command `bridle`. What it needs is loaded when it is needed, so that small questions get quick answers. */

import { readFileSync } from 'node:fs';

const argv = process.argv.slice(2);
const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};
const { version } = manifest;

if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  process.stdout.write(`${version}\n`);
} else {
  const { runCommandLine } = await import('./command-line.ts');
  const { stdin, stdout, stderr, env } = process;
  // Set, not exited with: whatever is still being written gets out.
  process.exitCode = await runCommandLine(argv, { stdin, stdout, stderr }, { version, env });
}
