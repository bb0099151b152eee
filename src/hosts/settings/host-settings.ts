/** What `install`, `uninstall` and `doctor` need to know about the configuration files of a host. */

import type { HostEnv, HostName } from '../host.ts';

export const levels = ['user', 'project', 'managed'] as const;
export type Level = (typeof levels)[number];

/** The folders in which configuration files are looked up. All are absolute. */
export interface Places {
  readonly home: string;
  readonly project: string;
  readonly env: HostEnv;
  /** The root of the file system. Tests use another one. */
  readonly root: string;
}

/** The hook that a host shall run. */
export interface HookCommand {
  /** Absolute path of the wrapper. */
  readonly wrapper: string;
  /** The time limit of the host. */
  readonly limitSeconds: number;
  readonly observe: boolean;
}

/** Arguments of the wrapper: what a host does with an event that fails. */
export type EventKind = 'gate' | 'note';

/** A file in which the hook is installed. */
export interface SettingsFile {
  readonly path: string;
  /** The text with the hook; undefined as text means that there is no file. The same text if the hook is already in it. */
  add(text: string | undefined, hook: HookCommand): string;
  /**
   * The text without hooks that run the wrapper; undefined if nothing else was in the file, so it can be removed.
   * `before` is the text before the installation, if it is known: parts of it are kept even if they are empty.
   */
  remove(text: string, wrapper: string, before?: string): string | undefined;
  /** Problems of the installed hook; undefined if the hook is not in the file. */
  inspect(text: string, wrapper: string): readonly string[] | undefined;
}

/** A file that can switch the hook off. */
export interface SwitchFile {
  readonly path: string;
  /** What in the file switches the hook off. */
  problems(text: string): readonly string[];
}

export interface HostSettings {
  readonly host: HostName;
  /** The program on PATH. */
  readonly program: string;
  /** Undefined if the host has no such level. */
  file(level: Level, places: Places): SettingsFile | undefined;
  /** Other files and levels of the host that can switch the hook off. */
  switches(places: Places): readonly SwitchFile[];
  /** What an installation at this level does not survive, and what people should know about it. */
  notes(level: Level): readonly string[];
  /** How to remove the hook without Bridle. */
  readonly wayOut: string;
}
