/** Random command lines with every operator and construct of bash, and what is known of each by construction. */

import { Choices } from './choices.ts';
import { growCode } from './grow-code.ts';
import { growCompound } from './grow-compound.ts';
import { growExpansion } from './grow-expansion.ts';
import { growList, join } from './grow-list.ts';
import { growSimple } from './grow-simple.ts';
import { growWrapped } from './grow-wrapped.ts';
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

  constructor(world: World, { choices, spelling, planted, from = 0 }: Growth) {
    this.world = world;
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
    if (depth <= 0 || this.choices.spent) return this.take() ?? growSimple(this);
    const grown = this.choices.pick(growSimple, growList, growCompound, growExpansion, growCode, growWrapped);
    return grown(this, depth - 1);
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

export interface Tree {
  readonly piece: Piece;
  readonly line: string;
  readonly started: ReadonlySet<string>;
  readonly traits: ReadonlySet<Trait>;
}

export function growTree(world: World, growth: Growth): Tree {
  const grower = new Grower(world, growth);
  const grown = grower.grow(4);
  const left = grower.take();
  const piece = left === undefined ? grown : join('&&', grown, left);
  return { piece, line: closed(piece), started: grower.started, traits: grower.traits };
}
