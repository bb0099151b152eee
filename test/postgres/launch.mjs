/** Starts real Postgres servers: each with a data folder of its own, and none left running when this process is gone. */

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { password, user } from './native.mjs';

export { postgresMissing } from './native.mjs';

/** Starts a server; `sync: false` where no figure or fault depends on the disk. */
export async function startPostgres(options = {}) {
  const keeper = fork(fileURLToPath(new URL('keeper.mjs', import.meta.url)), [JSON.stringify(options)], {
    execArgv: [],
  });
  const waiting = new Map();
  let count = 0;
  keeper.on('message', ({ id, error, port }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) resolve(port);
    else reject(new Error(error));
  });
  keeper.on('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`The keeper of Postgres ended with ${code}.`));
    waiting.clear();
  });
  // A server alone keeps no process alive; an order that is being carried out does.
  const tell = async (does) => {
    keeper.channel?.ref();
    try {
      return await new Promise((resolve, reject) => {
        waiting.set(++count, { resolve, reject });
        keeper.send({ id: count, does });
      });
    } finally {
      if (waiting.size === 0) keeper.channel?.unref();
    }
  };
  keeper.unref();

  const port = await tell('start').catch((error) => {
    keeper.disconnect();
    throw error;
  });
  return {
    url: `postgres://${user}:${password}@127.0.0.1:${port}/postgres`,
    kill: async () => void (await tell('kill')),
    stop: async () => void (await tell('stop')),
    restart: async () => void (await tell('start')),
    remove: async () => {
      await tell('remove');
      keeper.disconnect();
    },
  };
}
