/** `npm run corpus`: runs main.ts from source, so that no build is needed. */

import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

// `npm run corpus -- everyday --json | head` ends the output early.
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

const server = await createServer({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  configFile: false,
  logLevel: 'error',
  appType: 'custom',
  optimizeDeps: { noDiscovery: true },
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
});
try {
  const { main } = await server.ssrLoadModule(fileURLToPath(new URL('main.ts', import.meta.url)));
  process.exitCode = await main(process.argv.slice(2));
} finally {
  await server.close();
}
