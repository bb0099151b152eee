/** Adapters that are broken on purpose: a suite that does not notice them proves nothing. */
export const mutants = {
  'skip-tool': {
    file: 'framework-session.js',
    from: 'const { tool, id, args } = call;',
    to: `const { tool, id, args } = call;
        if (tool.name === 'send') {
            const run = async (execute) => ({ type: 'ended', result: { isError: false, text: '' }, value: await execute(args, {}), thrown: undefined });
            return { type: 'runs', args, isChanged: false, run, abandon() { } };
        }`,
  },
  'swallow-throw': {
    file: 'decided-call.js',
    from: 'if (result.isError) {',
    to: 'if (false) {',
  },
  'lose-edit': {
    file: 'decided-call.js',
    from: 'execute(call.args,',
    to: 'execute(call.requested,',
  },
  'any-answer': {
    file: 'paused-questions.js',
    from: /!this\.earlier\.has\((?:request\.)?id\)/g,
    to: 'false',
  },
};
