/** Decides whether a name marks its value as secret, in any spelling: `apiKey`, `X-Api-Key`, `API_KEY`, `apikey`. */

/**
 * Which values a name marks as secret. `secret`: texts. `hidden`: texts and numbers. `digits`: four to eight digits.
 * `doubtful`: what looks random. Some fields name what another field contains: `{ name: 'API_KEY', value: '…' }`.
 */
export type NameKind = 'plain' | 'secret' | 'hidden' | 'digits' | 'doubtful';

/** What the name of a field says about its value. */
export interface FieldMeaning {
  readonly kind: NameKind;
  /** The field is the label of a sibling: of a setting, or of an input on a page. */
  readonly labels: 'setting' | 'widget' | undefined;
  /** A sibling may be the label of the field; `typed`: only of an input on a page. */
  readonly labelled: 'any' | 'typed' | undefined;
}

/** Of longer names, only the end counts. */
const maxLength = 128;
const maxCached = 4096;

/** Words after the significant one that do not change the meaning. */
const qualifiers =
  /(?:value|val|text|txt|plain|plaintext|cleartext|raw|base64|b64|hex|hash|hashed|encoded|encrypted|enc|pem|string|str|data|header|confirm|confirmation|confirmed|repeat|again|old|new|current|\d+)$/;

const hidden =
  /(?:passwords?|passwds?|passphrases?|passcodes?|passwort|kennwort|pwds?|secrets?|otpcode|mfacode|securitycode|(?:store|key)pass|rediscliauth|(?:db|smtp|user|mail|admin|root|redis|ftp|mysql|pg)pass)$/;

const keysOf =
  'api access secret private priv signing sign encryption decryption master root shared account auth service ' +
  'subscription application app consumer admin deploy session hmac jwt webhook integration write server unseal security';
const tokensOf = 'access refresh auth api bearer session id bot secret csrf xsrf deploy personal device';

const secret = new RegExp(
  `(?:token|(?:${tokensOf.replaceAll(' ', '|')})tokens|authori[sz]ation|cookies?|credentials?|creds?|` +
    `(?:${keysOf.replaceAll(' ', '|')})keys?|accesskeyid|sessionid|sessid|connectionstring|connstring|connstr|` +
    'sharedaccesssignature|jwt|bearer|seedphrase|(?:recovery|backup)codes?|authcode|authorizationcode)$',
);

/** Tokens that grant no access: pagination, cancellation, parts of a text. */
const harmless =
  /(?:page|next|continuation|sync|cancell?ation|cancel|pagination|cursor|resume|eos|bos|unk|pad|start|stop|end|special|design|colou?r|syntax|change|first|last|current)token$/;

const harmlessPasses = /^(?:first|second|third|single|one|two|by|multi|render|last|next|test|all|boarding|each|per)$/;

const doubtful = new Set('auth sig signature sid hmac sshkey licensekey'.split(' '));
/** In the query of a URL, these are rarely anything else. */
const doubtfulParameters = new Set('key code session ticket assertion'.split(' '));

/** Fields that name the content of a sibling, and fields that contain it. */
const labelFields = new Map<string, FieldMeaning['labels']>([
  ...'name key header field variable var param parameter property attribute'
    .split(' ')
    .map((name): [string, 'setting'] => [name, 'setting']),
  ...'element selector locator label'.split(' ').map((name): [string, 'widget'] => [name, 'widget']),
]);
const valueFields = new Map<string, FieldMeaning['labelled']>([
  ...'value val values default'.split(' ').map((name): [string, 'any'] => [name, 'any']),
  ['text', 'typed'],
]);
/** Suffixes of input labels on a page. */
const widget = /\s*(?:field|input|box|textbox)$/i;

export class SecretNames {
  private readonly known = new Map<string, FieldMeaning>();
  private readonly extraNames: ReadonlySet<string>;
  private readonly keep: ReadonlySet<string>;

  constructor({
    names = [],
    keep = [],
  }: {
    names?: readonly string[] | undefined;
    keep?: readonly string[] | undefined;
  }) {
    this.extraNames = new Set(names.map((name) => wordsOf(name).join('')));
    this.keep = new Set(keep.map((name) => wordsOf(name).join('')));
  }

  /** What the name of a field means. Cached, because names recur. */
  meaningOf(name: string): FieldMeaning {
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const lower = name.toLowerCase();
    const read = { kind: this.readKind(name), labels: labelFields.get(lower), labelled: valueFields.get(lower) };
    if (this.known.size >= maxCached) this.known.clear();
    if (name.length <= maxLength) this.known.set(name, read);
    return read;
  }

  kindOf(name: string): NameKind {
    return this.meaningOf(name).kind;
  }

  kindOfParameter(name: string): NameKind {
    const kind = this.kindOf(name);
    return kind === 'plain' && doubtfulParameters.has(name.toLowerCase()) ? 'doubtful' : kind;
  }

  /** What a label means: the name of a header, or the label of an input on a page. */
  kindOfLabel(text: string): NameKind {
    return text.length > maxLength ? 'plain' : this.kindOf(text.replace(widget, ''));
  }

  private readKind(name: string): NameKind {
    const words = wordsOf(name.slice(-maxLength));
    if (this.keep.size > 0 && this.keep.has(words.join(''))) return 'plain';
    if (this.extraNames.size > 0 && this.extraNames.has(words.join(''))) return 'hidden';
    for (let joined = words.join(''); joined !== ''; joined = withoutQualifier(joined)) {
      const kind = kindOfJoined(joined);
      if (kind !== 'plain') return kind;
    }
    const [last = '', before = ''] = words.toReversed();
    if (last === 'pass') return harmlessPasses.test(before) ? 'plain' : 'hidden';
    if (last === 'pin' || last === 'otp' || last === 'totp' || last === 'cvv' || last === 'cvc') return 'digits';
    return doubtful.has(last) || doubtful.has(before + last) ? 'doubtful' : 'plain';
  }
}

function kindOfJoined(joined: string): NameKind {
  if (hidden.test(joined)) return 'hidden';
  return secret.test(joined) && !harmless.test(joined) ? 'secret' : 'plain';
}

/** Removes one qualifier from the end; empty if there is none. */
function withoutQualifier(joined: string): string {
  const end = qualifiers.exec(joined)?.[0].length ?? joined.length;
  return joined.slice(0, -end);
}

/** `xApi-KEY_id` → x, api, key, id. */
function wordsOf(name: string): string[] {
  return isAscii.test(name) ? asciiWordsOf(name) : unicodeWordsOf(name);
}

// The control characters are ASCII too.
// oxlint-disable-next-line no-control-regex
const isAscii = /^[\0-\x7f]*$/;

/** The same for names in ASCII. Most names are, and patterns with Unicode properties take long to compile. */
function asciiWordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])(?=[A-Z])/g, '$1 ')
    .replaceAll(/([A-Z])(?=[A-Z][a-z])/g, '$1 ')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

function unicodeWordsOf(name: string): string[] {
  return name
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replaceAll(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, '$1 ')
    .replaceAll(/(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1 ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
