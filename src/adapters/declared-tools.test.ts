import { describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { DeclaredTools } from './declared-tools.ts';

describe('the declaration of a tool', () => {
  it(proves('G11')('does not count for a tool that was renamed: rules go by names'), () => {
    const tools = new DeclaredTools<{ name: string }>(({ name }) => name);
    const tool = { name: 'safe' };
    tools.set(tool, { name: 'safe' });
    expect(tools.get(tool)).toEqual({ name: 'safe' });
    tool.name = 'danger';
    expect(tools.get(tool)).toBeUndefined();
  });
});
