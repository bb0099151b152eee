/** How each coding agent is started without a person, and which calls its model makes. */

import { claude } from './drivers/claude.mjs';
import { codex } from './drivers/codex.mjs';
import { copilot } from './drivers/copilot.mjs';
import { gemini } from './drivers/gemini.mjs';
import { opencode } from './drivers/opencode.mjs';

/**
 * @typedef {import('./model/server.mjs').ToolCall} ToolCall
 * @typedef {import('./model/server.mjs').Turn} Turn
 * @typedef {{ home: string, project: string, cache: string, server: string[] }} Place
 *
 * @typedef {object} Driver
 * @property {string} title
 * @property {string} package
 * @property {(clis: string) => string[]} program
 * @property {(place: Place) => Record<string, string>} env
 * @property {(place: Place) => Record<string, string>} files the user's configuration, by path in the home folder
 * @property {(prompt: string, mode: 'normal' | 'bypass') => string[]} args
 * @property {string} settings the user's settings, in the home folder
 * @property {{ path: string, text: string }} switchOff a file in a repository that weakens or removes the user's hook
 * @property {string} [survives] why `switchOff` does not remove the hook at the user level
 * @property {boolean} [isManaged] true if a level for the whole machine survives `switchOff`
 * @property {number} [reloadMs] how long the host takes to read settings that change during a session; without it, never
 * @property {'prompt' | 'store'} asks where a person is asked
 * @property {(env: Record<string, string>) => Record<string, string>} [repositoryEnv] files of a repository that set variables
 *   of its hooks
 * @property {(command: string) => ToolCall} shell
 * @property {(path: string, content: string) => ToolCall} write creates a file
 * @property {(name: string) => ToolCall} touch the tool of the MCP server
 * @property {(prompt: string, calls: ToolCall[]) => { main: Turn[], subagent: Turn[] }} delegate calls of a subagent
 */

/** @type {Record<string, Driver>} */
export const drivers = { claude, codex, gemini, copilot, opencode };
