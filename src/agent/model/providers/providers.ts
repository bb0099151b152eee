/** The providers that a model string can name. */

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
