/** Random command lines with every operator and construct of bash. */

import { growCode } from './grow-code.ts';
import { growCompound } from './grow-compound.ts';
import { growExpansion } from './grow-expansion.ts';
import { growList, join } from './grow-list.ts';
import { growSimple } from './grow-simple.ts';
import { growWrapped } from './grow-wrapped.ts';
import { Grower, type Growers, type Growth, type Trait, type World } from './grower.ts';
import { closed, type Piece } from './piece.ts';

const growers: Growers = [growSimple, growList, growCompound, growExpansion, growCode, growWrapped];

export interface Tree {
  readonly piece: Piece;
  readonly line: string;
  readonly started: ReadonlySet<string>;
  readonly traits: ReadonlySet<Trait>;
}

export function growTree(world: World, growth: Growth): Tree {
  const grower = new Grower(world, growers, growth);
  const grown = grower.grow(4);
  const left = grower.take();
  const piece = left === undefined ? grown : join('&&', grown, left);
  return { piece, line: closed(piece), started: grower.started, traits: grower.traits };
}
