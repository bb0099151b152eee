/**
 * All names of spans and attributes. Those that start with `gen_ai` follow OpenTelemetry's conventions for generative
 * AI, which may still change.
 */

/** Span names. The name of the agent, model or tool is appended. */
export const spanName = {
  session: 'session',
  turn: 'invoke_agent',
  modelCall: 'chat',
  toolCall: 'execute_tool',
  approval: 'approval',
} as const;

export const attribute = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  conversation: 'gen_ai.conversation.id',
  agentName: 'gen_ai.agent.name',
  requestModel: 'gen_ai.request.model',
  responseId: 'gen_ai.response.id',
  finishReasons: 'gen_ai.response.finish_reasons',
  /** In seconds. */
  firstChunk: 'gen_ai.response.time_to_first_chunk',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheCreationTokens: 'gen_ai.usage.cache_creation.input_tokens',
  toolName: 'gen_ai.tool.name',
  toolCallId: 'gen_ai.tool.call.id',
  toolType: 'gen_ai.tool.type',
  errorType: 'error.type',
  agentPath: 'bridle.agent.path',
  turn: 'bridle.turn',
  step: 'bridle.step',
  steps: 'bridle.steps',
  origin: 'bridle.origin',
  stopReason: 'bridle.stop_reason',
  endReason: 'bridle.end_reason',
  attempt: 'bridle.attempt',
  purpose: 'bridle.purpose',
  next: 'bridle.next',
  server: 'bridle.server',
  decision: 'bridle.decision',
  rule: 'bridle.rule',
  hook: 'bridle.hook',
  outcome: 'bridle.outcome',
  approvalId: 'bridle.approval.id',
  remembered: 'bridle.approval.remembered',
} as const;

/** The prefix of span events and their attributes. */
export const bridlePrefix = 'bridle.';

/** The kind of failure if no other is known. */
export const otherError = '_OTHER';

/** Providers whose name in the conventions differs from their name in Bridle. */
const providers: ReadonlyMap<string, string> = new Map([
  ['amazon-bedrock', 'aws.bedrock'],
  ['azure', 'azure.ai.openai'],
  ['bedrock', 'aws.bedrock'],
  ['google', 'gcp.gemini'],
  ['mistral', 'mistral_ai'],
  ['vertex', 'gcp.vertex_ai'],
  ['xai', 'x_ai'],
]);

/** Splits a key such as `anthropic/claude-opus-5` into the provider, as the conventions name it, and the model id. */
export function splitModelKey(key: string): { readonly provider: string; readonly id: string } {
  const slash = key.indexOf('/');
  const own = key.slice(0, Math.max(0, slash));
  return { provider: providers.get(own) ?? own, id: key.slice(slash + 1) };
}
