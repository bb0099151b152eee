/** Generates a random command line, and records what is known about it by construction. */

import { Choices } from './choices.ts';
import { closed, type Piece } from './piece.ts';

/** The building blocks of lines. */
export interface World {
  /** Programs with the arguments they may get. */
  readonly programs: readonly (readonly [name: string, ...args: string[]])[];
  /** Text that may precede a program name. */
  readonly paths: readonly [string, ...string[]];
  /** True: the line will be run, so that nothing but the programs of the world may start. */
  readonly real: boolean;
}

/** A property of a line that matters to a law. */
export type Trait =
  | 'writes'
  | 'assigns'
  | 'path'
  | 'open'
  /** The spelling may make answers unknown. */
  | 'spelled';

/** Grows something around what it asks the grower for. */
export type Grow = (grower: Grower, depth: number) => Piece;
/** The first without parts. */
export type Growers = readonly [Grow, ...Grow[]];

export class Grower {
  readonly choices: Choices;
  readonly spelling: Choices;
  readonly world: World;
  /** Every program that stands where bash may start it. */
  started = new Set<string>();
  traits = new Set<Trait>();
  /** Replaces the first simple command, once. */
  private planted: Piece | undefined;
  private made: number;
  private readonly growers: Growers;

  constructor(world: World, growers: Growers, { choices, spelling, planted, from = 0 }: Growth) {
    this.world = world;
    this.growers = growers;
    this.choices = new Choices(choices);
    this.spelling = new Choices(spelling);
    this.planted = planted;
    this.made = from;
  }

  /** A number that was not used before. */
  fresh(): number {
    this.made += 1;
    return this.made;
  }

  /** Any construct that can replace a command. */
  grow(depth: number): Piece {
    const [simple, ...others] = this.growers;
    if (depth <= 0 || this.choices.spent) return this.take() ?? simple(this, 0);
    return this.choices.pick(simple, ...others)(this, depth - 1);
  }

  take(): Piece | undefined {
    const { planted } = this;
    this.planted = undefined;
    return planted;
  }

  /** The same as separate text. */
  code(depth: number): string {
    return closed(this.grow(depth));
  }

  /** Code that nothing runs. */
  idle(depth: number): string {
    const { started, traits, planted } = this;
    this.started = new Set();
    this.traits = new Set();
    this.planted = undefined;
    const code = this.code(depth);
    Object.assign(this, { started, traits, planted });
    return code;
  }
}

/** The same choices give the same commands; `spelling` decides how they are written, plainly if not given. */
export interface Growth {
  readonly choices: readonly number[];
  readonly spelling?: readonly number[] | undefined;
  /** A part that the tree certainly contains. */
  readonly planted?: Piece | undefined;
  /** Where the numbers in its names start. */
  readonly from?: number | undefined;
}
