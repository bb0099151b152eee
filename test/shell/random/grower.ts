/** What grows a random command line, and what it knows of the line by construction. */

import { Choices } from './choices.ts';
import { closed, type Piece } from './piece.ts';

/** What lines are made of. */
export interface World {
  /** Programs with the arguments they may get. */
  readonly programs: readonly (readonly [name: string, ...args: string[]])[];
  /** What may stand before the name of a program. */
  readonly paths: readonly [string, ...string[]];
  /** True: the line will be run, so that nothing but the programs of the world may start. */
  readonly real: boolean;
}

/** Something about a line that matters to a law. */
export type Trait =
  | 'writes'
  | 'assigns'
  | 'path'
  | 'open'
  /** Answers may become unknown by the way it is spelled. */
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
  /** Stands where the first command without parts would, once. */
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

  /** Anything that can stand where a command can. */
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

  /** The same as text of its own. */
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
  /** A part that the tree surely has. */
  readonly planted?: Piece | undefined;
  /** Where the numbers in its names start. */
  readonly from?: number | undefined;
}
