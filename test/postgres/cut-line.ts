/** A line to a server that is cut in the moment somebody says a certain word. */

import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface CutLine {
  /** The server's URL, by way of this line. */
  readonly url: string;
  /** Cuts the connection on which the word is next said: before the server hears it, or before it can answer. */
  cutAt(word: string, when: 'before' | 'after'): void;
  /** The server hears something else than the word that is next said. */
  garble(word: string): void;
  close(): Promise<void>;
}

export async function cutLine(serverUrl: string): Promise<CutLine> {
  const target = new URL(serverUrl);
  const open = new Set<Socket>();
  let cut: { readonly word: string; readonly when: 'before' | 'after' } | undefined;

  let garbled: string | undefined;

  const line = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    let silent = false;
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('error', () => undefined);
    }
    near.on('close', () => far.end());
    far.on('close', () => near.destroy());
    far.on('data', (data) => {
      if (!silent) near.write(data);
    });
    near.on('data', (data) => {
      const said = cut !== undefined && data.includes(cut.word) ? cut : undefined;
      if (said === undefined) {
        const at = garbled === undefined ? -1 : data.indexOf(garbled);
        if (at !== -1) {
          garbled = undefined;
          data[at] = '?'.charCodeAt(0);
        }
        far.write(data);
        return;
      }
      cut = undefined;
      silent = true;
      // What was written before the end is heard.
      if (said.when === 'after') far.write(data);
      far.end();
      near.destroy();
    });
  });
  line.listen(0, '127.0.0.1');
  await once(line, 'listening');
  const url = new URL(serverUrl);
  url.port = String((line.address() as AddressInfo).port);
  return {
    url: url.href,
    cutAt: (word, when) => {
      cut = { word, when };
    },
    garble: (word) => {
      garbled = word;
    },
    close: async () => {
      for (const socket of open) socket.destroy();
      line.close();
      await once(line, 'close');
    },
  };
}
