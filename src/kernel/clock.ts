/** The source of time. Tests pass a fake clock. */

export interface Clock {
  /** Monotonic time in milliseconds. */
  now(): number;
  /** Milliseconds since 1970. */
  wall(): number;
  /** Calls `tick` about every `ms` until the returned function is called. */
  every(ms: number, tick: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  every: (ms, tick) => {
    const timer = setInterval(tick, ms);
    return () => clearInterval(timer);
  },
};
