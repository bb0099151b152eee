/** Describes invalid arguments in a way a model can act on. */

import type { OutputUnit } from '@cfworker/json-schema';
import { closestName } from '../../kernel/similar-names.ts';
import { patternFormat } from './parse-schema.ts';

export interface SchemaIssue {
  readonly message: string;
  readonly path: readonly string[];
}

/** Keywords that only report an error inside them, which is reported separately. */
const wrappers = new Set(
  '$ref properties patternProperties additionalProperties items prefixItems additionalItems allOf if dependentSchemas'.split(
    ' ',
  ),
);
const maxIssues = 20;

export function issuesOf(errors: readonly OutputUnit[], known: readonly string[]): readonly SchemaIssue[] {
  const alternatives = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf');
  const isInside = ({ keywordLocation }: OutputUnit): boolean =>
    alternatives.some((each) => keywordLocation.startsWith(`${each.keywordLocation}/`));
  // The validator also reports an invalid property as an additional one.
  const isFaulty = new Set(errors.filter(({ keyword }) => keyword !== 'false').flatMap(placesOf));
  const isEcho = (unit: OutputUnit): boolean => unit.keyword === 'false' && isFaulty.has(unit.instanceLocation);
  const reported = errors.filter((unit) => !wrappers.has(unit.keyword) && !isInside(unit) && !isEcho(unit));
  const issues = (reported.length === 0 ? errors : reported).slice(0, maxIssues).map((unit) => issueOf(unit, known));
  const byText = new Map(issues.map((issue) => [JSON.stringify(issue), issue]));
  return [...byText.values()];
}

/** The location of an error and all locations that contain it. */
function placesOf({ instanceLocation }: OutputUnit): readonly string[] {
  const steps = instanceLocation.split('/');
  return steps.map((_, index) => steps.slice(0, index + 1).join('/'));
}

function issueOf({ keyword, instanceLocation, error }: OutputUnit, known: readonly string[]): SchemaIssue {
  const path = pathOf(instanceLocation);
  const quoted = [...error.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((match) => match[1] ?? '');
  if (keyword === 'required') return { message: 'is missing', path: [...path, quoted[0] ?? ''] };
  if (keyword === 'type') return { message: `is of type ${quoted[0]}, not ${quoted.slice(1).join(' or ')}`, path };
  if (keyword === 'false') return { message: `is not an argument${suggestion(path, known)}`, path };
  if (keyword === 'format' && error.includes(`"${patternFormat}`))
    return { message: error.replace(`format "${patternFormat}`, 'the pattern "').replace(/\.$/, ''), path };
  return { message: error.replace(/^Instance /, 'the value ').replace(/\.$/, ''), path };
}

function suggestion(path: readonly string[], known: readonly string[]): string {
  const meant = path.length === 1 ? closestName(path[0] ?? '', known) : undefined;
  return meant === undefined ? '' : `; did you mean "${meant}"?`;
}

function pathOf(location: string): readonly string[] {
  return location
    .split('/')
    .slice(1)
    .map((step) => decode(step).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function decode(step: string): string {
  try {
    return decodeURI(step);
  } catch {
    // A name with a literal percent sign.
    return step;
  }
}
