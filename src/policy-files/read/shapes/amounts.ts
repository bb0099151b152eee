/** Durations, sizes and dates in a policy file. */

import { quoteName } from '../../../kernel/names.ts';
import { describeNode, isText, named, orList, reportWrongKind, type Shape } from './shape.ts';

export const duration = amount('duration', { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }, ['500ms', '30s', '5m', '2h']);
export const size = amount('size', { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 }, [
  '512B',
  '64KiB',
  '1MiB',
  '2GiB',
]);

/** A whole number with a unit, above zero and not too large. */
function amount(kind: string, units: Readonly<Record<string, number>>, examples: readonly string[]): Shape<number> {
  const pattern = `^[1-9][0-9]{0,15}(${Object.keys(units).join('|')})$`;
  const form = `a ${kind} such as ${orList(examples.map((each) => `"${each}"`))}`;
  return named(kind, {
    read: (node, name, report) => {
      if (!isText(node)) return reportWrongKind(node, name, report)(form);
      const unit = new RegExp(pattern).exec(node.value)?.[1] ?? '';
      const value = Number.parseInt(node.value, 10) * (units[unit] ?? Number.NaN);
      if (Number.isSafeInteger(value)) return value;
      return report.problem(node.at, `${name} is ${quoteName(node.value)}, not ${form}`);
    },
    schema: () => ({ examples, type: 'string', pattern }),
  });
}

const timePattern =
  '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,3})?)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9]))?$';
const timeForms = 'a day such as "2027-01-01", or a time with its zone such as "2027-01-01T12:00:00Z"';

/** A day (its start in UTC) or a time with a zone, in milliseconds since 1970. */
export const time: Shape<number> = {
  read: (node, name, report) => {
    if (!isText(node)) return reportWrongKind(node, name, report)(timeForms);
    const parsed = parseTime(node.value);
    return parsed ?? report.problem(node.at, `${name} is ${describeNode(node)}, not ${timeForms}`);
  },
  schema: () => ({ type: 'string', pattern: timePattern }),
};

function parseTime(text: string): number | undefined {
  if (!new RegExp(timePattern).test(text)) return undefined;
  const day = text.slice(0, 10);
  const start = Date.parse(`${day}T00:00:00Z`);
  // `Date` would accept a day that does not exist, such as February 30, as a day of the next month.
  if (Number.isNaN(start) || new Date(start).toISOString().slice(0, 10) !== day) return undefined;
  return Date.parse(text);
}
