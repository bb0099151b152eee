/** Runs once, before the first request. The key must be opened before the first session of the agent. */
export async function register() {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const { openServer } = await import('./lib/server.js');
  const { login } = await openServer();
  console.log(`Open http://127.0.0.1:${process.env.PORT ?? 3000}/#${login}`);
}
