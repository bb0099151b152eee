import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { costOf, priceOf, pricesDate, type Prices } from './prices.ts';

const none = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, cacheCreationTokens: 0 };

describe(proves('A18')('priceOf'), () => {
  it('knows some models, with the date of the prices', () => {
    expect(priceOf('anthropic/claude-opus-5')?.output).toBe(25);
    expect(pricesDate).toMatch(/^\d{4}-\d\d-\d\d$/);
  });

  it.each([
    ['anthropic/claude-opus-4-5-20251101', 'anthropic/claude-opus-4-5'],
    ['anthropic/claude-haiku-4-5@20251001', 'anthropic/claude-haiku-4-5'],
    ['openai/gpt-6.1-sol-2026-09-29', 'openai/gpt-6.1-sol'],
    ['google/gemini-2.5-flash-001', 'google/gemini-2.5-flash'],
    ['google/gemini-2.5-pro-latest', 'google/gemini-2.5-pro'],
  ])('treats %s as %s', (dated, plain) => {
    expect(priceOf(dated)).toBeDefined();
    expect(priceOf(dated)).toBe(priceOf(plain));
  });

  it.each([
    'openai/gpt-6-sol-mini',
    'openai/gpt-6',
    'anthropic/claude-opus-5-9',
    'elsewhere/claude-opus-5',
    'claude-opus-5',
    'openai/constructor',
    '__proto__',
    '',
  ])('does not know %j', (key) => expect(priceOf(key)).toBeUndefined());

  it('prefers the given prices, by key or by id, dated or not', () => {
    const mine: Prices = { input: 1, output: 2 };
    expect(priceOf('anthropic/claude-opus-5', { 'anthropic/claude-opus-5': mine })).toBe(mine);
    expect(priceOf('local/llama', { llama: mine })).toBe(mine);
    expect(priceOf('local/llama-2026-01-01', { 'local/llama': mine })).toBe(mine);
    expect(priceOf('local/constructor', {})).toBeUndefined();
  });
});

describe(proves('A18')('costOf'), () => {
  const prices: Prices = { input: 10, output: 50, cachedInput: 1, cacheWrite: 12 };

  it('charges fresh, cached, written and output tokens each at its price', () => {
    const usage = { inputTokens: 1000, outputTokens: 100, cachedInputTokens: 600, cacheCreationTokens: 300 };
    expect(costOf(usage, prices)).toBeCloseTo((100 * 10 + 600 * 1 + 300 * 12 + 100 * 50) / 1e6, 12);
  });

  it('charges the input price if there is no separate one', () => {
    const usage = { ...none, inputTokens: 1000, cachedInputTokens: 600, cacheCreationTokens: 300 };
    expect(costOf(usage, { input: 10, output: 50 })).toBeCloseTo(0.01, 12);
  });

  it('is never negative, whatever a provider counts', () => {
    expect(costOf({ ...none, inputTokens: 5, cachedInputTokens: 50 }, prices)).toBeCloseTo(50 / 1e6, 12);
    expect(costOf(none, prices)).toBe(0);
  });

  it('charges a long prompt at its own price', () => {
    const long: Prices = { ...prices, long: { above: 1000, input: 20, output: 75 } };
    expect(costOf({ ...none, inputTokens: 1000, outputTokens: 10 }, long)).toBeCloseTo(0.0105, 12);
    expect(costOf({ ...none, inputTokens: 1001, outputTokens: 10 }, long)).toBeCloseTo(0.02077, 12);
  });
});
