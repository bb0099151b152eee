/** Random decisions as a list of numbers, so that fast-check can make what grows from them smaller. */

import fc from 'fast-check';

/** Gives the numbers in turn, and zero once they are used up: the first of every alternative is the plainest. */
export class Choices {
  private readonly numbers: readonly number[];
  private at = 0;

  constructor(numbers: readonly number[] = []) {
    this.numbers = numbers;
  }

  get spent(): boolean {
    return this.at >= this.numbers.length;
  }

  /** A number from 0 to `count - 1`. */
  below(count: number): number {
    const number = this.numbers[this.at] ?? 0;
    this.at += 1;
    return number % count;
  }

  pick<T>(first: T, ...rest: readonly T[]): T {
    return rest[this.below(rest.length + 1) - 1] ?? first;
  }

  /** True once in `count` times. */
  once(count: number): boolean {
    return this.below(count) === count - 1;
  }
}

/** At most `length` numbers, all of them more often than not. */
export function numbers(length: number): fc.Arbitrary<readonly number[]> {
  return fc.array(fc.nat(255), { maxLength: length, size: 'max' });
}
