/** The four provider APIs: the client of each, and how to read its requests. */

import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { JsonObject } from 'bridle';
import { frames, type Frames } from './frames.ts';

/** A request that a provider received, in a common format. */
export interface Sent {
  readonly system: string;
  /** The roles in order, as the provider names them. */
  readonly roles: readonly string[];
  readonly texts: readonly string[];
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: unknown }[];
  readonly results: readonly { readonly id: string; readonly text: string }[];
  readonly media: readonly string[];
  readonly tools: readonly string[];
  /** True if the schema was sent to the provider itself. */
  readonly asksForJson: boolean;
}

export interface Wire {
  readonly name: string;
  readonly frames: Frames;
  /** Settings that make the client send everything, instead of references to stored content. */
  readonly settings?: JsonObject;
  /** A model on a local server. Every request body is added to `sent`. */
  model(url: string, sent?: Json[]): LanguageModelV4;
  read(body: Json): Sent;
}

// oxlint-disable-next-line typescript/no-explicit-any -- bodies of four formats, read by the tests only
export type Json = any;

const settings = (url: string, sent: Json[] | undefined) => ({
  baseURL: url,
  apiKey: 'test-key',
  fetch: async (input: string | URL | Request, init?: RequestInit) => {
    sent?.push(JSON.parse(init?.body as string));
    return fetch(input, init);
  },
});

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const list = (content: Json): Json[] => (Array.isArray(content) ? content : [{ type: 'text', text: content ?? '' }]);
const textOf = (content: Json): string =>
  list(content)
    .map((part) => part.text ?? '')
    .join('');

const called = (part: Json): Json => part.functionCall ?? part.functionResponse;

const chat: Wire = {
  name: 'OpenAI chat',
  frames: frames.chat,
  model: (url, sent) => createOpenAI(settings(`${url}/v1`, sent)).chat('gpt-test'),
  read: (body) => {
    const spoken = body.messages.filter((each: Json) => !['system', 'developer'].includes(each.role));
    return {
      system: textOf(body.messages.find((each: Json) => ['system', 'developer'].includes(each.role))?.content),
      roles: spoken.map((each: Json) => each.role),
      texts: spoken
        .filter((each: Json) => each.role !== 'tool' && each.content !== null)
        .map((each: Json) => textOf(each.content)),
      calls: spoken
        .flatMap((each: Json) => each.tool_calls ?? [])
        .map((each: Json) => ({ id: each.id, name: each.function.name, args: parsed(each.function.arguments) })),
      results: spoken
        .filter((each: Json) => each.role === 'tool')
        .map((each: Json) => ({ id: each.tool_call_id, text: textOf(each.content) })),
      media: spoken
        .flatMap((each: Json) => list(each.content))
        .filter((part: Json) => part.type === 'image_url')
        .map((part: Json) => part.image_url.url),
      tools: (body.tools ?? []).map((each: Json) => each.function.name),
      asksForJson: body.response_format?.type === 'json_schema',
    };
  },
};

const responses: Wire = {
  name: 'OpenAI responses',
  frames: frames.responses,
  settings: { providerOptions: { openai: { store: false } } },
  model: (url, sent) => createOpenAI(settings(`${url}/v1`, sent)).responses('gpt-test'),
  read: (body) => {
    const spoken = body.input.filter((each: Json) => !['system', 'developer'].includes(each.role));
    const messages = spoken.filter((each: Json) => each.role !== undefined);
    return {
      system: textOf(body.input.find((each: Json) => ['system', 'developer'].includes(each.role))?.content),
      roles: spoken.map((each: Json) => each.role ?? each.type),
      texts: messages.map((each: Json) => textOf(each.content)),
      calls: spoken
        .filter((each: Json) => each.type === 'function_call')
        .map((each: Json) => ({ id: each.call_id, name: each.name, args: parsed(each.arguments) })),
      results: spoken
        .filter((each: Json) => each.type === 'function_call_output')
        .map((each: Json) => ({ id: each.call_id, text: textOf(each.output) })),
      media: messages
        .flatMap((each: Json) => list(each.content))
        .filter((part: Json) => part.type === 'input_image')
        .map((part: Json) => part.image_url),
      tools: (body.tools ?? []).map((each: Json) => each.name),
      asksForJson: body.text?.format?.type === 'json_schema',
    };
  },
};

const anthropic: Wire = {
  name: 'Anthropic',
  frames: frames.anthropic,
  model: (url, sent) => createAnthropic(settings(`${url}/v1`, sent))('claude-opus-5'),
  read: (body) => {
    const parts = body.messages.flatMap((each: Json) => list(each.content));
    return {
      system: textOf(body.system),
      roles: body.messages.map((each: Json) => each.role),
      texts: parts.filter((part: Json) => part.type === 'text').map((part: Json) => part.text),
      calls: parts
        .filter((part: Json) => part.type === 'tool_use')
        .map((part: Json) => ({ id: part.id, name: part.name, args: part.input })),
      results: parts
        .filter((part: Json) => part.type === 'tool_result')
        .map((part: Json) => ({ id: part.tool_use_id, text: textOf(part.content) })),
      media: parts
        .filter((part: Json) => part.type === 'image')
        .map((part: Json) => `data:${part.source.media_type};base64,${part.source.data}`),
      tools: (body.tools ?? []).map((each: Json) => each.name),
      asksForJson: body.output_config?.format?.type === 'json_schema' || body.output_format !== undefined,
    };
  },
};

const google: Wire = {
  name: 'Google',
  frames: frames.google,
  model: (url, sent) => createGoogle(settings(`${url}/v1beta`, sent))('gemini-2.5-pro'),
  read: (body) => {
    const parts = body.contents.flatMap((each: Json) => each.parts);
    return {
      system: (body.systemInstruction?.parts ?? []).map((part: Json) => part.text).join(''),
      roles: body.contents.map((each: Json) => each.role),
      texts: parts.filter((part: Json) => part.text !== undefined).map((part: Json) => part.text),
      calls: parts
        .filter((part: Json) => part.functionCall !== undefined)
        .map((part: Json) => ({
          id: called(part).id ?? called(part).name,
          name: called(part).name,
          args: called(part).args,
        })),
      results: parts
        .filter((part: Json) => part.functionResponse !== undefined)
        .map((part: Json) => ({
          id: called(part).id ?? called(part).name,
          text: JSON.stringify(called(part).response),
        })),
      media: parts
        .filter((part: Json) => part.inlineData !== undefined)
        .map((part: Json) => `data:${part.inlineData.mimeType};base64,${part.inlineData.data}`),
      tools: (body.tools ?? []).flatMap((each: Json) => each.functionDeclarations ?? []).map((each: Json) => each.name),
      asksForJson: body.generationConfig?.responseMimeType === 'application/json',
    };
  },
};

export const wires: readonly Wire[] = [chat, responses, anthropic, google];
