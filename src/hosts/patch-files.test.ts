import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs, seed } from '../../test/property-runs.ts';
import { patchFiles } from './patch-files.ts';

const patch = (...lines: readonly string[]): string => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');

describe('patchFiles', () => {
  it('finds the files of every kind of section', () => {
    const text = patch(
      '*** Add File: a b.txt',
      '+*** Add File: inside.txt',
      '+',
      '*** Update File: src/old.ts',
      '*** Move to: src/new.ts',
      '@@ class A',
      ' ***',
      '-old',
      '+new',
      '',
      '*** Update File: c.ts',
      '@@',
      '+x',
      '*** End of File',
      '*** Delete File: /etc/d',
    );
    expect(patchFiles(`\n${text}\n`)).toEqual({
      added: ['a b.txt'],
      changed: ['c.ts'],
      deleted: ['/etc/d'],
      moved: [{ from: 'src/old.ts', to: 'src/new.ts' }],
    });
  });

  it('reads CRLF line ends', () => {
    const crlf = patch('*** Add File: a', '+x').replaceAll('\n', '\r\n');
    expect(patchFiles(crlf)?.added).toEqual(['a']);
  });

  it.each([
    ['nothing', ''],
    ['no section', patch()],
    ['no end', '*** Begin Patch\n*** Add File: a\n+x'],
    ['text before it', `x\n${patch('*** Delete File: a')}`],
    ['a heredoc', `<<'EOF'\n${patch('*** Delete File: a')}\nEOF`],
    ['an indented header', patch('*** Delete File: a', ' *** Delete File: b')],
    ['an indented header in an update', patch('*** Update File: a', '@@', ' x', '  *** Add File: b')],
    ['an indented end in an update', patch('*** Update File: a', '@@', ' *** End Patch')],
    ['a header without a space', patch('*** Delete File:a')],
    ['a header in other case', patch('*** delete file: a')],
    ['a path with spaces around it', patch('*** Delete File:  a')],
    ['a path with an invisible space', patch('*** Delete File: a\u00A0')],
    ['a path with a tab', patch('*** Delete File: a\tb')],
    ['an empty path', patch('*** Delete File: ')],
    ['a lone CR', patch('*** Add File: a', '+x\r*** Delete File: b')],
    ['content after a deletion', patch('*** Delete File: a', '+x')],
    ['content without a file', patch('+x', '*** Delete File: a')],
    ['an added line without +', patch('*** Add File: a', 'x')],
    ['an unknown line', patch('*** Update File: a', 'x')],
    ['an unknown header', patch('*** Environment ID: x', '*** Delete File: a')],
    ['a move of an added file', patch('*** Add File: a', '*** Move to: b')],
    ['a move after content', patch('*** Update File: a', '@@', '*** Move to: b')],
    ['two moves', patch('*** Update File: a', '*** Move to: b', '*** Move to: c')],
    ['a second patch', `${patch('*** Delete File: a')}\n${patch('*** Delete File: b')}`],
  ])('refuses %s', (_, text) => {
    expect(patchFiles(text)).toBeUndefined();
  });

  it('names every path in a header, or none', () => {
    const line = fc.oneof(
      fc.constantFrom('', ' ', '@@', '*** End of File', '*** End Patch', '*** Begin Patch', '\r', '+x', '-x', ' x'),
      fc
        .tuple(
          fc.constantFrom('', ' ', '\t', '\u00A0'),
          fc.constantFrom(
            '*** Add File: ',
            '*** Update File: ',
            '*** Delete File:',
            '*** Delete File: ',
            '*** Move to: ',
          ),
          fc.constantFrom('a', 'b c', ' d', 'e\u0085', '*** Add File: f'),
        )
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
        const files = patchFiles(patch(...lines));
        if (files === undefined) return;
        const found = [
          ...files.added,
          ...files.changed,
          ...files.deleted,
          ...files.moved.flatMap(({ from, to }) => [from, to]),
        ];
        // As lenient as the most lenient host.
        const named = lines.map((each) => /^\s*\*{3} (?:(?:Add|Update|Delete) File|Move to):(.*)$/.exec(each)?.[1]);
        expect(found.toSorted()).toEqual(named.flatMap((path) => (path === undefined ? [] : [path.trim()])).toSorted());
      }),
      { seed, numRuns: runs(3000) },
    );
  });
});
