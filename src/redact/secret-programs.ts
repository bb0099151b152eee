/**
 * Programs whose options and operands are secret although no name says so: `curl -u user:x`, `mysql -px`,
 * `htpasswd -b file user x`. The same letter often means something else in another program: `ssh -p 22`.
 */

interface SecretOption {
  /** The option; the rest of the same word is its value. */
  readonly option: RegExp;
  /** `glued`: the value is in the same word only. `optional`: the next word is the value unless it is an option. */
  readonly value: 'any' | 'glued' | 'optional';
  /** The part before the secret; without it, the whole value is secret. */
  readonly after?: RegExp | undefined;
}

export interface SecretProgram {
  readonly options: readonly SecretOption[];
  /** Other options whose value is the next word. */
  readonly withValue?: RegExp | undefined;
  /** True if the first operand starts another command. */
  readonly runsCommand?: boolean | undefined;
  /** The number of the operand that is secret, given the options before it; -1 if there is none. */
  readonly secretOperand?: ((options: string) => number) | undefined;
  /** Like {@link SecretOption.after}, for the operand. */
  readonly operandAfter?: RegExp | undefined;
}

/** Where the secret of a word is. */
interface SecretPlace {
  readonly place: 'this word' | 'next word' | 'next word, unless it is an option';
  /** Its first character in this word. */
  readonly from: number;
  readonly after: RegExp | undefined;
}

const userAndPassword = /^[^:]*:/;

function withOptions(...options: readonly SecretOption[]): SecretProgram {
  return { options };
}

const curl = withOptions(
  { option: /^(?:-[#0-46afgiIjJklLMnNOpqRsSvZ]*[uU]|--user=?|--proxy-user=?)/, value: 'any', after: userAndPassword },
  { option: /^(?:-b|--cookie=?)(?=$|[^@])/, value: 'any', after: /^[^=]*=/ },
);
const httpie = withOptions({ option: /^(?:-a|--auth=?)/, value: 'any', after: userAndPassword });
const password = withOptions({ option: /^-p/, value: 'any' });
const gluedPassword = withOptions({ option: /^-p/, value: 'glued' });
const optionalPassword = withOptions({ option: /^-p/, value: 'optional' });
const upperPassword = withOptions({ option: /^-P/, value: 'any' });
const ldap = withOptions({ option: /^-w/, value: 'any' });
const rar = withOptions({ option: /^-h?p(?!-$)/, value: 'glued' });
const putty = withOptions({ option: /^-pw$/, value: 'any' });
const secondOperand: SecretProgram = { options: [], secretOperand: () => 1 };

const sshpass: SecretProgram = { ...password, withValue: /^-[dfP]$/, runsCommand: true };
const htpasswd: SecretProgram = {
  options: [],
  withValue: /^-\w*[Cr]$/,
  secretOperand: (options) => (/ -\w*b/.test(options) ? (/ -\w*n/.test(options) ? 1 : 2) : -1),
};
/** Passwords from a file, a variable or standard input are not in the command. */
const openssl = withOptions(
  {
    option: /^-(?:passin|passout|pass)$/,
    value: 'any',
    after: /^(?:pass:|(?!(?:env|file|fd):|stdin$))/,
  },
  { option: /^-[kK]$/, value: 'any' },
);
const opensslPasswd: SecretProgram = {
  options: [],
  withValue: /^-(?:salt|in|rand)$/,
  secretOperand: (options) => (/ -(?:in|stdin)\b/.test(options) ? -1 : 0),
};

const sameForAll: readonly (readonly [programs: string, SecretProgram])[] = [
  ['curl', curl],
  ['http https xh xhs', httpie],
  ['mysql mysqldump mysqladmin mysqlimport mysqlshow mysqlcheck', gluedPassword],
  ['mariadb mariadb-dump mariadb-admin mariadb-import mariadb-show mariadb-check', gluedPassword],
  ['mongo mongosh mongodump mongorestore mongoexport mongoimport', optionalPassword],
  ['7z 7za 7zr 7zz', gluedPassword],
  ['rar unrar', rar],
  ['cqlsh cypher-shell rdesktop useradd usermod', password],
  ['sqlcmd bcp ipmitool mosquitto_pub mosquitto_sub', upperPassword],
  ['ldapsearch ldapmodify ldapadd ldapdelete ldapwhoami', ldap],
  ['plink pscp psftp', putty],
];

const loginTools = 'docker podman nerdctl buildah skopeo oras crane az oc cf'.split(' ');

/** By the words that start a command, in lower case. */
export const secretPrograms: ReadonlyMap<string, SecretProgram> = new Map([
  ...sameForAll.flatMap(([programs, program]) => programs.split(' ').map((name) => [name, program] as const)),
  ...loginTools.map((name) => [`${name} login`, password] as const),
  ['helm registry login', password],
  ['twine upload', password],
  ['sshpass', sshpass],
  ['htpasswd', htpasswd],
  ['openssl', openssl],
  ['openssl passwd', opensslPasswd],
  ['redis-cli', withOptions({ option: /^(?:-a|--pass)$/, value: 'any' })],
  ['smbclient', withOptions({ option: /^-U/, value: 'any', after: /^[^%]*%/ })],
  ['lftp', withOptions({ option: /^-u/, value: 'any', after: /^[^,]*,/ })],
  ['ldappasswd', withOptions({ option: /^-[was]/, value: 'any' })],
  ['zip', withOptions({ option: /^-[0-9defjklmoqrTuvXy]*P/, value: 'any' })],
  ['unzip', withOptions({ option: /^-[abCfjKLnoqtuvX:]*P/, value: 'any' })],
  ['xfreerdp', withOptions({ option: /^\/p:/, value: 'glued' })],
  ['nmcli', withOptions({ option: /^password$/, value: 'any' })],
  ['pdftk', withOptions({ option: /^(?:user|owner|input)_pw$/, value: 'any' })],
  ['sqlplus', { options: [], secretOperand: () => 0, operandAfter: /^[^/@]+\// }],
  ['wpa_passphrase', secondOperand],
  ['rabbitmqctl add_user', secondOperand],
  ['rabbitmqctl change_password', secondOperand],
]);

/** Reads the words of one command and finds its secrets. */
export class CommandWords {
  /** True if the following words belong to another command. */
  isOver = false;
  private operands = 0;
  private options = '';
  private isValueNext = false;

  constructor(private readonly program: SecretProgram) {}

  read(word: string): SecretPlace | undefined {
    const isValue = this.isValueNext;
    this.isValueNext = false;
    if (isValue) return undefined;
    for (const { option, value, after } of this.program.options) {
      const from = option.exec(word)?.[0].length;
      if (from === undefined) continue;
      if (from < word.length) return { place: 'this word', from, after };
      if (value === 'glued') return undefined;
      this.isValueNext = value === 'any';
      return { place: value === 'any' ? 'next word' : 'next word, unless it is an option', from, after };
    }
    return word.startsWith('-') ? this.readOption(word) : this.readOperand();
  }

  /** The value of the last option was read elsewhere. */
  skipValue(): void {
    this.isValueNext = false;
  }

  private readOption(word: string): undefined {
    this.options += ` ${word}`;
    this.isValueNext = this.program.withValue?.test(word) === true;
  }

  private readOperand(): SecretPlace | undefined {
    const { runsCommand = false, secretOperand, operandAfter: after } = this.program;
    this.isOver = runsCommand;
    return this.operands++ === secretOperand?.(this.options) ? { place: 'this word', from: 0, after } : undefined;
  }
}
