/** The files that a call or a line names, each with all its possible locations. Files are looked up on first use. */

import type { FileAccess } from '../../shell/commands/command-analysis.ts';
import { DiskCache } from '../disk/disk-cache.ts';
import { quote } from '../resolve/path-refusal.ts';
import type { PathLocation } from '../resolve/path-location.ts';

export interface TouchedFile {
  readonly mode: FileAccess['mode'];
  /** For messages: the argument, or the word of the command line. */
  readonly label: string;
  /** See {@link FileAccess}; a destination is replaced by the files created in it. */
  readonly reach: Exclude<FileAccess['reach'], 'into' | 'onto'>;
  /** As of {@link FileAccess}. */
  readonly filters?: FileAccess['filters'];
  /** As of {@link FileAccess}. */
  readonly excludeOption?: FileAccess['excludeOption'];
  readonly origin: 'argument' | 'line' | 'implied';
  /** As of {@link FileAccess}. */
  readonly unnamed?: FileAccess['unnamed'];
  /** As of {@link FileAccess}. */
  readonly uncertain?: FileAccess['uncertain'];
  /** The current locations of what is copied here with everything below it. */
  readonly copies?: readonly PathLocation[] | undefined;
  /** True if links below the copies are copied as links. */
  readonly keepsLinks?: boolean | undefined;
  /** As of {@link FileAccess}. */
  readonly metadataOnly?: boolean | undefined;
  /** As of {@link FileAccess}. */
  readonly linkOnly?: boolean | undefined;
  /** As of {@link FileAccess}. */
  readonly repeated?: boolean | undefined;
  /** True if it becomes a link. */
  readonly isLink?: boolean | undefined;
  /** The possible locations; one of them is right. Empty if only the end of the path is known. */
  readonly locations: readonly PathLocation[];
  readonly pathEnd: string | undefined;
  /** True if one of the locations is certainly right. */
  readonly sure: boolean;
  /** True if it is possibly not touched. */
  readonly mayBeUntouched?: boolean | undefined;
  /** Why the folder that the path starts from is unknown. */
  readonly fromUnknown?: string | undefined;
}

/** True if files with unknown names are written at or below it. */
export function mayWriteAnything({ mode, reach, origin, copies }: TouchedFile): boolean {
  return mode === 'write' && reach === undefined && origin === 'line' && copies === undefined;
}

/** The reason for a file that may be one of several, or none. */
export function whyUncertain({ label, locations }: TouchedFile): string {
  const [location] = locations;
  return locations.length > 1
    ? `the line may run in one of several folders, and ${label} depends on which`
    : `${label} may mean ${quote(location?.text ?? '')}`;
}

/** Files that are looked up together, once. */
export interface FileGroup {
  /** What is done with all of them, if it is the same. */
  readonly mode: TouchedFile['mode'] | undefined;
  /** The maximum number of files. */
  readonly most: number;
  readonly files: () => readonly TouchedFile[];
}

interface UnlistedFiles {
  readonly unknown: string | undefined;
  readonly missingIsRead: boolean;
  readonly mentions: () => readonly string[];
}

const noUnlistedFiles: UnlistedFiles = { unknown: undefined, missingIsRead: false, mentions: () => [] };

export class TouchedFiles {
  constructor(
    readonly parts: readonly FileGroup[],
    private readonly unlisted: UnlistedFiles = noUnlistedFiles,
    readonly disk = new DiskCache(),
  ) {}

  /** All files. */
  get files(): readonly TouchedFile[] {
    return this.parts.flatMap(({ files }) => files());
  }

  /** The files that are read, or those that are written. A file with mode `either` is in both. */
  withMode(wanted: 'read' | 'write'): readonly TouchedFile[] {
    const other = wanted === 'read' ? 'write' : 'read';
    const found: TouchedFile[] = [];
    for (const { mode, files } of this.parts) {
      if (mode === other) continue;
      for (const file of files()) if (file.mode !== other) found.push(file);
    }
    return found;
  }

  /** Why there may be more files. */
  get unknown(): string | undefined {
    return this.unlisted.unknown;
  }

  /** True if all further files are only read. */
  get missingIsRead(): boolean {
    return this.unlisted.missingIsRead;
  }

  /** Code and words that may touch the files they mention. */
  get mentions(): readonly string[] {
    return this.unlisted.mentions();
  }

  hasMoreThan(limit: number): boolean {
    let most = 0;
    for (const part of this.parts) most += part.most;
    return most > limit && this.files.filter(isLookedUp).length > limit;
  }
}

/** False for a file found while listing its folder: it costs no system calls. */
function isLookedUp({ locations }: TouchedFile): boolean {
  return locations.length === 0 || locations.some(({ isListed }) => isListed !== true);
}
