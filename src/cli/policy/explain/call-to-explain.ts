/** Reads the call for `bridle explain`: a tool and its args, a whole call as JSON, or a command line. */

import { didYouMean, pairText, quoteName } from '../../../kernel/names.ts';
import type { CheckRequest, LoadedPolicy } from '../../../policy-files/loaded-policy.ts';
import { targetCovers, PolicyRules } from '../../../policy-files/policy-rules.ts';
import { sampleArgs } from '../../../policy-files/sample-calls/sample-args.ts';
import { messageOf } from '../../../kernel/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kernel/json.ts';
import { kindOf } from '../../../kernel/kind-of.ts';
import { callFromFlags, type CallFlags, readCallLine, splitToolName } from '../check/read-call-line.ts';
import { usageError } from '../../command/command-row.ts';

export interface ExplainedCallInput {
  readonly options: CallFlags;
  readonly policy: LoadedPolicy;
  /** True if the words follow `--`: they are then always a command line. */
  readonly isCommandLine: boolean;
}

export function readExplainedCall(words: readonly string[], input: ExplainedCallInput): CheckRequest {
  const { options, policy, isCommandLine } = input;
  const [first = '', ...rest] = words;
  const text = words.join(' ');
  const isToolWithFlags = options.tool === undefined && options.args !== undefined && words.length === 1;
  if (isToolWithFlags) return readJson(callFromFlags(undefined, { ...options, tool: first }) ?? '', policy);
  const single = callFromFlags(words.length === 0 ? undefined : text, options);
  if (single !== undefined) return readJson(single, policy);
  if (words.length === 1 && isJson(first)) return readJson(first, policy);
  const isCall = !isCommandLine && (isTool(first, policy) || (rest.length === 1 && isJson(rest[0] ?? '')));
  return isCall ? toolCall(first, rest, policy) : { tool: 'run_command', args: { command_line: text } };
}

function readJson(text: string, { cwd }: LoadedPolicy): CheckRequest {
  const { request, problem } = readCallLine(text, cwd);
  if (request === undefined) throw usageError(`the call ${problem}`);
  return request;
}

/** `view_file '{"file_path": ".env"}'` */
function toolCall(name: string, words: readonly string[], policy: LoadedPolicy): CheckRequest {
  const commandLine = `explain a command line: npx bridle explain -- '${[name, ...words].join(' ')}'`;
  if (!isTool(name, policy)) {
    const hint =
      didYouMean(name, toolNames(policy)) || ' in the policy; to explain a call of it anyway, use --tool and --args.';
    throw usageError(`there is no tool ${quoteName(name)}${hint} To ${commandLine}`);
  }
  const example = `npx bridle explain ${name} '${exampleArgs(name, policy)}'`;
  if (words.length === 0)
    throw usageError(`the args of the tool ${quoteName(name)} are missing: ${example}; to ${commandLine}`);
  if (words.length > 1)
    throw usageError(
      `the args of ${quoteName(name)} must be one JSON object, in quotes, not ${words.length} words: ${example}`,
    );
  return { ...splitToolName(name), args: readArgs(name, words[0] ?? '', example) };
}

function readArgs(name: string, text: string, example: string): JsonObject {
  let args: JsonValue;
  try {
    args = JSON.parse(text) as JsonValue;
  } catch (error) {
    throw usageError(`the args of ${quoteName(name)} are not JSON (${messageOf(error)}): ${example}`);
  }
  if (isJsonObject(args)) return args;
  throw usageError(`the args of ${quoteName(name)} must be an object, not ${kindOf(args)}: ${example}`);
}

/** Valid args for the tool, as JSON. */
function exampleArgs(text: string, { catalog, tools }: LoadedPolicy): string {
  const { tool: name, server } = splitToolName(text);
  const { tool } = catalog.find(server, name);
  const declared = tools.find((each) => each.name === tool?.name && each.server === server);
  return JSON.stringify(declared === undefined ? {} : sampleArgs(declared));
}

function toolNames({ tools }: LoadedPolicy): readonly string[] {
  return tools.flatMap(({ server, name, aliases }) =>
    [name, ...(aliases?.names ?? [])].map((each) => pairText(server, each)),
  );
}

/** True for a tool that is declared, that a rule names, or that belongs to a known server. */
function isTool(text: string, policy: LoadedPolicy): boolean {
  const { tool, server } = splitToolName(text);
  if (toolNames(policy).includes(text) || policy.servers.some(({ name }) => name === server)) return true;
  return new PolicyRules(policy).entries.some(
    ({ target }) => target.type === 'tool' && targetCovers(target, server, tool),
  );
}

/** JSON is never meant as a command line. */
function isJson(text: string): boolean {
  if (/^\s*\{\s*["}]/.test(text)) return true;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}
