/** The types of expressions, as far as they are known when the policy is loaded. */

export type CelType =
  | { readonly kind: 'dyn' | 'bool' | 'int' | 'double' | 'string' | 'null' }
  | { readonly kind: 'list'; readonly item: CelType }
  | MapType;

export interface MapType {
  readonly kind: 'map';
  readonly fields: ReadonlyMap<string, FieldType>;
  /** True if the map can have other fields. */
  readonly open: boolean;
}

export interface FieldType {
  readonly type: CelType;
  readonly presence: Presence;
}

/** Whether a field exists: always, sometimes, or not specified. */
type Presence = 'always' | 'sometimes' | 'unspecified';

export const dyn: CelType = { kind: 'dyn' };
/** The type of a rejected expression. It causes no further messages. */
export const invalidType: CelType = { kind: 'dyn' };
export const bool: CelType = { kind: 'bool' };
export const int: CelType = { kind: 'int' };
export const double: CelType = { kind: 'double' };
export const string: CelType = { kind: 'string' };
export const nullType: CelType = { kind: 'null' };
/** A map with unknown fields. */
export const anyMap: MapType = { kind: 'map', fields: new Map(), open: true };

const uncertainty: Readonly<Record<Presence, number>> = { always: 0, unspecified: 1, sometimes: 2 };

export function isNumber({ kind }: CelType): boolean {
  return kind === 'int' || kind === 'double';
}

/** The type of a value that has one of two types. */
export function unionType(a: CelType, b: CelType): CelType {
  if (a === b) return a;
  if (isNumber(a) && isNumber(b)) return a.kind === b.kind ? a : double;
  if (a.kind === 'list' && b.kind === 'list') return { kind: 'list', item: unionType(a.item, b.item) };
  if (a.kind === 'map' && b.kind === 'map') return unionOfMaps([a, b]);
  return a.kind === b.kind ? a : dyn;
}

/**
 * The type of a map that has one of these types. Computed in one pass, because a rule can apply to thousands of tools.
 */
export function unionOfMaps(maps: readonly MapType[]): MapType {
  const closed = maps.filter(({ open }) => !open).length;
  const found = new Map<string, { type: CelType; presence: Presence; inClosed: number; inOpen: number }>();
  for (const map of maps) {
    for (const [name, { type, presence }] of map.fields) {
      const known = found.get(name) ?? { type, presence, inClosed: 0, inOpen: 0 };
      const counted = map.open ? { inOpen: known.inOpen + 1 } : { inClosed: known.inClosed + 1 };
      found.set(name, {
        ...known,
        type: unionType(known.type, type),
        presence: lessCertain(known.presence, presence),
        ...counted,
      });
    }
  }
  const fields = new Map<string, FieldType>();
  for (const [name, { type, presence, inClosed, inOpen }] of found) {
    const presenceElsewhere =
      inClosed < closed ? 'sometimes' : inOpen < maps.length - closed ? 'unspecified' : 'always';
    fields.set(name, { type, presence: lessCertain(presence, presenceElsewhere) });
  }
  return { kind: 'map', fields, open: closed < maps.length };
}

function lessCertain(a: Presence, b: Presence): Presence {
  return uncertainty[a] > uncertainty[b] ? a : b;
}

/** True if values of the two types can be equal. */
export function canEqual(a: CelType, b: CelType): boolean {
  if (a.kind === 'dyn' || b.kind === 'dyn' || a.kind === 'null' || b.kind === 'null') return true;
  if (a.kind === 'list' && b.kind === 'list') return canEqual(a.item, b.item);
  return a.kind === b.kind || (isNumber(a) && isNumber(b));
}

/** The type as shown in messages: `an int`, `a list(string)`. */
export function describeType(type: CelType): string {
  const name = typeName(type);
  return `${name === 'int' ? 'an' : 'a'} ${name}`;
}

function typeName(type: CelType): string {
  return type.kind === 'list' ? `list(${typeName(type.item)})` : type.kind;
}
