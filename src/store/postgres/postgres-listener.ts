/**
 * Receives notifications from other processes over its own connection. After a reconnect, all listeners are woken,
 * because notifications sent in the meantime are lost.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { Client as PgClient } from 'pg';
import type { PostgresConnection } from './postgres-connection.ts';
import { postgresError } from './postgres-error.ts';
import type { Topics } from '../database/topics.ts';

const firstPauseMs = 100;
const longestPauseMs = 5000;
/** Detects a dead connection, which otherwise looks like an idle one. */
const pingMs = 15_000;

/** Adds methods missing from the types. */
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

  /** The notification channel of a schema. The payload is the topic. */
  get channel(): string {
    return `bridle_${this.connection.schema}`;
  }

  /** Resolves when all later notifications will be received. */
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
      // A connection without listeners must not keep the process alive.
      if (this.topics.isEmpty) this.client?.unref();
    };
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.ping);
    await this.connecting?.catch(() => undefined);
    // Without `ref`, the process could exit while the connection is closing.
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
    // `end` is emitted as well; without a listener an error would crash the process.
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
        continue; // Still unreachable; reads and writes report why.
      }
    }
  }
}
