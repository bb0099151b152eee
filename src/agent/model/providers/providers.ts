/** The one table of providers that a model string may name. */

/** How a provider's package is called, what it exports and which variable holds its key. */
export interface Provider {
  readonly package: string;
  /** The function that makes the provider; the first of these that the package exports. */
  readonly create: readonly string[];
  readonly key: string;
  /** The method of the provider that makes the model; the provider itself without one. */
  readonly method?: string | undefined;
}

/** By what stands before the first slash of a model string. */
export const providers: ReadonlyMap<string, Provider> = new Map(
  Object.entries<Provider>({
    anthropic: { package: '@ai-sdk/anthropic', create: ['createAnthropic'], key: 'ANTHROPIC_API_KEY' },
    openai: { package: '@ai-sdk/openai', create: ['createOpenAI'], key: 'OPENAI_API_KEY' },
    // Servers that imitate OpenAI mostly know the older interface only.
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
