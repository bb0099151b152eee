import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { safeText, safeJson, escapeControls, ControlEscaper } from './safe-text.ts';

const nasty = fc.constantFrom(
  '\u001B]52;c;x\u0007',
  '\u001B[2J',
  '\u009B',
  '\r\n',
  '\r',
  '\u202E',
  '😀',
  '\uD83D',
  '\u2028',
);
const text = fc.array(fc.oneof(nasty, fc.string({ unit: 'binary' })), { maxLength: 8 }).map((parts) => parts.join(''));
/** What a terminal obeys instead of showing it. */
const obeyed = /(?![\n\t\u200C\u200D])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

describe('text for a terminal', () => {
  it('keeps readable text, new lines and tabs', () => {
    expect(escapeControls('Grüße,\n\t日本 👩‍👩‍👧 ✓\r\n')).toBe('Grüße,\n\t日本 👩‍👩‍👧 ✓\n');
  });

  it(proves('Q04')('escapes what a terminal would interpret'), () => {
    expect(escapeControls('a\u001B[31mb\u0007\u202Ec\rd')).toBe('a⟨U+001B⟩[31mb⟨U+0007⟩⟨U+202E⟩c⟨U+000D⟩d');
    fc.assert(fc.property(text, (each) => !obeyed.test(escapeControls(each))));
  });

  it('is the same however the stream is split', () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(40)), (whole, cuts) => {
        const visible = new ControlEscaper();
        let rest = whole;
        let shown = '';
        for (const cut of cuts) {
          shown += visible.push(rest.slice(0, cut));
          rest = rest.slice(cut);
        }
        return shown + visible.push(rest) + visible.flush() === escapeControls(whole);
      }),
    );
  });

  it('marks further lines, so that they cannot pass for our own', () => {
    expect(safeText('no\n  ✓ run_command: allowed\n')).toBe('no\n    │   ✓ run_command: allowed');
  });
});

describe('JSON for a terminal', () => {
  it('is the same JSON on one line, without control characters', () => {
    fc.assert(
      fc.property(fc.dictionary(text, text), (value) => {
        const json = safeJson(value);
        expect(json).not.toMatch(obeyed);
        expect(json).not.toContain('\n');
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
