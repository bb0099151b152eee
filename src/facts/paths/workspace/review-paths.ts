/**
 * Warns at start about arguments that look like paths but are not declared, and about declarations that match no
 * argument (W01).
 */

import { plainName } from '../../declared-arguments.ts';
import type { ToolDeclaration } from '../../../kernel/tool.ts';
import { quote, probe } from '../resolve/path-refusal.ts';

const endsLikePath = /(?:path|file|file[_-]?name|dir|dir[_-]?name|director(?:y|ie)|folder|cwd|uri)s?[_-]?\d*$/i;
const isLikePath = /^(?:src|source|dest|dst|destination|output|out|root|target|workspace)s?$/i;
const isNotPath = /profiles?$/i;
const declarationSyntax = /^[^.[\]]+(?:\[\])*(?:\.[^.[\]]+(?:\[\])*)*$/;
/** Stops at schemas that contain themselves. */
const maxDepth = 6;

export function reviewPaths(tools: readonly ToolDeclaration[]): readonly string[] {
  return tools.flatMap(reviewTool);
}

function reviewTool(tool: ToolDeclaration): readonly string[] {
  const label = tool.server === undefined ? tool.name : `${tool.server}/${tool.name}`;
  const declared = tool.paths ?? [];
  const known = knownArguments(tool);
  const covered = new Set(declared.map(plainName));
  const uncovered = known
    .filter((name) => looksLikePath(name) && !covered.has(plainName(name)))
    .map(
      (name) =>
        `${label}: argument ${quote(name)} looks like a path but is not declared, so workspaceOnly does not check it`,
    );
  const useless = declared
    .filter((name) => !declarationSyntax.test(name) || (known.length > 0 && !isKnown(name, known)))
    .map((name) => `${label}: declared path ${quote(name)} matches no argument, so workspaceOnly checks nothing there`);
  const undescribed =
    known.length === 0 && tool.paths === undefined
      ? [
          `${label}: declares no argument names, so workspaceOnly checks nothing; if it takes no paths, declare paths: []`,
        ]
      : [];
  return [...uncovered, ...useless, ...undescribed];
}

function looksLikePath(name: string): boolean {
  const last = plainName(name).split('.').at(-1) ?? '';
  return (endsLikePath.test(last) && !isNotPath.test(last)) || isLikePath.test(last);
}

/** A schema may leave inner properties open, so only the outermost name must be known. */
function isKnown(declared: string, known: readonly string[]): boolean {
  const outer = plainName(declared).split('.')[0];
  return known.some((name) => plainName(name) === plainName(declared) || plainName(name).split('.')[0] === outer);
}

function knownArguments(tool: ToolDeclaration): readonly string[] {
  const standard = tool.schema?.['~standard'];
  // A schema that cannot be converted to JSON Schema has no known names.
  const schema = probe(() => standard?.jsonSchema?.input({ target: 'draft-2020-12' }));
  const names =
    schema.type === 'found' ? propertyNames({ root: schema.value, schema: schema.value, name: '', depth: 0 }) : [];
  return [...new Set([...(tool.args ?? []), ...names])];
}

interface SchemaPosition {
  readonly root: unknown;
  readonly schema: unknown;
  readonly name: string;
  readonly depth: number;
}

function propertyNames(branch: SchemaPosition): readonly string[] {
  const { root, schema, name, depth } = branch;
  if (!isRecord(schema) || depth > maxDepth) return [];
  const below = (inner: unknown, suffix: string) =>
    propertyNames({ root, schema: inner, name: name + suffix, depth: depth + 1 });
  const choices = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => listOf(schema[key]));
  const properties = isRecord(schema['properties']) ? Object.entries(schema['properties']) : [];
  return [
    ...properties.flatMap(([key, inner]) => {
      const suffix = name === '' ? key : `.${key}`;
      return [name + suffix, ...below(inner, suffix)];
    }),
    ...below(schema['items'], '[]'),
    ...[...choices, followRef(root, schema['$ref'])].flatMap((choice) => below(choice, '')),
  ];
}

function followRef(root: unknown, ref: unknown): unknown {
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return undefined;
  const steps = ref.slice(2).split('/');
  return steps.reduce((inner: unknown, step) => (isRecord(inner) ? inner[step] : undefined), root);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
