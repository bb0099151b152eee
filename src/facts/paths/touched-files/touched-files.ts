/** The files that something names, each with every place it may lead to. They are looked up when they are asked for. */

import type { FileAccess } from '../../shell/commands/command-analysis.ts';
import { DiskCache } from '../disk/disk-cache.ts';
import { quote } from '../resolve/quote.ts';
import type { PathLocation } from '../resolve/path-location.ts';

export interface TouchedFile {
  readonly mode: FileAccess['mode'];
  /** For messages: the argument, or the word of the command line. */
  readonly shown: string;
  /** As of {@link FileAccess}; where files are made in a folder, they are named. */
  readonly reach: Exclude<FileAccess['reach'], 'into' | 'onto'>;
  /** As of {@link FileAccess}. */
  readonly filters?: FileAccess['filters'];
  /** As of {@link FileAccess}. */
  readonly excluding?: FileAccess['excludeOption'];
  readonly origin: 'argument' | 'line' | 'implied';
  /** As of {@link FileAccess}. */
  readonly unnamed?: FileAccess['unnamed'];
  /** As of {@link FileAccess}. */
  readonly guessed?: FileAccess['uncertain'];
  /** What comes to stand there with all below it: the places it may be at now. */
  readonly copies?: readonly PathLocation[] | undefined;
  /** True: links below the copies are copied as links. */
  readonly keepsLinks?: boolean | undefined;
  /** As of {@link FileAccess}. */
  readonly looked?: boolean | undefined;
  /** As of {@link FileAccess}. */
  readonly linked?: boolean | undefined;
  /** As of {@link FileAccess}. */
  readonly again?: boolean | undefined;
  /** True: it becomes a link. */
  readonly isLink?: boolean | undefined;
  /** The places it may lead to: it is one of them. None if nothing is known of it but what it `ends` with. */
  readonly places: readonly PathLocation[];
  readonly ends: string | undefined;
  /** False: it may be none of `places`. */
  readonly sure: boolean;
  /** True: it may not be touched at all. */
  readonly perhaps?: boolean | undefined;
  /** Why nobody knows where it starts from. */
  readonly lost?: string | undefined;
}

/** True if files of names that nobody knows are written at or below it. */
export function mayWriteAnything({ mode, reach, origin, copies }: TouchedFile): boolean {
  return mode === 'write' && reach === undefined && origin === 'line' && copies === undefined;
}

/** Of a file that is one of several, or none. */
export function whyUncertain({ shown, places }: TouchedFile): string {
  const [place] = places;
  return places.length > 1
    ? `the line may be in one of several folders, and ${shown} depends on which`
    : `${shown} may stand for ${quote(place?.text ?? '')}`;
}

/** Files that are looked up together, once. */
export interface FileGroup {
  /** What is done with all of them, where it is one thing. */
  readonly mode: TouchedFile['mode'] | undefined;
  /** How many they are at most. */
  readonly most: number;
  readonly files: () => readonly TouchedFile[];
}

interface UnlistedFiles {
  readonly unknown: string | undefined;
  readonly missingIsRead: boolean;
  readonly said: () => readonly string[];
}

const noUnlistedFiles: UnlistedFiles = { unknown: undefined, missingIsRead: false, said: () => [] };

export class TouchedFiles {
  constructor(
    readonly parts: readonly FileGroup[],
    private readonly rest: UnlistedFiles = noUnlistedFiles,
    readonly seen = new DiskCache(),
  ) {}

  /** All of them. */
  get files(): readonly TouchedFile[] {
    return this.parts.flatMap(({ files }) => files());
  }

  /** Those that are read, or those that are written. What may be either is both. */
  withMode(wanted: 'read' | 'write'): readonly TouchedFile[] {
    const other = wanted === 'read' ? 'write' : 'read';
    const found: TouchedFile[] = [];
    for (const { mode, files } of this.parts) {
      if (mode === other) continue;
      for (const file of files()) if (file.mode !== other) found.push(file);
    }
    return found;
  }

  /** Why there may be more. */
  get unknown(): string | undefined {
    return this.rest.unknown;
  }

  /** True: whatever more there may be is only read. */
  get missingIsRead(): boolean {
    return this.rest.missingIsRead;
  }

  /** Code and words that may touch what they name. */
  get said(): readonly string[] {
    return this.rest.said();
  }

  hasMoreThan(limit: number): boolean {
    let most = 0;
    for (const part of this.parts) most += part.most;
    return most > limit && this.files.filter(isLookedUp).length > limit;
  }
}

/** False of what was seen in its folder: it costs no system calls. */
function isLookedUp({ places }: TouchedFile): boolean {
  return places.length === 0 || places.some(({ isListed }) => isListed !== true);
}
