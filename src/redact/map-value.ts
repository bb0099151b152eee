/** Changes parts of data. Unchanged parts are not copied; copies are frozen and keep their order. */

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

/** Field names may change, too. */
export interface FieldChange {
  name(name: string): string;
  value(value: unknown, name: string): unknown;
}

export function mapFields(fields: DataFields, change: FieldChange): DataFields {
  // Checks all names before any value, so that each value is visited once.
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

/** Builds a new object, so that the order of fields stays. */
function renamedFields(fields: DataFields, change: FieldChange): DataFields {
  const copy: Record<string, unknown> = {};
  for (const name in fields) {
    const value = fields[name];
    setField(copy, change.name(name), value === undefined ? value : change.value(value, name));
  }
  return Object.freeze(copy);
}

function setField(fields: Record<string, unknown>, name: string, value: unknown): void {
  // Assigning to this name would set the prototype.
  if (name === '__proto__') Object.defineProperty(fields, name, { value, enumerable: true, configurable: true });
  else fields[name] = value;
}

/** Parses a text that is a JSON object or list; returns undefined for any other text. */
export function readJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text.slice(0, 64))) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Uses the indentation of another text. */
export function stringifyLike(text: string, value: unknown): string {
  return JSON.stringify(value, undefined, /^[[{]\r?\n( +|\t)/.exec(text)?.[1] ?? 0);
}
