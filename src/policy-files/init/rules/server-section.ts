import type { Project } from '../project/project.ts';
import type { StarterSection } from './starter-policy.ts';

/** The names of all servers, in the order they were found. */
export function serverNames({ mcp }: Project): readonly string[] {
  return [...new Set(mcp.flatMap(({ servers }) => servers))];
}

/** Only the project's own developers know which tools of a server are read-only. */
export function serverSection(project: Project): readonly StarterSection[] {
  const names = serverNames(project);
  if (names.length === 0) return [];
  return [
    {
      title: 'MCP servers',
      text: [
        'Each call is asked about. Bridle does not trust what a tool says about itself. Allow harmless tools by name:',
        `  - allow: ${names[0] ?? ''}/some_tool`,
      ],
      rules: [
        {
          effect: 'ask',
          targets: names.map((name) => `${name}/*`),
          name: 'MCP servers',
          reason: 'This MCP tool may have side effects. May it run?',
          tests: names.map((name) => ({ call: `${name}/some_tool`, args: {}, expect: 'ask' })),
        },
      ],
    },
  ];
}
