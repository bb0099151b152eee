/** Bridle's own types of models are compared with those of the AI SDK, by the compiler: `npm run check` runs it, too. */

import type {
  LanguageModelV3,
  LanguageModelV4 as SdkModel,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4FunctionTool,
  LanguageModelV4GenerateResult,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import type { AgentOptions, LanguageModel } from 'bridle/agent';
import { scriptedModel } from 'bridle/testing';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type {
  AnswerContent,
  FinishReason,
  FunctionTool,
  GeneratedAnswer,
  LanguageModelV4,
  ModelCallOptions,
  ModelCallOptionsV3,
  ModelMessage,
  ModelPrompt,
  ModelUsage,
  ResultOutput,
  StreamedAnswer,
  StreamPart,
} from './model-interface.ts';

describe('the types of a model', () => {
  it('accept every model of the AI SDK', () => {
    expectTypeOf<SdkModel>().toExtend<LanguageModel>();
    expectTypeOf<LanguageModelV3>().toExtend<LanguageModel>();
    expectTypeOf<SdkModel>().toExtend<NonNullable<AgentOptions['model']>>();
    const models: readonly LanguageModel[] = [
      createAnthropic({ apiKey: 'none' })('any'),
      createGoogle({ apiKey: 'none' })('any'),
      createOpenAI({ apiKey: 'none' })('any'),
      createOpenAI({ apiKey: 'none' }).chat('any'),
    ];
    expect(models.map(({ specificationVersion }) => specificationVersion)).toEqual(['v4', 'v4', 'v4', 'v4']);
  });

  it('accept a model whose stream has parts that Bridle does not know', () => {
    type Newer = Omit<SdkModel, 'doStream'> & {
      doStream(
        options: LanguageModelV4CallOptions & { tone?: string },
      ): PromiseLike<{ stream: ReadableStream<LanguageModelV4StreamPart | { type: 'hologram'; light: number }> }>;
    };
    expectTypeOf<Newer>().toExtend<LanguageModel>();
  });

  it('refuse what is no model', () => {
    expectTypeOf<{ provider: string; modelId: string }>().not.toExtend<LanguageModel>();
    expectTypeOf<Omit<SdkModel, 'doStream'>>().not.toExtend<LanguageModel>();
    expectTypeOf<
      Omit<SdkModel, 'specificationVersion'> & { specificationVersion: 'v2' }
    >().not.toExtend<LanguageModel>();
  });

  it("make the AI SDK accept Bridle's models", () => {
    expectTypeOf<LanguageModelV4>().toExtend<SdkModel>();
    expectTypeOf(scriptedModel).returns.toExtend<SdkModel>();
  });

  it('are those of the AI SDK, in both directions', () => {
    expectTypeOf<Same<ModelCallOptions, LanguageModelV4CallOptions>>().toEqualTypeOf<true>();
    expectTypeOf<Same<ModelPrompt, LanguageModelV4Prompt>>().toEqualTypeOf<true>();
    expectTypeOf<Same<ModelMessage, LanguageModelV4Message>>().toEqualTypeOf<true>();
    expectTypeOf<Same<ResultOutput, LanguageModelV4ToolResultOutput>>().toEqualTypeOf<true>();
    expectTypeOf<Same<StreamPart, LanguageModelV4StreamPart>>().toEqualTypeOf<true>();
    expectTypeOf<Same<AnswerContent, LanguageModelV4Content>>().toEqualTypeOf<true>();
    expectTypeOf<Same<GeneratedAnswer, LanguageModelV4GenerateResult>>().toEqualTypeOf<true>();
    expectTypeOf<Same<StreamedAnswer, LanguageModelV4StreamResult>>().toEqualTypeOf<true>();
    expectTypeOf<Same<ModelUsage, LanguageModelV4Usage>>().toEqualTypeOf<true>();
    expectTypeOf<Same<FinishReason, LanguageModelV4FinishReason>>().toEqualTypeOf<true>();
    expectTypeOf<Same<FunctionTool, LanguageModelV4FunctionTool>>().toEqualTypeOf<true>();
  });

  it('have each field and each kind of part of the AI SDK, and no other', () => {
    expectTypeOf<FieldsOf<ModelCallOptions>>().toEqualTypeOf<FieldsOf<LanguageModelV4CallOptions>>();
    expectTypeOf<FieldsOf<ModelMessage>>().toEqualTypeOf<FieldsOf<LanguageModelV4Message>>();
    expectTypeOf<FieldsOf<ResultOutput>>().toEqualTypeOf<FieldsOf<LanguageModelV4ToolResultOutput>>();
    expectTypeOf<FieldsOf<StreamPart>>().toEqualTypeOf<FieldsOf<LanguageModelV4StreamPart>>();
    expectTypeOf<FieldsOf<AnswerContent>>().toEqualTypeOf<FieldsOf<LanguageModelV4Content>>();
    expectTypeOf<FieldsOf<GeneratedAnswer>>().toEqualTypeOf<FieldsOf<LanguageModelV4GenerateResult>>();
    expectTypeOf<FieldsOf<FunctionTool>>().toEqualTypeOf<FieldsOf<LanguageModelV4FunctionTool>>();
    expectTypeOf<StreamPart['type']>().toEqualTypeOf<LanguageModelV4StreamPart['type']>();
    expectTypeOf<AnswerContent['type']>().toEqualTypeOf<LanguageModelV4Content['type']>();
    expectTypeOf<FinishReason['unified']>().toEqualTypeOf<LanguageModelV4FinishReason['unified']>();
  });

  it('describe the options of version 3, but for the content of its messages', () => {
    type Options = Parameters<LanguageModelV3['doStream']>[0];
    expectTypeOf<Options>().toExtend<ModelCallOptionsV3>();
    expectTypeOf<Omit<ModelCallOptionsV3, 'prompt' | 'reasoning'>>().toExtend<Omit<Options, 'prompt'>>();
  });
});

/** `true` if each type can be used as the other one. */
type Same<Own, Sdk> = [Own] extends [Sdk] ? ([Sdk] extends [Own] ? true : 'too narrow') : 'too wide';

/** The names of the fields, of all members of a union. */
type FieldsOf<T> = T extends unknown ? keyof T : never;
