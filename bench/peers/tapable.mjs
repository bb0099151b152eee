/** tapable generates one function per hook object; its two flows with an answer are the first answer and the thread. */

import tapable from 'tapable';

const contestant = (name, Hook) => ({
  name,
  setup({ hooks, kind, payload, ctx }) {
    const hook = new Hook(['payload', 'ctx']);
    for (const [i, fn] of hooks.entries()) {
      if (kind === 'sync') hook.tap(`hook ${i}`, fn);
      else hook.tapPromise(`hook ${i}`, fn);
    }
    if (kind === 'async') return () => hook.promise(payload, ctx);
    let answer;
    const done = (error, value) => {
      if (error) throw error;
      answer = value;
    };
    return () => {
      hook.callAsync(payload, ctx, done);
      return answer;
    };
  },
});

export const tapableBail = contestant('tapable bail', tapable.AsyncSeriesBailHook);
export const tapableWaterfall = contestant('tapable waterfall', tapable.AsyncSeriesWaterfallHook);
