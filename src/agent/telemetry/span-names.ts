/**
 * Every name that spans carry. Those that begin with `gen_ai` follow OpenTelemetry's conventions for generative AI, which
 * may still change: they change here and nowhere else.
 */

/** How spans are called; what they are about is added where there is something to add. */
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

/** What stands before the name of an event or of one of its fields, where a span only tells of it. */
export const bridlePrefix = 'bridle.';

/** The kind of failure where nothing better is known. */
export const otherError = '_OTHER';

/** Providers whose name in the conventions differs from the one they go by here. */
const providers: ReadonlyMap<string, string> = new Map([
  ['amazon-bedrock', 'aws.bedrock'],
  ['azure', 'azure.ai.openai'],
  ['bedrock', 'aws.bedrock'],
  ['google', 'gcp.gemini'],
  ['mistral', 'mistral_ai'],
  ['vertex', 'gcp.vertex_ai'],
  ['xai', 'x_ai'],
]);

/** `anthropic/claude-opus-5` as the conventions want it: the provider and the model's own id. */
export function splitModelKey(key: string): { readonly provider: string; readonly id: string } {
  const slash = key.indexOf('/');
  const own = key.slice(0, Math.max(0, slash));
  return { provider: providers.get(own) ?? own, id: key.slice(slash + 1) };
}
