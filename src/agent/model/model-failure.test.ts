import { APICallError, EmptyResponseBodyError } from '@ai-sdk/provider';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BridleError } from 'bridle';
import { proves } from '../../../test/contract/cite.ts';
import { backoffMs, describeFailure, isRetryable, retryAfterMs } from './model-failure.ts';

interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly message?: string;
  readonly cause?: unknown;
}

function apiError({ status, headers = {}, message = 'no', cause }: Answer): APICallError {
  return new APICallError({
    message,
    url: 'http://127.0.0.1/v1',
    requestBodyValues: { prompt: 'private words' },
    ...(status !== undefined && { statusCode: status }),
    responseHeaders: headers,
    cause,
  });
}

function coded(code: string, message = code): Error {
  return Object.assign(new TypeError(message), { code });
}

describe(proves('A03')('isRetryable'), () => {
  it.each([
    ['408', apiError({ status: 408 })],
    ['409', apiError({ status: 409 })],
    ['429', apiError({ status: 429 })],
    ['500', apiError({ status: 500 })],
    ['529', apiError({ status: 529 })],
    ['a wrapped 503', new BridleError('SCRIPT_FAILED', 'x', { cause: apiError({ status: 503 }) })],
    ['a refused connection', new TypeError('fetch failed', { cause: coded('ECONNREFUSED') })],
    ['one of several addresses', new AggregateError([coded('ECONNREFUSED'), coded('ETIMEDOUT')])],
    ['a reset', coded('ECONNRESET')],
    ['a broken pipe', coded('EPIPE')],
    ['a limit of undici', coded('UND_ERR_HEADERS_TIMEOUT')],
    ['a cut stream', new TypeError('terminated', { cause: coded('UND_ERR_SOCKET', 'other side closed') })],
    ['a cut answer with status 200', apiError({ status: 200, cause: new TypeError('terminated') })],
    ['an empty answer', new EmptyResponseBodyError()],
    ['a time limit', new DOMException('too slow', 'TimeoutError')],
    ['overload inside a stream', { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
    ['a status inside a stream', { error: { code: 503, status: 'UNAVAILABLE', message: 'later' } }],
  ])('says yes to %s', (_, error) => expect(isRetryable(error)).toBe(true));

  it.each([
    ['400', apiError({ status: 400 })],
    ['401', apiError({ status: 401 })],
    ['404', apiError({ status: 404 })],
    ['422', apiError({ status: 422 })],
    ['an abort', new DOMException('stop', 'AbortError')],
    ['an abort behind a network error', new TypeError('terminated', { cause: new DOMException('x', 'AbortError') })],
    ['a plain error', new Error('no')],
    ['a name that cannot be found', coded('ENOTFOUND')],
    ['what is no error', 'terminated'],
    ['nothing', undefined],
    ['null', null],
    ['a request that was wrong', { type: 'error', error: { type: 'invalid_request_error', message: 'bad' } }],
  ])('says no to %s', (_, error) => expect(isRetryable(error)).toBe(false));

  it("follows the provider's isRetryable", () => {
    const error = { message: 'quota', url: 'x', requestBodyValues: {}, statusCode: 429, isRetryable: false };
    expect(isRetryable(new APICallError(error))).toBe(false);
    expect(isRetryable(new APICallError({ ...error, statusCode: 400, isRetryable: true }))).toBe(true);
  });

  it('ends with circular causes', () => {
    const error = new Error('round');
    error.cause = error;
    expect(isRetryable(error)).toBe(false);
  });
});

describe(proves('A03')('retryAfterMs'), () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  it.each([
    [{ 'retry-after-ms': '120' }, 120],
    [{ 'Retry-After': '2' }, 2000],
    [{ 'retry-after': '0.25' }, 250],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after-ms': '10', 'retry-after': '9' }, 10],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:05 GMT' }, 5000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 23:00:00 GMT' }, 0],
    [{ 'retry-after': '86400' }, 60_000],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '-5s' }, undefined],
    [{}, undefined],
  ])('reads %j', (headers, ms) => expect(retryAfterMs(apiError({ status: 429, headers }), now)).toBe(ms));

  it('finds the header in nested errors, and nothing in other values', () => {
    const cause = apiError({ status: 429, headers: { 'retry-after': '1' } });
    expect(retryAfterMs(new BridleError('SCRIPT_FAILED', 'x', { cause }))).toBe(1000);
    expect(retryAfterMs('wait')).toBeUndefined();
  });
});

describe(proves('A03')('backoffMs'), () => {
  it('doubles from half a second to half a minute', () => {
    expect([1, 2, 3, 4, 10, 5000].map((attempt) => backoffMs(attempt, () => 1))).toEqual([
      500, 1000, 2000, 4000, 30_000, 30_000,
    ]);
  });

  it('randomises half of it', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, chance) => {
        const full = backoffMs(attempt, () => 1);
        const ms = backoffMs(attempt, () => chance);
        expect(ms).toBeGreaterThanOrEqual(full / 2);
        expect(ms).toBeLessThanOrEqual(full);
      }),
    );
  });
});

describe('describeFailure', () => {
  it('has status and message, and nothing of the request', () => {
    expect(describeFailure(apiError({ status: 429, message: 'Slow\ndown' }))).toBe('429 Slow down');
  });

  it('names the network failure', () => {
    const error = new TypeError('fetch failed', { cause: coded('ECONNREFUSED', 'connect failed') });
    expect(describeFailure(error)).toBe('fetch failed (ECONNREFUSED)');
  });

  it('reads the error that a provider sends inside a stream', () => {
    expect(describeFailure({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })).toBe(
      'Overloaded',
    );
  });

  it.each([
    'Incorrect API key provided: sk-proj-abcdef1234567890.',
    'Bad header Authorization: Bearer abcdef.1234567890',
    'GET https://example.test/v1?key=abcdef1234567890&x=1 failed',
    'API key AIzaSyabcdef1234567890 is not valid',
    'invalid x-api-key sk-ant-api03-abcdef1234567890-AA',
  ])('shows no key: %s', (message) => {
    const text = describeFailure(apiError({ status: 401, message }));
    expect(text).not.toContain('abcdef');
    expect(text).toContain('[key]');
  });

  it('is one line of limited length, whatever was thrown', () => {
    const strange = [undefined, null, 7, '', {}, [], new Error(''), Object.create(null), Symbol('x')];
    for (const thrown of [...strange, new Error('long '.repeat(1000)), 'a\u0000b\u202Ec\r\nd']) {
      const text = describeFailure(thrown);
      expect(text.length).toBeLessThan(330);
      expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }
  });
});
