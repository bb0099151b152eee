/** docs/reference/events.md describes every event in src/kernel/hooks/points/events.ts, field by field. */

import { describe, expect, it } from 'vitest';
import { isNode, parse, read, type Node } from './source.ts';

const source = 'src/kernel/hooks/points/events.ts';

/** The fields of one event, with their possible words if these are listed. */
type Fields = ReadonlyMap<string, readonly string[] | undefined>;

const declared = new Map<string, Node>();
for (const statement of nodes(parse(source, read(source)), 'body')) {
  const declaration = node(statement, 'declaration') ?? statement;
  if (!/^TS(Interface|TypeAlias)Declaration$/.test(declaration.type)) continue;
  const about = node(declaration, 'typeAnnotation') ?? node(declaration, 'body');
  if (about !== undefined) declared.set(String(node(declaration, 'id')?.['name']), about);
}

/** The fields of a type: one map for each union member. */
function membersOf(type: Node): Fields[] {
  switch (type.type) {
    case 'TSParenthesizedType':
      return membersOf(node(type, 'typeAnnotation') as Node);
    case 'TSUnionType':
      return nodes(type, 'types').flatMap(membersOf);
    case 'TSIntersectionType':
      return nodes(type, 'types')
        .map(membersOf)
        .reduce((left, right) => left.flatMap((one) => right.map((other) => new Map([...one, ...other]))));
    case 'TSTypeReference':
      return membersOf(named(type) as Node);
    case 'TSTypeLiteral':
    case 'TSInterfaceBody':
      return [new Map(nodes(type, type.type === 'TSTypeLiteral' ? 'members' : 'body').map(fieldOf))];
    default:
      throw new TypeError(`${source}: a ${type.type} among the events`);
  }
}

function fieldOf(field: Node): [string, readonly string[] | undefined] {
  const type = node(node(field, 'typeAnnotation') as Node, 'typeAnnotation') as Node;
  return [String(node(field, 'key')?.['name']), wordsOf(type)];
}

function wordsOf(type: Node): readonly string[] | undefined {
  if (type.type === 'TSLiteralType') return [String(node(type, 'literal')?.['value'])];
  if (type.type === 'TSTypeReference') {
    const alias = named(type);
    return alias?.type === 'TSUnionType' ? wordsOf(alias) : undefined;
  }
  if (type.type !== 'TSUnionType') return undefined;
  const words = nodes(type, 'types').map(wordsOf);
  return words.includes(undefined) ? undefined : words.flatMap((each) => each ?? []);
}

function named(reference: Node): Node | undefined {
  return declared.get(String(node(reference, 'typeName')?.['name']));
}

function node(parent: Node, field: string): Node | undefined {
  const value = parent[field];
  return isNode(value) ? value : undefined;
}

function nodes(parent: Node, field: string): readonly Node[] {
  return (parent[field] as readonly unknown[]).filter(isNode);
}

/** `next` (retry, fail): a field as the document writes it. */
function written([name, words]: readonly [string, readonly string[] | undefined]): string {
  return words === undefined ? `\`${name}\`` : `\`${name}\` (${words.join(', ')})`;
}

const events = nodes(declared.get('EventFields') as Node, 'body').map((event) => {
  const type = node(node(event, 'typeAnnotation') as Node, 'typeAnnotation') as Node;
  const fields = membersOf(type).flatMap((each) => [...each]);
  return [String(node(event, 'key')?.['name']), fields.map(written).join(', ')] as const;
});
const head = membersOf(declared.get('EventHead') as Node).flatMap((fields) => [...fields.keys()]);

describe('docs/reference/events.md', () => {
  const text = read('docs/reference/events.md');

  it('lists exactly the declared events, with exactly their fields', () => {
    const rows = Array.from(text.matchAll(/^\| *`(\w+)` *\| *(.*?) *\| *(.+?) *\|$/gm), ([, type, fields]) => [
      type,
      fields,
    ]);
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(events));
    expect(rows).toHaveLength(events.length);
  });

  it('lists the fields that all events have', () => {
    const [, section = ''] = text.split('## The head');
    const rows = (section.split('\n## ')[0] ?? '').matchAll(/^\| *`(\w+)` *\| *[^|]+\|$/gm);
    expect(Array.from(rows, ([, field]) => field)).toEqual(['type', ...head]);
  });
});
