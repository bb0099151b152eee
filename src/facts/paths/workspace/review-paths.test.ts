import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { proves } from '../../../../test/contract/cite.ts';
import type { StandardSchema, ToolDeclaration } from '../../../kernel/tool.ts';
import { reviewPaths } from './review-paths.ts';

function schemaOf(input: () => unknown): StandardSchema {
  return { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }), jsonSchema: { input } } };
}

describe('reviewPaths', () => {
  it(proves('W01')('lists undeclared arguments that look like paths'), () => {
    expect(reviewPaths([{ name: 'read', server: 'math', args: ['path', 'text'] }])).toEqual([
      'math/read: argument "path" looks like a path but is not declared, so workspaceOnly does not check it',
    ]);
    expect(reviewPaths([{ name: 'read', args: ['path'], paths: ['path'] }])).toEqual([]);
    expect(reviewPaths([{ name: 'copy', args: ['from_path', 'toPath'], paths: ['from_path'] }])).toHaveLength(1);
  });

  it.each([
    'path',
    'paths',
    'filePath',
    'file_path',
    'filepath',
    'file',
    'files',
    'fileName',
    'file_name',
    'dir',
    'rootDir',
    'directory',
    'directories',
    'directory_path',
    'folder',
    'cwd',
    'src',
    'source',
    'dest',
    'destination',
    'target',
    'target_file',
    'output',
    'uri',
    'path2',
    'PATH',
    'workdir',
  ])(proves('W01')('takes %s for a path'), (name) => {
    expect(reviewPaths([{ name: 't', args: [name] }])).toHaveLength(1);
  });

  it.each([
    'query',
    'profile',
    'file_type',
    'path_length',
    'text',
    'command',
    'url',
    'count',
    'direction',
    'outputs_per_page',
  ])(proves('W01')('does not take %s for a path'), (name) => {
    expect(reviewPaths([{ name: 't', args: [name] }])).toEqual([]);
  });

  it(proves('W01')('reads schemas: nested, lists, choices, references'), () => {
    const schema = schemaOf(() => ({
      type: 'object',
      properties: {
        edits: { type: 'array', items: { type: 'object', properties: { path: { type: 'string' } } } },
        choice: { anyOf: [{ type: 'object', properties: { file: {} } }, { type: 'null' }] },
        shared: { $ref: '#/$defs/Place' },
      },
      $defs: { Place: { type: 'object', properties: { folder: {}, again: { $ref: '#/$defs/Place' } } } },
    }));
    const found = reviewPaths([
      { name: 't', schema, paths: ['shared.folder', 'shared.again.folder', 'shared.again.again.folder'] },
    ]);
    expect(found.filter((text) => !text.includes('shared'))).toEqual([
      expect.stringContaining('"edits[].path"'),
      expect.stringContaining('"choice.file"'),
    ]);
    expect(reviewPaths([{ name: 't', schema, paths: ['edits[].path', 'choice.file'] }])[0]).toContain(
      '"shared.folder"',
    );
  });

  it(proves('W01')('reads the schemas of a real library'), () => {
    const schema = z.object({
      to: z.object({ file: z.string() }),
      paths: z.array(z.string()),
    }) as unknown as StandardSchema;
    expect(reviewPaths([{ name: 't', schema, paths: ['paths'] }])).toEqual([expect.stringContaining('"to.file"')]);
  });

  it(proves('W01')('continues if a schema has no names'), () => {
    const broken = schemaOf(() => {
      throw new TypeError('cannot be written');
    });
    const cyclic: Record<string, unknown> = {};
    cyclic['properties'] = { next: cyclic };
    const tools: ToolDeclaration[] = [
      { name: 'a', schema: broken, args: ['path'] },
      { name: 'b', schema: schemaOf(() => cyclic) },
      { name: 'c', schema: schemaOf(() => null) },
    ];
    expect(reviewPaths(tools)).toEqual([
      expect.stringContaining('a: argument "path" looks like a path'),
      expect.stringContaining('c: declares no argument names'),
    ]);
    expect(reviewPaths([{ name: 'c', paths: [] }])).toEqual([]);
  });

  it(proves('W01', 'P14')('lists declarations that match nothing'), () => {
    expect(reviewPaths([{ name: 't', args: ['file'], paths: ['file', 'fiel'] }])).toEqual([
      expect.stringContaining('"fiel" matches no argument'),
    ]);
    expect(reviewPaths([{ name: 't', paths: ['edits[0].path', '', 'a..b', 'ok'] }])).toHaveLength(3);
  });
});
