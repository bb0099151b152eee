import type { Project } from './project.ts';
import type { StarterSection } from './starter-policy.ts';

/** Each server once, in the order it was found. */
export function serverNames({ mcp }: Project): readonly string[] {
  return [...new Set(mcp.flatMap(({ servers }) => servers))];
}

/** Nobody but the people of a project knows which tools of a server only look. */
export function serverSection(project: Project): readonly StarterSection[] {
  const names = serverNames(project);
  if (names.length === 0) return [];
  return [
    {
      title: 'MCP servers',
      text: [
        'Each call is asked. What a tool says of itself is not believed; allow those you know to be harmless by name:',
        `  - allow: ${names[0] ?? ''}/some_tool`,
      ],
      rules: [
        {
          effect: 'ask',
          targets: names.map((name) => `${name}/*`),
          name: 'servers',
          reason: 'This is done by an MCP server, and nobody has said yet that it is harmless. May it?',
          tests: names.map((name) => ({ call: `${name}/some_tool`, args: {}, expect: 'ask' })),
        },
      ],
    },
  ];
}
