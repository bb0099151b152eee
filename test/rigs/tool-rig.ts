/** The built-in tools behind a real guard, in their own folder. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { allowAll, createGuard, type CallResult, type ToolDeclaration, type Turn } from 'bridle';
import type { CheckedPath, Grant } from '../../src/kernel/call.ts';
import type { Interaction, Media, Question } from 'bridle/agent';
import { workspaceOnly } from 'bridle/facts';
import {
  createBuiltinTools,
  toStandardSchema,
  type BuiltinToolOptions,
  type RunnableTool,
  type ToolContext,
} from 'bridle/tools';

export interface ToolRigOptions extends BuiltinToolOptions {
  /** False for an agent without workspaces. */
  readonly confined?: boolean;
  readonly grant?: Grant;
  readonly answer?: (questions: readonly Question[]) => Interaction;
  /** Runs between the last check and the tool. */
  readonly beforeRun?: (paths: readonly CheckedPath[]) => void;
}

export interface ToolRig {
  /** The folder of the tools; without links. */
  readonly folder: string;
  readonly attached: Media[];
  readonly turn: Turn;
  readonly call: (tool: string, args: unknown) => Promise<CallResult>;
  /** The text result of a call that must succeed. */
  readonly text: (tool: string, args: unknown) => Promise<string>;
  /** The message of a call that must fail. */
  readonly error: (tool: string, args: unknown) => Promise<string>;
  readonly path: (name: string) => string;
  readonly write: (name: string, contents: string | Uint8Array) => string;
  readonly remove: () => void;
}

export async function toolRig(options: ToolRigOptions = {}): Promise<ToolRig> {
  const folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'tools-')));
  const { confined = true, grant, answer, beforeRun, ...rest } = options;
  const tools = createBuiltinTools(rest);
  const attached: Media[] = [];
  const policy = [...(confined ? [workspaceOnly([folder], { cwd: folder })] : []), allowAll()];
  const guard = createGuard({ tools: tools.map(declared), policy, ...(grant !== undefined && { grant }) });
  const session = await guard.start({ cwd: folder });
  const turn = session.turn();
  const call: ToolRig['call'] = (tool, args) =>
    turn.guard(
      { tool, args },
      {
        run(ready, context) {
          beforeRun?.(context.paths);
          const found = tools.find(({ name }) => name === ready.tool) as RunnableTool;
          const full: ToolContext = {
            signal: context.signal,
            grant: context.grant,
            paths: context.paths,
            idempotencyKey: context.idempotencyKey,
            store: context.store,
            call: ready,
            cwd: folder,
            ask: (questions) => Promise.resolve(answer?.(questions) ?? { type: 'unanswered' }),
            attach: (media) => `[media ${attached.push(media)}]`,
          };
          return found.run(ready.args as never, full);
        },
      },
    );
  const path = (name: string): string => join(folder, name);
  return {
    folder,
    attached,
    turn,
    call,
    text: async (tool, args) => must(await call(tool, args), false),
    error: async (tool, args) => must(await call(tool, args), true),
    path,
    write(name, contents) {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), contents);
      return path(name);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function declared(tool: RunnableTool): ToolDeclaration {
  const { name, tier, args, paths, commands, touches, aliases, grant } = tool;
  const schema = tool.schema === undefined ? undefined : toStandardSchema(tool.schema);
  return { name, tier, args, paths, commands, touches, aliases, grant, schema };
}

function must(result: CallResult, isError: boolean): string {
  if (result.isError !== isError) throw new TypeError(`${result.type}: ${result.text}`);
  return result.text;
}
