/**
 * The installed hook handler: `bridle hook` with nothing around it. It is copied to Bridle's own folder together with its
 * code, so it works without the package that installed it.
 */

import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { runQuickBundle } from './quick-bundle.ts';

/** Every way of not answering must block the call: hosts run it otherwise. */
function block(reason: string): never {
  try {
    writeSync(2, `Bridle: ${reason}, so the call is blocked; see: npx bridle doctor\n`);
  } finally {
    // Even if nobody reads the reason, the exit code blocks.
    process.exit(2);
  }
}

process.on('uncaughtException', (error: unknown) => block(`the hook failed: ${String(error)}`));
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGPIPE'] as const) {
  process.on(signal, () => block(`the hook was stopped by ${signal}`));
}

const argv = process.argv.slice(2);
// Not from the environment: a repository can set it.
const home = argv[argv.indexOf('--home') + 1];
const bundle = join(import.meta.dirname, 'hook-code.cjs');
runQuickBundle(bundle, argv, argv.includes('--home') ? home : undefined).then(
  (code) => (code === undefined ? block('the code of the hook is missing') : process.exit(code)),
  (error: unknown) => block(`the hook failed: ${String(error)}`),
);
