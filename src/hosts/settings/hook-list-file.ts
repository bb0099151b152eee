/** The parts that settings files with lists of hooks by event have in common. */

import { BridleError } from '../../kernel/errors.ts';
import { isJsonObject, type JsonObject } from '../../kernel/json.ts';
import { shellQuote } from './shell-quote.ts';
import type { EventKind, HookCommand, SettingsFile, SwitchFile } from './host-settings.ts';
import { addHooks, type HookGroups, installedEvents, removeHooks } from './hook-lists.ts';
import { jsonOf, parseJsonc } from './jsonc.ts';

export interface HookListOptions {
  readonly path: string;
  /** The events to install, with what their failure means. */
  readonly events: Readonly<Record<string, EventKind>>;
  /** The group of hooks of an event. */
  readonly groupOf: (event: string, kind: EventKind, hook: HookCommand) => JsonObject;
  /** Problems that show only in the whole file. */
  readonly problems?: (settings: JsonObject) => readonly string[];
}

export function hookListFile({ path, events, groupOf, problems }: HookListOptions): SettingsFile {
  return {
    path,
    add: (text, hook) => addHooks(text, groupsOf(events, groupOf, hook), { path, wrapper: hook.wrapper }),
    remove: (text, wrapper, before) => removeHooks(text, { path, wrapper }, before),
    inspect: (text, wrapper) => {
      const found = installedEvents(text, { path, wrapper });
      if (found.length === 0) return undefined;
      const missing = Object.keys(events).filter((event) => !found.includes(event));
      return [
        ...(missing.length === 0 ? [] : [`no hook for ${missing.join(', ')}`]),
        ...(problems?.(settingsOf(text, path)) ?? []),
      ];
    },
  };
}

function groupsOf(
  events: HookListOptions['events'],
  groupOf: HookListOptions['groupOf'],
  hook: HookCommand,
): HookGroups {
  return Object.fromEntries(Object.entries(events).map(([event, kind]) => [event, groupOf(event, kind, hook)]));
}

/** The wrapper with its argument, for hosts that run hooks in a shell. */
export function shellCommand({ wrapper }: HookCommand, kind: EventKind): string {
  return `${shellQuote(wrapper)} ${kind}`;
}

/** A JSON file that can switch the hook off. A file that cannot be read as JSON is a problem, too. */
export function jsonSwitch(path: string, problems: (settings: JsonObject) => readonly string[]): SwitchFile {
  return {
    path,
    problems: (text) => {
      try {
        return problems(settingsOf(text, path));
      } catch (error) {
        if (error instanceof BridleError) return [error.message];
        throw error;
      }
    },
  };
}

function settingsOf(text: string, path: string): JsonObject {
  const node = parseJsonc(text, path);
  const value = node === undefined ? {} : jsonOf(node);
  return isJsonObject(value) ? value : {};
}
