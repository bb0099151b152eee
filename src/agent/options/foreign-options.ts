/**
 * Option names of other agent SDKs, and the Bridle option for each, so that the error for an unknown option can name
 * the right one. Spelling does not matter: `system_prompt` and `systemPrompt` are the same name.
 */

import { closestName } from '../../kernel/similar-names.ts';

/** From the Bridle option, as the error shows it, to its foreign names. */
type Names = Readonly<Record<string, string>>;

const agent: Names = {
  '"model"': 'llm models modelId modelName provider languageModel client chatModel backend fallbackModels',
  '"instructions"':
    'system systemPrompt systemInstruction systemInstructions systemMessage prompt prefix persona role customInstructions appendSystemPrompt',
  '"name"': 'agentName',
  '"tools"': 'toolsList functions customTools toolset toolsets actions plugins skills',
  '"policy"':
    'policies rules rule runtimePolicy permission permissions permissionMode canUseTool enforcer policyEnforcer safetyPolicies',
  '"policy": allowAll()': 'allowAll approveAll yolo dangerouslySkipPermissions autoApprove',
  '"hooks"':
    'hook lifecycleHooks agentHooks hookChain hookRunner callbacks middleware interceptors listeners events eventHandlers onEvent onStepFinish guardrails inputGuardrails outputGuardrails',
  '"approver"': 'askUser askUserHandler onApproval approvalHandler confirm confirmHandler humanInTheLoop interruptOn',
  '"capabilities"': 'capabilitiesConfig capability',
  '"capabilities": { enabledTools }': 'enabledTools allowedTools activeTools toolAllowlist',
  '"capabilities": { disabledTools }': 'disabledTools disallowedTools toolDenylist excludedTools',
  '"subagents" for those it may start, or "capabilities": { subagents: false } for none':
    'enableSubagents agents subAgents subagentTypes handoffs team',
  '"mcpServers"': 'mcp mcpServer mcpConfig servers mcpServerConfigs',
  '"workspaces"': 'workspace workspaceOnly roots additionalDirectories allowedDirectories addDirs',
  '"cwd"': 'workingDir workingDirectory projectDir root rootDir appDataDir',
  '"state"': 'initialState context sessionState contextVariables',
  '"session"': 'conversation thread',
  '"session": { id }': 'sessionId conversationId threadId runId resume resumeSession',
  '"session": { store }': 'saveDir sessionStore storage checkpointer sessionService persistence',
  '"memory"': 'memoryPlugin memoryStore memoryService',
  '"budget"': 'tokenBudget budgets costLimit maxCost maxBudgetUsd usageLimits rateLimit rateLimits',
  '"budget": { perTurn: { toolCalls } }': 'maxToolCalls maxToolCallsPerTurn',
  '"budget": { perTurn: { wallMs } }': 'maxExecutionTime maxDuration turnTimeout',
  '"maxSteps"': 'maxTurns maxIterations maxIters stopWhen recursionLimit stepLimit maxRounds',
  '"settings"':
    'modelSettings modelConfig generationConfig llmConfig generateContentConfig modelParams modelKwargs config',
  '"settings": { temperature }': 'temperature',
  '"settings": { maxOutputTokens }': 'maxTokens maxOutputTokens maxCompletionTokens maxLength',
  '"settings": { topP }': 'topP',
  '"settings": { stopSequences }': 'stop stopSequences',
  '"settings": { toolChoice }': 'toolChoice toolConfig',
  '"settings": { reasoning }': 'reasoning reasoningEffort thinking thinkingConfig thinkingBudget',
  '"settings": { headers }': 'headers extraHeaders',
  '"settings": { providerOptions }': 'providerOptions extraBody experimentalProviderMetadata',
  '"retries"': 'maxRetries retry retryConfig retryPolicy numRetries',
  '"modelTimeoutMs"': 'timeout requestTimeout modelTimeout timeoutSeconds',
  '"compaction"': 'compactionConfig contextManagement contextWindow summarization compactAt autoCompact',
  '"loop"': 'core runner agentCore executor engine agentLoop coreType',
  '"triggers"': 'trigger schedules cron',
  '"telemetry"': 'tracing tracer otel instrumentation experimentalTelemetry',
  '"journal"': 'audit auditLog auditLogger logger log',
  '"subagents", where each has a "description"': 'description',
  'chat(prompt, { schema })':
    'responseSchema responseFormat outputSchema outputType outputKey output schema structuredOutput resultType',
  'chat(prompt, { signal })': 'signal abortSignal abortController cancellationToken',
  'a model object, from loadModel(name, { apiKey })': 'apiKey apiKeys baseUrl baseURL project location vertexai',
  'agent.stream(prompt)': 'stream streaming',
};

