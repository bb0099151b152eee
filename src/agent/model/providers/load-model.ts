/**
 * Loads a model by a name such as `anthropic/claude-opus-5`. A provider's package is loaded on first use, so only the
 * providers in use need to be installed. If a package or key is missing, the error says how to get it.
 */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BridleError, messageOf } from '../../../kernel/errors.ts';
import { closestName } from '../../../kernel/similar-names.ts';
import { isLanguageModel } from '../language-model.ts';
import type { LanguageModel } from '../model-interface.ts';

/** Options of `loadModel`; all are optional. */
export interface LoadModelOptions {
  /** The API key. Default: the provider's environment variable. */
  readonly apiKey?: string | undefined;
  /** The base URL of the provider: a proxy, a gateway, or your own server. */
  readonly baseURL?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A folder to resolve provider packages from, if Bridle itself cannot resolve them. Default: none. */
  readonly from?: string | undefined;
  /** Models that do not come from a package, by their full name. */
  readonly customModels?: Readonly<Record<string, () => LanguageModel | Promise<LanguageModel>>> | undefined;
}

interface ModelName {
  readonly spec: string;
  readonly provider: Provider;
  readonly id: string;
}

/** Loads the model with a name such as `anthropic/<id>`. */
export async function loadModel(spec: string, options: LoadModelOptions = {}): Promise<LanguageModel> {
  const custom =
    options.customModels !== undefined && Object.hasOwn(options.customModels, spec)
      ? options.customModels[spec]
      : undefined;
  if (custom !== undefined) return custom();
  const name = parseSpec(spec, Object.keys(options.customModels ?? {}));
  const exported = await loadPackage(name, options.from);
  return makeModel(name, exported, { ...options, apiKey: options.apiKey ?? apiKeyOf(name) });
}

function parseSpec(spec: string, customNames: readonly string[]): ModelName {
  const slash = spec.indexOf('/');
  const id = spec.slice(slash + 1);
  if (slash < 1 || id === '' || spec.length > 256 || /\s/.test(spec)) {
    const shown = JSON.stringify(spec.slice(0, 80));
    throw unavailable(`The model name ${shown} is invalid: use "provider/model", such as "anthropic/claude-opus-5".`);
  }
  const provider = providers.get(spec.slice(0, slash));
  if (provider !== undefined) return { spec, provider, id };
  const meant = closestName(spec, customNames) ?? closestName(spec.slice(0, slash), providers.keys());
  const hint =
    meant === undefined ? `The known providers are ${[...providers.keys()].join(', ')}` : `Did you mean "${meant}"`;
  const end = meant === undefined ? '.' : '?';
  throw unavailable(
    `There is no provider "${spec.slice(0, slash)}" for the model "${spec}". ${hint}${end} To use any other model, pass a model object.`,
  );
}

/** Read here so that a missing key is reported now. The provider's package would read it only at the first call. */
function apiKeyOf({ spec, provider }: ModelName): string {
  const key = process.env[provider.key]?.trim();
  if (key === undefined || key === '')
    throw unavailable(`The model "${spec}" needs an API key: set the environment variable ${provider.key}.`);
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
    throw unavailable(`The package ${provider.package} could not be loaded: ${messageOf(error)}`, error);
  }
}

/**
 * Looks where Bridle is installed and in `from`. Never in the agent's working folder, where a model could have put it.
 */
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
    const created: unknown = create?.(settings);
    const factory: unknown =
      provider.method === undefined ? created : (created as Record<string, unknown>)[provider.method];
    model = typeof factory === 'function' ? factory(id) : undefined;
  } catch (error) {
    throw unavailable(
      `The package ${provider.package} could not create the model "${spec}": ${messageOf(error)}`,
      error,
    );
  }
  if (isLanguageModel(model)) return model;
  throw unavailable(
    `The installed version of ${provider.package} is not compatible: npm install ${provider.package}@latest`,
  );
}

function unavailable(message: string, cause?: unknown): BridleError {
  return new BridleError('MODEL_UNAVAILABLE', message, cause === undefined ? {} : { cause });
}

/** The provider's package, its exports, and the environment variable with its API key. */
export interface Provider {
  readonly package: string;
  /** Names of the function that creates the provider; the first one that the package exports is used. */
  readonly create: readonly string[];
  readonly key: string;
  /** The method of the provider that creates the model. Default: the provider itself is called. */
  readonly method?: string | undefined;
}

/** By the part of the model string before the first slash. */
export const providers: ReadonlyMap<string, Provider> = new Map(
  Object.entries<Provider>({
    anthropic: { package: '@ai-sdk/anthropic', create: ['createAnthropic'], key: 'ANTHROPIC_API_KEY' },
    openai: { package: '@ai-sdk/openai', create: ['createOpenAI'], key: 'OPENAI_API_KEY' },
    // Most OpenAI-compatible servers support only the older API.
    'openai.chat': { package: '@ai-sdk/openai', create: ['createOpenAI'], key: 'OPENAI_API_KEY', method: 'chat' },
    google: {
      package: '@ai-sdk/google',
      create: ['createGoogle', 'createGoogleGenerativeAI'],
      key: 'GOOGLE_GENERATIVE_AI_API_KEY',
    },
    mistral: { package: '@ai-sdk/mistral', create: ['createMistral'], key: 'MISTRAL_API_KEY' },
    xai: { package: '@ai-sdk/xai', create: ['createXai'], key: 'XAI_API_KEY' },
    groq: { package: '@ai-sdk/groq', create: ['createGroq'], key: 'GROQ_API_KEY' },
    deepseek: { package: '@ai-sdk/deepseek', create: ['createDeepSeek'], key: 'DEEPSEEK_API_KEY' },
    cohere: { package: '@ai-sdk/cohere', create: ['createCohere'], key: 'COHERE_API_KEY' },
    perplexity: { package: '@ai-sdk/perplexity', create: ['createPerplexity'], key: 'PERPLEXITY_API_KEY' },
    cerebras: { package: '@ai-sdk/cerebras', create: ['createCerebras'], key: 'CEREBRAS_API_KEY' },
    fireworks: { package: '@ai-sdk/fireworks', create: ['createFireworks'], key: 'FIREWORKS_API_KEY' },
    deepinfra: { package: '@ai-sdk/deepinfra', create: ['createDeepInfra'], key: 'DEEPINFRA_API_KEY' },
  }),
);
