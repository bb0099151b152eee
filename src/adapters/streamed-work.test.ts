import fc from 'fast-check';
import { expect, test } from 'vitest';
import { drain, streamWork } from './streamed-work.ts';

async function read<Event, Result>(
  source: AsyncGenerator<Event, Result, undefined>,
): Promise<{ readonly events: readonly Event[]; readonly result: Result }> {
  const events: Event[] = [];
  const result = await drain(source, (event) => events.push(event), new AbortController().signal);
  return { events, result };
}

test('work emits all events in order, whenever it emits them, and then its result', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ event: fc.nat(), waits: fc.boolean() })), async (steps) => {
      const source = streamWork<number, string>(async (emit) => {
        for (const { event, waits } of steps) {
          if (waits) await Promise.resolve();
          emit(event);
        }
        return 'the end';
      });
      expect(await read(source)).toEqual({ events: steps.map(({ event }) => event), result: 'the end' });
    }),
  );
});

test('an event arrives while the work still runs', async () => {
  let finish: (() => void) | undefined;
  const source = streamWork<string, string>(async (emit) => {
    emit('early');
    await new Promise<void>((resolve) => (finish = resolve));
    return 'late';
  });
  expect(await source.next()).toEqual({ done: false, value: 'early' });
  finish?.();
  expect(await source.next()).toEqual({ done: true, value: 'late' });
});

test('an error of the work comes after its events', async () => {
  const source = streamWork<string, never>(async (emit) => {
    emit('before');
    throw new Error('broken');
  });
  expect(await source.next()).toEqual({ done: false, value: 'before' });
  await expect(source.next()).rejects.toThrow('broken');
});

test('a reader that stops closes the source of the events', async () => {
  let isClosed = false;
  async function* numbers(): AsyncGenerator<number, void, undefined> {
    try {
      for (let number = 0; ; number++) {
        await new Promise((resolve) => setImmediate(resolve));
        yield number;
      }
    } finally {
      isClosed = true;
    }
  }
  const source = streamWork<number, void>((emit, closed) => drain(numbers(), emit, closed));
  expect(await source.next()).toEqual({ done: false, value: 0 });
  await source.return();
  await expect.poll(() => isClosed).toBe(true);
});
