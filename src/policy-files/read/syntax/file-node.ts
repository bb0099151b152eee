/** The syntax of a policy file: mappings, lists and scalars with their offsets. */

/** How deep mappings and lists may be nested. */
export const maxLevels = 32;

/** A number as JSON writes it. */
export const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

export interface MapEntry {
  readonly key: string;
  /** Offset of the key. */
  readonly at: number;
  readonly value: FileNode;
}

export interface MapNode {
  readonly type: 'map';
  readonly at: number;
  readonly entries: readonly MapEntry[];
}

export interface ListNode {
  readonly type: 'list';
  readonly at: number;
  readonly items: readonly FileNode[];
}

export type ScalarStyle = 'plain' | 'single' | 'double' | 'block' | 'empty';

export interface ScalarNode {
  readonly type: 'scalar';
  readonly at: number;
  /** As written, with quotes, block header and line ends. */
  readonly raw: string;
  readonly style: ScalarStyle;
  /** For a block scalar: the indentation of its parent. */
  readonly indent: number;
  readonly value: string | number | boolean | null;
}

export type FileNode = MapNode | ListNode | ScalarNode;
