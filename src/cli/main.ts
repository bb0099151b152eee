#!/usr/bin/env node
/**
 * The command `bridle`. What it needs is loaded when it is needed, so that small questions get quick answers: the build
 * makes one CommonJS file of this one, and another of everything the quick commands need.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exitCodes } from './exit/exit-codes.ts';
import { runQuickBundle } from './quick-bundle.ts';

const argv = process.argv.slice(2);
const version = (): string => {
  const manifest = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8');
  return (JSON.parse(manifest) as { readonly version: string }).version;
};

/** Whoever reads no further, as `head` does, wants no more. A command that ends in order by itself listens, too. */
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', () => {
    if (stream.listenerCount('error') === 1) process.exit(exitCodes.brokenPipe);
  });
}

async function start(): Promise<number> {
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    process.stdout.write(`${version()}\n`);
    return 0;
  }
  const quick =
    argv[0] === 'check' ? await runQuickBundle(join(import.meta.dirname, 'quick.cjs'), argv.slice(1)) : undefined;
  // Quick commands have written everything by now: there is nothing to wait for, and nothing to tidy up.
  if (quick !== undefined) process.exit(quick);
  const { runCommandLine } = await import('./command-line.ts');
  const { stdin, stdout, stderr, env } = process;
  return runCommandLine(argv, { stdin, stdout, stderr }, { version: version(), env });
}

void start().then((code) => {
  // Set, not exited with: whatever is still being written gets out.
  process.exitCode = code;
});
