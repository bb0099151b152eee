/** Writes SVG elements: text stays text, and nothing outside the file is used. */

type Attributes = Readonly<Record<string, string | number | undefined>>;

/** An element on one line. Attributes that are undefined are left out, numbers get at most two digits. */
export function element(name: string, attributes: Attributes, ...content: readonly string[]): string {
  const written = Object.entries(attributes).flatMap(([key, value]) => {
    if (value === undefined) return [];
    const text = typeof value === 'number' ? String(Math.round(value * 100) / 100) : escaped(value);
    return [` ${key}="${text}"`];
  });
  const start = `<${name}${written.join('')}`;
  return content.length === 0 ? `${start}/>` : `${start}>${content.join('')}</${name}>`;
}

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** What a screen reader says. */
  readonly title: string;
  readonly style: string;
  readonly body: readonly string[];
}

export function picture({ width, height, title, style, body }: Picture): string {
  const frame = { xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox: `0 0 ${width} ${height}`, role: 'img' };
  const lines = [element('title', {}, escaped(title)), element('style', {}, `\n${style.trim()}\n`), ...body];
  return `${element('svg', frame, '\n', lines.join('\n'), '\n')}\n`;
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
