/**
 * Hears what other processes tell, over one connection of its own. When it was lost, everybody is woken after it is back:
 * what was told meanwhile is not told again.
 */

import { Client as PgClient } from 'pg';
import type { PostgresConnection } from './postgres-connection.ts';
import { postgresError } from './postgres-error.ts';
import { sleep } from '../database/sleep.ts';
import type { Topics } from '../database/topics.ts';

const firstPauseMs = 100;
const longestPauseMs = 5000;
/** A line that is cut silently looks like one where nobody speaks. */
const pingMs = 15_000;

/** With what its types leave out. */
type Client = PgClient & { ref(): void; unref(): void };

export class PostgresListener {
  private client: Client | undefined;
  private connecting: Promise<void> | undefined;
  private ping: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    private readonly connection: PostgresConnection,
    private readonly topics: Topics,
  ) {}

  /** The channel everything of a schema is told on; the topic is what is said. */
  get channel(): string {
    return `bridle_${this.connection.schema}`;
  }

  /** Settles when whatever is told from now on is heard. */
  async listen(topic: string, wake: () => void): Promise<() => void> {
    const remove = this.topics.add(topic, wake);
    try {
      await this.ensureConnected();
    } catch (error) {
      remove();
      throw postgresError(this.connection, error);
    }
    this.client?.ref();
    return () => {
      remove();
      // A connection that nobody waits for keeps no process alive.
      if (this.topics.isEmpty) this.client?.unref();
    };
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.ping);
    await this.connecting?.catch(() => undefined);
    // Unwatched it would let the process end in the middle of closing.
    this.client?.ref();
    await this.client?.end();
  }

  private async ensureConnected(): Promise<void> {
    if (this.client !== undefined) return;
    this.connecting ??= this.connect().finally(() => (this.connecting = undefined));
    await this.connecting;
  }

  private async connect(): Promise<void> {
    const client = new PgClient(this.connection.config) as Client;
    // Told by `end` as well; unheard, an error would end the process.
    client.on('error', () => undefined);
    client.on('end', () => void this.reconnect(client));
    client.on('notification', ({ payload }) => this.topics.wake(payload ?? ''));
    await client.connect();
    await client.query(`LISTEN ${this.channel}`);
    this.client = client;
    clearInterval(this.ping);
    this.ping = setInterval(() => void this.probe(client), pingMs);
    this.ping.unref();
  }

  private async probe(client: Client): Promise<void> {
    try {
      await client.query('SELECT 1');
    } catch {
      void this.reconnect(client);
      await client.end().catch(() => undefined);
    }
  }

  private async reconnect(client: Client): Promise<void> {
    if (this.client !== client) return;
    this.client = undefined;
    clearInterval(this.ping);
    for (let pause = firstPauseMs; !this.closed && !this.topics.isEmpty; pause = Math.min(pause * 2, longestPauseMs)) {
      await sleep(pause);
      if (this.closed) return;
      try {
        await this.ensureConnected();
        this.topics.wakeAll();
        return;
      } catch {
        continue; // The server is still away: whoever reads or writes is told why.
      }
    }
  }
}
