/** Changing parts of data: what is not changed is not copied, what is copied is frozen and keeps its order. */

export type DataFields = Readonly<Record<string, unknown>>;

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

export function mapFields(fields: DataFields, change: FieldChange): DataFields {
  // Before any value: what lies in one is looked at once.
  for (const name in fields) if (change.name(name) !== name) return renamedFields(fields, change);
  let copy: Record<string, unknown> | undefined;
  for (const name in fields) {
    const value = fields[name];
    const changed = value === undefined ? value : change.value(value, name);
    if (changed === value) continue;
    copy ??= { ...fields };
    setField(copy, name, changed);
  }
  return copy === undefined ? fields : Object.freeze(copy);
}

/** Built anew, so that the order stays. */
function renamedFields(fields: DataFields, change: FieldChange): DataFields {
  const copy: Record<string, unknown> = {};
  for (const name in fields) {
    const value = fields[name];
    setField(copy, change.name(name), value === undefined ? value : change.value(value, name));
  }
  return Object.freeze(copy);
}

function setField(fields: Record<string, unknown>, name: string, value: unknown): void {
  // Setting a field of that name would do something else.
  if (name === '__proto__') Object.defineProperty(fields, name, { value, enumerable: true, configurable: true });
  else fields[name] = value;
}
