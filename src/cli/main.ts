#!/usr/bin/env node
/**
 * The `bridle` command. Code is loaded when it is needed, so that `bridle check` starts quickly: the build bundles this
 * file into one CommonJS file, and the quick commands into another.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exitCodes } from './command/exit-codes.ts';
import { runQuickBundle } from './quick-bundle.ts';

const argv = process.argv.slice(2);
const version = (): string => {
  const manifest = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8');
  return (JSON.parse(manifest) as { readonly version: string }).version;
};

/** Exits quietly on EPIPE, as when piped to `head`. Commands that shut down in order add their own listener. */
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
  const bundle = argv[0] === 'check' ? 'quick.cjs' : argv[0] === 'hook' ? 'hook-code.cjs' : undefined;
  const quick = bundle && (await runQuickBundle(join(import.meta.dirname, bundle), argv.slice(1)));
  // Quick commands write synchronously: no output is pending, and there is nothing to clean up.
  if (quick !== undefined) process.exit(quick);
  const { runCommandLine } = await import('./command-line.ts');
  const { stdin, stdout, stderr, env } = process;
  return runCommandLine(argv, { stdin, stdout, stderr }, { version: version(), env });
}

void start().then((code) => {
  // Not process.exit: pending output must still be written.
  process.exitCode = code;
});
