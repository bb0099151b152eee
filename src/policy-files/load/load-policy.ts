/** Loads a policy file to decide calls with it, for `bridle check` and the other policy commands. */

import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Approver } from '../../kernel/approval.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { homeFolder } from '../../files/home-folder.ts';
import { defaultLimits } from '../../kernel/limits.ts';
import type { Rules } from '../../kernel/policy/rules/rule.ts';
import type { ServerDeclaration, ToolDeclaration } from '../../kernel/tool.ts';
import { decideRequest, explainRequest } from '../layers/decide-request.ts';
import { buildStack } from '../layers/build-stack.ts';
import { declaredTools, OpenCatalog } from '../layers/open-catalog.ts';
import type { LoadedPolicy } from '../loaded-policy.ts';
import { ownFileRules } from '../own-file-rules.ts';
import {
  type PolicyFileCache,
  readHigherFiles,
  keepInCache,
  partsOf,
  type PolicyFileOnDisk,
  readPolicyFiles,
} from '../read/read-policy-files.ts';
import { isTrusted } from './trust.ts';

export interface LoadOptions {
  /** The folder that calls run in. Default: the current folder of the process. */
  readonly cwd?: string | undefined;
  /** The known tools: `builtinTools` and your own. Other tools are accepted too. */
  readonly tools?: readonly ToolDeclaration[] | undefined;
  readonly servers?: readonly (ServerDeclaration | string)[] | undefined;
  /** The folder of Bridle's own files. Default: `~/.bridle`. */
  readonly home?: string | undefined;
  /** False if there is no approver. A rule that asks is then an error. */
  readonly answerable?: boolean | undefined;
  readonly clock?: Clock | undefined;
  readonly cache?: PolicyFileCache | undefined;
  /** Files of higher layers, the highest first: of an organisation or the user. They need no trust. */
  readonly higher?: readonly string[] | undefined;
  /** The rules that apply until the file is trusted. Until then, the file can only make decisions stricter. */
  readonly untrusted?: Rules | undefined;
}

/** Asks are only reported, so any approver works. */
const anyApprover: Approver = () => false;

/** Loads a policy. Throws an error with every problem and its position if it is invalid. */
export function loadPolicy(file: string, options: LoadOptions = {}): LoadedPolicy {
  const cwd = realpathSync(resolve(options.cwd ?? process.cwd()));
  const { cache, higher = [] } = options;
  const path = resolve(file);
  const higherFiles = higher.length === 0 ? [] : readHigherFiles(higher, { path, cwd, cache });
  return policyFromFiles(readPolicyFiles(path, { cwd, cache }), { ...options, cwd, higherFiles });
}

/** {@link loadPolicy} for files that were already read. */
export function policyFromFiles(
  ownFiles: readonly PolicyFileOnDisk[],
  options: LoadOptions & { readonly cwd: string; readonly higherFiles?: readonly PolicyFileOnDisk[] | undefined },
): LoadedPolicy {
  const { cwd, clock = systemClock, home = join(homeFolder(), '.bridle'), untrusted, higherFiles = [] } = options;
  const trusted = untrusted === undefined || isTrusted(home, ownFiles);
  const trustedFiles = trusted ? [...higherFiles, ...ownFiles] : higherFiles;
  const files = [...higherFiles, ...ownFiles];
  // Declarations of an untrusted file must not allow anything: a tool that it declares as `observe` would be allowed.
  const tools = declaredTools(options.tools ?? [], trustedFiles);
  const servers = serversOf(options, files);
  const catalog = new OpenCatalog(tools, servers, new Set(options.tools?.map(({ server }) => server)));
  const built = buildStack({
    extraRules: [ownFileRules({ files: partsOf(files).map(({ path }) => path), home, cwd })],
    baseRules: trustedFiles.length === 0 ? untrusted : undefined,
    higher: higherFiles,
    files: trusted ? ownFiles : [],
    tightening: trusted ? [] : ownFiles,
    catalog,
    options: {
      tools,
      servers: options.servers,
      approver: options.answerable === false ? undefined : anyApprover,
      clock,
    },
  });
  for (const file of files) keepInCache(file, options.cache);
  const context = { catalog, limits: defaultLimits, clock, cwd };
  return {
    layers: built.layers,
    get version() {
      return built.stack.version;
    },
    default: built.default,
    get findings() {
      return built.findings;
    },
    files: files.map(({ path }) => path),
    hookModules: files.flatMap(({ hooks }) => hooks.map(({ path }) => path)),
    trusted,
    tools: catalog.list(),
    servers,
    cwd,
    catalog,
    evaluator: built.stack,
    decide: (request) => decideRequest(built, request, context),
    explain: (request) => explainRequest(built, request, context),
  };
}

function serversOf({ servers = [] }: LoadOptions, files: readonly PolicyFileOnDisk[]): readonly ServerDeclaration[] {
  const given = servers.map((server) => (typeof server === 'string' ? { name: server } : server));
  const declared = files.flatMap(({ policyFile }) => policyFile.servers ?? []).map(({ name }) => ({ name }));
  return [...new Map([...declared, ...given].map((server) => [server.name, server])).values()];
}
