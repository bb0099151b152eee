/** The call that `bridle explain` is asked about: a tool and its args, a call as JSON, or a command line. */

import { didYouMean, pairText, quoteName } from '../../../kernel/names.ts';
import type { CheckRequest, LoadedPolicy } from '../../../policy-files/loaded-policy.ts';
import { targetCovers, PolicyRules } from '../../../policy-files/policy-rules.ts';
import { sampleArgs } from '../../../policy-files/sample-calls/sample-args.ts';
import type { BridleError } from '../../../kernel/errors.ts';
import { messageOf } from '../../../kernel/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kernel/json.ts';
import { kindOf } from '../../../kernel/kind-of.ts';
import { type CheckOptions, splitToolName, callFromFlags } from '../check/check-command.ts';
import { readCallLine } from '../check/read-call-line.ts';
import { usageError } from '../../options/usage-error.ts';

export interface ExplainedCallInput {
  readonly options: CheckOptions;
  readonly policy: LoadedPolicy;
  /** True: the words stand after `--`, which makes them a command line. */
  readonly isCommandLine: boolean;
}

/** The usage error of `bridle explain` without a call. */
export function missingCallError(): BridleError {
  return usageError(`name a call: bridle explain view_file '{"file_path": ".env"}', or bridle explain -- 'rm -rf /'`);
}

export function readExplainedCall(words: readonly string[], explaining: ExplainedCallInput): CheckRequest {
  const { options, policy, isCommandLine } = explaining;
  const [first = '', ...rest] = words;
  const text = words.join(' ');
  const isNamedByWord = options.tool === undefined && options.args !== undefined && words.length === 1;
  if (isNamedByWord) return readJson(callFromFlags(undefined, { ...options, tool: first }) ?? '', policy);
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
  const commandLine = `for a command line: bridle explain -- '${[name, ...words].join(' ')}'`;
  if (!isTool(name, policy)) {
    const hint = didYouMean(name, toolNames(policy)) || ', as far as the policy says; name it with --tool and --args';
    throw usageError(`there is no tool ${quoteName(name)}${hint}; ${commandLine}`);
  }
  const example = `bridle explain ${name} '${exampleArgs(name, policy)}'`;
  if (words.length === 0)
    throw usageError(`${quoteName(name)} is a tool, and its args are missing: ${example}; ${commandLine}`);
  if (words.length > 1)
    throw usageError(
      `the args of ${quoteName(name)} are ${words.length} words; write them as one, in quotes: ${example}`,
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
  throw usageError(`the args of ${quoteName(name)} are ${kindOf(args)}, not an object: ${example}`);
}

/** Args that fit the tool, as JSON. */
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

/** Nobody means JSON as a command line. */
function isJson(text: string): boolean {
  if (/^\s*\{\s*["}]/.test(text)) return true;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}
