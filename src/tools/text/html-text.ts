/** Extracts the readable text of a web page in one pass. */

/** Elements without readable text. */
const skippedElements = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'title',
  'svg',
  'head',
  'iframe',
  'object',
  'canvas',
]);
/** Elements whose content is raw text up to the end tag. */
const rawTextElements = new Set(['script', 'style', 'iframe', 'noscript']);
const blocks = new Set(
  'address article aside blockquote br dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tr ul'.split(
    ' ',
  ),
);

export function htmlText(html: string): string {
  const reader = new HtmlReader(html);
  return reader.read();
}

/** The title of the page, if it has one. */
export function htmlTitle(html: string): string | undefined {
  const start = /<title\b[^<>]{0,200}>/i.exec(html.slice(0, 65_536));
  if (start === null) return undefined;
  const from = start.index + start[0].length;
  const end = html.indexOf('<', from);
  return decodeEntities(html.slice(from, end === -1 ? from : Math.min(end, from + 300)))
    .replace(/\s+/g, ' ')
    .trim();
}

class HtmlReader {
  private readonly parts: string[] = [];
  private at = 0;
  private readonly lower: string;
  private readonly absent = new Set<string>();

  constructor(private readonly html: string) {
    this.lower = html.toLowerCase();
  }

  read(): string {
    while (this.at < this.html.length) {
      const open = this.html.indexOf('<', this.at);
      this.parts.push(this.html.slice(this.at, open === -1 ? undefined : open).replace(/\s+/g, ' '));
      if (open === -1) break;
      this.at = open;
      this.readMarkup();
    }
    const text = decodeEntities(this.parts.join(''));
    return text
      .split('\n')
      .map((line) => line.replace(/[^\S\n]+/g, ' ').trim())
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
  }

  private readMarkup(): void {
    if (this.html.startsWith('<!--', this.at)) return this.skipPast('-->', this.at + 4);
    const name = /^<(\/?)([a-z][a-z0-9]*)/i.exec(this.html.slice(this.at, this.at + 40));
    if (name === null) {
      if (/[!?/]/.test(this.html[this.at + 1] ?? '')) return this.skipPast('>', this.at);
      this.parts.push('<');
      this.at++;
      return undefined;
    }
    const isEnd = name[1] === '/';
    const tag = (name[2] ?? '').toLowerCase();
    this.skipTag(this.at + name[0].length);
    if (!isEnd && skippedElements.has(tag)) return this.skipElement(tag);
    if (tag === 'li' && !isEnd) this.parts.push('\n- ');
    else if (blocks.has(tag)) this.parts.push('\n');
    else if (!isEnd && (tag === 'td' || tag === 'th')) this.parts.push(' | ');
    return undefined;
  }

  /** Skips to the end of a tag. A `>` in quotes belongs to the tag. */
  private skipTag(from: number): void {
    let quote = '';
    for (let at = from; at < this.html.length; at++) {
      const character = this.html[at] as string;
      if (quote !== '') quote = character === quote ? '' : quote;
      else if (character === '>') return void (this.at = at + 1);
      else if (character === '"' || character === "'") quote = character;
    }
    this.at = this.html.length;
  }

  /** Skips an element. A `head` without an end tag ends where the body starts. */
  private skipElement(tag: string): void {
    if (this.html[this.at - 2] === '/' && !rawTextElements.has(tag)) return;
    const end = this.find(`</${tag}`);
    if (end !== -1) return this.skipTag(end);
    const body = tag === 'head' ? this.find('<body') : -1;
    this.at = body === -1 ? (tag === 'head' ? this.at : this.html.length) : body;
  }

  /** Remembers texts that do not occur: searching again for each start tag would take quadratic time. */
  private find(text: string): number {
    if (this.absent.has(text)) return -1;
    const at = this.lower.indexOf(text, this.at);
    if (at === -1) this.absent.add(text);
    return at;
  }

  private skipPast(text: string, from: number): void {
    const end = this.html.indexOf(text, from);
    this.at = end === -1 ? this.html.length : end + text.length;
  }
}

/** Common named entities. */
const entities: ReadonlyMap<string, string> = new Map([
  ['nbsp', ' '],
  ...(
    'amp=& lt=< gt=> quot=" apos=\' copy=© reg=® trade=™ hellip=… mdash=— ndash=– lsquo=‘ rsquo=’ ldquo=“ rdquo=” ' +
    'laquo=« raquo=» bull=• middot=· deg=° times=× euro=€ pound=£ sect=§ para=¶ rarr=→ larr=← auml=ä ouml=ö uuml=ü ' +
    'Auml=Ä Ouml=Ö Uuml=Ü szlig=ß eacute=é egrave=è agrave=à ccedil=ç ntilde=ñ'
  )
    .split(' ')
    .map((each) => each.split('=') as [string, string]),
]);

/** Decodes numeric and common named entities once. Unknown ones stay unchanged. */
function decodeEntities(text: string): string {
  return text.replace(/&(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8});/gi, (all, entity: string) => {
    if (!entity.startsWith('#')) return entities.get(entity) ?? all;
    const code = Number(entity.slice(1).replace(/^x/i, '0x'));
    const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : '\ufffd';
  });
}
