/** Changing parts of data: what is not changed is not copied, what is copied is frozen and keeps its order. */

export type Fields = Readonly<Record<string, unknown>>;

export function mapList(list: readonly unknown[], change: (value: unknown, at: number) => unknown): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let at = 0; at < list.length; at++) {
    const value = list[at];
    const changed = change(value, at);
    if (changed === value) continue;
    copy ??= [...list];
    copy[at] = changed;
  }
  return copy === undefined ? list : Object.freeze(copy);
}

/** The names of fields may change, too. */
export interface FieldChange {
  name(name: string): string;
  value(value: unknown, name: string): unknown;
}

export function mapFields(fields: Fields, change: FieldChange): Fields {
  let changes: Map<string, readonly [string, unknown]> | undefined;
  for (const name in fields) {
    const value = fields[name];
    const changed = value === undefined ? value : change.value(value, name);
    const renamed = change.name(name);
    if (changed === value && renamed === name) continue;
    changes ??= new Map();
    changes.set(name, [renamed, changed]);
  }
  if (changes === undefined) return fields;
  // Defines fields, also one that is called __proto__.
  return Object.freeze(Object.fromEntries(Object.entries(fields).map((field) => changes.get(field[0]) ?? field)));
}
