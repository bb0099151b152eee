/**
 * The location of a regular file that was found while listing a folder without links. Only its identity is not read
 * yet.
 */

import { lstatSync } from 'node:fs';
import { posix } from 'node:path';
import type { CheckedPath, FileIdentity } from '../../../kernel/call.ts';
import { lazy } from '../../../kernel/lazy.ts';
import { identityOf } from '../resolve/file-identity.ts';
import { probe } from '../resolve/path-refusal.ts';
import type { PathLocation } from '../resolve/path-location.ts';

/** `path` contains no links; `text` is the path as it would be opened. */
export function listedFileLocation(text: string, path: string): PathLocation {
  return { text, checked: new ListedPath(text, path), kind: 'file', why: '', isListed: true };
}

/** Reads its identity on first use. */
class ListedPath implements CheckedPath {
  readonly at: CheckedPath['at'] = [];
  private readonly readIdentity: () => FileIdentity | undefined;

  constructor(
    readonly given: string,
    readonly path: string,
  ) {
    this.readIdentity = lazy(() => identityAt(path));
  }

  get identity(): FileIdentity | undefined {
    return this.readIdentity();
  }

  get ancestor(): CheckedPath['ancestor'] {
    const path = posix.dirname(this.path);
    return { path, identity: identityAt(path) ?? { device: '', inode: '' } };
  }
}

function identityAt(path: string): FileIdentity | undefined {
  const found = probe(() => lstatSync(path, { bigint: true }));
  return found.type === 'found' ? identityOf(found.value) : undefined;
}
