/**
 * From a string such as `anthropic/claude-opus-5` to a model. The provider's package is loaded when it is first named,
 * so an agent installs and starts only what it uses; whatever is missing is said with the way to get it.
 */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BridleError, messageOf } from '../../../kernel/errors.ts';
import { closestName } from '../../../kernel/similar-names.ts';
import { isLanguageModel, type LanguageModel } from './language-model.ts';
import { providers, type Provider } from './providers.ts';

/** How a model string is loaded; everything may be left out. */
export interface LoadModelOptions {
  /** The key; without it, the variable the provider is known for. */
  readonly apiKey?: string | undefined;
  /** Where the provider is reached: a proxy, a gateway, a server of your own. */
  readonly baseURL?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The folder whose packages are used where Bridle has none beside itself; the current one. */
  readonly from?: string | undefined;
  /** Models that are no package's, by their whole string. */
  readonly customModels?: Readonly<Record<string, () => LanguageModel | Promise<LanguageModel>>> | undefined;
}

interface ModelName {
  readonly spec: string;
  readonly provider: Provider;
  readonly id: string;
}

/** The model that a string such as `anthropic/<id>` names. */
export async function loadModel(spec: string, options: LoadModelOptions = {}): Promise<LanguageModel> {
  const own =
    options.customModels !== undefined && Object.hasOwn(options.customModels, spec)
      ? options.customModels[spec]
      : undefined;
  if (own !== undefined) return own();
  const name = parseSpec(spec, Object.keys(options.customModels ?? {}));
  const exported = await loadPackage(name, options.from);
  return makeModel(name, exported, { ...options, apiKey: options.apiKey ?? apiKeyOf(name) });
}

function parseSpec(spec: string, own: readonly string[]): ModelName {
  const slash = spec.indexOf('/');
  const id = spec.slice(slash + 1);
  if (slash < 1 || id === '' || spec.length > 256 || /\s/.test(spec)) {
    const shown = JSON.stringify(spec.slice(0, 80));
    throw unavailable(`A model is named "provider/model", such as "anthropic/claude-opus-5", not ${shown}.`);
  }
  const provider = providers.get(spec.slice(0, slash));
  if (provider !== undefined) return { spec, provider, id };
  const meant = closestName(spec, own) ?? closestName(spec.slice(0, slash), providers.keys());
  const hint = meant === undefined ? `Known are ${[...providers.keys()].join(', ')}` : `Did you mean "${meant}"`;
  const end = meant === undefined ? '.' : '?';
  throw unavailable(
    `No provider "${spec.slice(0, slash)}" for the model "${spec}". ${hint}${end} Any other model is given as an object.`,
  );
}

/** Read here, since the provider's package would read the same variable, but only at the first call. */
function apiKeyOf({ spec, provider }: ModelName): string {
  const key = process.env[provider.key]?.trim();
  if (key === undefined || key === '') throw unavailable(`The model "${spec}" needs a key: set ${provider.key}.`);
  return key;
}

async function loadPackage({ spec, provider }: ModelName, from: string | undefined): Promise<Record<string, unknown>> {
  const path = findPackage(provider.package, from);
  if (path === undefined) {
    throw unavailable(`The model "${spec}" needs the package ${provider.package}: npm install ${provider.package}`);
  }
  try {
    return (await import(/* @vite-ignore */ pathToFileURL(path).href)) as Record<string, unknown>;
  } catch (error) {
    throw unavailable(`The package ${provider.package} did not load: ${messageOf(error)}`, error);
  }
}

/** Beside Bridle, and where the program says: never in the folder an agent works in, where a model may have put it. */
function findPackage(name: string, from: string | undefined): string | undefined {
  for (const base of [import.meta.url, ...(from === undefined ? [] : [join(from, 'package.json')])]) {
    try {
      return createRequire(base).resolve(name);
    } catch (error) {
      if (!isMissing(error)) throw unavailable(`The package ${name} cannot be used: ${messageOf(error)}`, error);
    }
  }
  return undefined;
}

function isMissing(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'MODULE_NOT_FOUND';
}

function makeModel(name: ModelName, exported: Record<string, unknown>, options: LoadModelOptions): LanguageModel {
  const { provider, id, spec } = name;
  const create = provider.create.map((each) => exported[each]).find((each) => typeof each === 'function');
  const { apiKey, baseURL, headers } = options;
  const settings = { apiKey, ...(baseURL !== undefined && { baseURL }), ...(headers !== undefined && { headers }) };
  let model: unknown;
  try {
    const made: unknown = create?.(settings);
    const factory: unknown = provider.method === undefined ? made : (made as Record<string, unknown>)[provider.method];
    model = typeof factory === 'function' ? factory(id) : undefined;
  } catch (error) {
    throw unavailable(`The package ${provider.package} made no model "${spec}": ${messageOf(error)}`, error);
  }
  if (isLanguageModel(model)) return model;
  throw unavailable(
    `The installed version of ${provider.package} does not fit: npm install ${provider.package}@latest`,
  );
}

function unavailable(message: string, cause?: unknown): BridleError {
  return new BridleError('MODEL_UNAVAILABLE', message, cause === undefined ? {} : { cause });
}