const capabilities: Names = {
  '"subagents"': 'enableSubagents allowSubagents',
  '"enabledTools"': 'tools allowedTools allow include activeTools',
  '"disabledTools"': 'disallowedTools deny exclude excludedTools',
  '"preset"': 'mode level readOnly kind type',
};

const chat: Names = {
  '"schema"':
    'responseSchema responseFormat outputSchema outputType output structuredOutput resultType jsonSchema format',
  '"signal"': 'abortSignal abortController cancellationToken',
  'agent.stream(prompt)': 'stream streaming',
  'agent.open({ id }) for another session': 'sessionId session threadId conversationId',
  '"budget": { perTurn } of createAgent': 'budget timeout timeoutMs maxTurns maxSteps',
};

const session: Names = {
  '"id"': 'sessionId threadId conversationId runId name',
  '"store"': 'saveDir storage checkpointer path dir folder',
  '"mode"': 'resume create resumed',
};

const settings: Names = {
  '"maxOutputTokens"': 'maxTokens maxCompletionTokens maxLength',
  '"stopSequences"': 'stop stopWords',
  '"reasoning"': 'thinking reasoningEffort thinkingConfig',
};

const limits: Names = {
  '"inputTokens" or "outputTokens"': 'tokens maxTokens totalTokens',
  '"modelCalls"': 'requests llmCalls calls maxTurns steps',
  '"toolCalls"': 'tools maxToolCalls',
  '"cost"': 'usd maxCost dollars maxBudgetUsd price',
  '"wallMs"': 'time timeout timeoutMs ms duration seconds',
};

const loop: Names = {
  '"start"': 'init initialize setup open connect',
  '"stop"': 'shutdown close dispose teardown cleanup destroy',
  '"run"': 'runTurn execute step invoke',
};

const tool: Names = {
  '"schema"': 'parameters inputSchema argsSchema jsonSchema inputs',
  '"run"': 'execute handler func fn invoke implementation',
  'the rule ask(tool) in "policy"':
    'needsApproval requireApproval requiresApproval requiresConfirmation needsConfirmation',
};

const tables = { agent, capabilities, chat, limits, loop, session, settings, tool };

/** The object that an option belongs to. */
export type OptionGroup = keyof typeof tables;

/** Folds all spellings of a name into one. */
function foldName(name: string): string {
  return name.replaceAll(/[_\-\s]/g, '').toLowerCase();
}

/** The Bridle option for a foreign name, as the error shows it. */
export function bridleOptionFor(group: OptionGroup, name: string): string | undefined {
  const folded = foldName(name);
  const isFor = ([, foreign]: [string, string]): boolean =>
    foreign.split(' ').some((each) => foldName(each) === folded);
  return Object.entries<string>(tables[group]).find(isFor)?.[0];
}

/** Suggests an option for an unknown name. */
export function optionHint(group: OptionGroup | undefined, name: string, known: readonly string[]): string {
  const same = known.find((each) => foldName(each) === foldName(name));
  if (same !== undefined) return `; did you mean "${same}"?`;
  const foreign = group === undefined ? undefined : bridleOptionFor(group, name);
  if (foreign !== undefined) {
    const [, option] = /^"(\w+)"/.exec(foreign) ?? [];
    return `; use ${foreign}${option === undefined || known.includes(option) ? '' : ' of createAgent'}`;
  }
  const near = closestName(name, known);
  return near === undefined ? '' : `; did you mean "${near}"?`;
}
