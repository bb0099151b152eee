import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { BridleError } from 'bridle';
import { proves } from '../../../../test/contract/cite.ts';
import { modelKeyOf } from '../language-model.ts';
import type { LanguageModel } from '../model-interface.ts';
import { loadModel, providers } from './load-model.ts';

const project = mkdtempSync(join(tmpdir(), 'bridle-models-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));
afterEach(() => vi.unstubAllEnvs());

/** Installs a package in the user's project. */
function install(name: string, code: string): void {
  const folder = join(project, 'node_modules', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, type: 'module', exports: './index.js' }));
  writeFileSync(join(folder, 'index.js'), code);
}

async function refusal(...[spec, options]: Parameters<typeof loadModel>): Promise<BridleError> {
  const error = await loadModel(spec, options).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(BridleError);
  expect((error as BridleError).code).toBe('MODEL_UNAVAILABLE');
  return error as BridleError;
}

describe('loadModel', () => {
  it.each([
    ['anthropic/claude-opus-5', 'ANTHROPIC_API_KEY', 'anthropic.messages'],
    ['openai/gpt-6-sol', 'OPENAI_API_KEY', 'openai.responses'],
    ['openai.chat/org/model:latest', 'OPENAI_API_KEY', 'openai.chat'],
    ['google/gemini-2.5-pro', 'GOOGLE_GENERATIVE_AI_API_KEY', 'google.generative-ai'],
  ])(proves('A03')('loads %s with the key in %s'), async (spec, variable, provider) => {
    vi.stubEnv(variable, 'test-key');
    const model = await loadModel(spec);
    expect(model.provider).toBe(provider);
    expect(model.modelId).toBe(spec.slice(spec.indexOf('/') + 1));
    expect(modelKeyOf(model)).toBe(spec.replace('openai.chat', 'openai'));
  });

  it('names the missing environment variable', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', ' ');
    const { message } = await refusal('anthropic/claude-opus-5');
    expect(message).toBe(
      'The model "anthropic/claude-opus-5" needs an API key: set the environment variable ANTHROPIC_API_KEY.',
    );
  });

  it('prefers a key given in code to the variable', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', '');
    expect((await loadModel('anthropic/claude-opus-5', { apiKey: 'given' })).modelId).toBe('claude-opus-5');
  });

  it('says what to install', async () => {
    const { message } = await refusal('mistral/large', { from: project });
    expect(message).toBe('The model "mistral/large" needs the package @ai-sdk/mistral: npm install @ai-sdk/mistral');
  });

  it("finds a package in the user's project", async () => {
    install(
      '@ai-sdk/groq',
      `export const createGroq = (settings) => (id) =>
        ({ specificationVersion: 'v3', provider: 'groq.chat', modelId: id, settings, doGenerate() {}, doStream() {} });`,
    );
    const options = { apiKey: 'given', baseURL: 'http://127.0.0.1:1/v1', headers: { 'x-team': 'a' }, from: project };
    const model = (await loadModel('groq/a/b', options)) as LanguageModel & { settings: unknown };
    expect(model.modelId).toBe('a/b');
    expect(model.settings).toEqual({
      apiKey: 'given',
      baseURL: 'http://127.0.0.1:1/v1',
      headers: { 'x-team': 'a' },
    });
  });

  it.each([
    ['cohere', 'export const createCohere = () => () => ({ specificationVersion: "v1" });', 'is not compatible'],
    ['cerebras', 'export const somethingElse = 1;', 'is not compatible'],
    ['deepseek', 'import "not-installed-anywhere";', 'could not be loaded'],
    ['perplexity', 'export const createPerplexity = () => { throw new TypeError("bad URL"); };', 'bad URL'],
  ])('says why an installed package is of no use: %s', async (name, code, reason) => {
    install(`@ai-sdk/${name}`, code);
    const { message } = await refusal(`${name}/x`, { from: project, apiKey: 'given' });
    expect(message).toContain(`@ai-sdk/${name}`);
    expect(message).toContain(reason);
  });

  it.each(['', '/', 'claude-opus-5', 'anthropic/', '/x', 'anthropic/a b', `openai/${'x'.repeat(300)}`])(
    'refuses the malformed %j',
    async (spec) => {
      const { message } = await refusal(spec);
      expect(message).toContain('provider/model');
      expect(message.length).toBeLessThan(250);
    },
  );

  it.each([
    ['antropic/x', 'Did you mean "anthropic"?'],
    ['opnai/x', 'Did you mean "openai"?'],
    ['constructor/x', 'The known providers are anthropic, openai'],
    ['__proto__/x', 'The known providers are anthropic, openai'],
  ])('suggests the closest provider for %s', async (spec, hint) => {
    expect((await refusal(spec)).message).toContain(hint);
  });

  it('returns custom models by their full name only', async () => {
    const own = { specificationVersion: 'v4', provider: 'team', modelId: 'planner' } as LanguageModel;
    const customModels = { 'team/planner': () => own };
    expect(await loadModel('team/planner', { customModels })).toBe(own);
    expect((await refusal('team/planer', { customModels })).message).toContain('Did you mean "team/planner"?');
    expect((await refusal('bridle/other-thing', { customModels })).message).toContain('There is no provider "bridle"');
  });

  it('never shows a key', async () => {
    install('@ai-sdk/xai', 'export const createXai = () => () => undefined;');
    const { message } = await refusal('xai/x', { from: project, apiKey: 'sk-secret-secret' });
    expect(message).not.toContain('secret');
  });

  it('has one package and one key for each provider', () => {
    for (const [name, provider] of providers) {
      expect(provider.package).toBe(`@ai-sdk/${name.split('.')[0]}`);
      expect(provider.key).toMatch(/_API_KEY$/);
    }
  });
});
