/** Random scripts that set variables in every way, and use them. */

import type { Choices } from './choices.ts';

const variables = ['f', 'g', 'd', 'k'];
const literals = [
  'a',
  'sub',
  "'a b'",
  '"b"',
  "'*.ts'",
  "''",
  '-n',
  "$'a\\tb'",
  'sub/x.ts',
  "'~'",
  'x.ts',
  "'sub/*'",
  'f',
  'IFS',
];

export class ValueGrower {
  private calls = 0;

  constructor(private readonly choices: Choices) {}

  script(): string {
    return this.list(2 + this.choices.below(5), 0);
  }

  private pick<T>(all: readonly T[]): T {
    return all[this.choices.below(all.length)] as T;
  }

  private list(length: number, depth: number): string {
    return Array.from({ length }, () => this.statement(depth)).join(this.pick(['; ', '\n', '; ']));
  }

  private variable(): string {
    return this.pick(variables);
  }

  /** A word that may expand variables. */
  private word(): string {
    const name = this.variable();
    return this.pick([
      () => this.pick(literals),
      () => `$${name}`,
      () => `"$${name}"`,
      () => `\${${name}}`,
      () => `"$${name}/x.ts"`,
      () => `$${name}/a`,
      () => `$${name}/*.ts`,
      () => `"\${${name}%.ts}.js"`,
      () => `\${${name}%s}`,
      () => `"\${${name}:-z}"`,
      () => `$${name}$${this.variable()}`,
      () => `x"$${name}"$${this.variable()}`,
      () => `{$${name},b}`,
      () => `~$${name}`,
      () => '*.ts',
      () => 'sub/*.ts',
      () => `$${name}*`,
      () => `"$(f=q; echo b)"`,
      () => `\${#${name}}`,
      () => `$((1 + 1))`,
    ])();
  }

  private show(): string {
    this.calls += 1;
    const words = Array.from({ length: 1 + this.choices.below(3) }, () => this.word());
    return `p n${this.calls} ${words.join(' ')}`;
  }

  private set(): string {
    const name = this.variable();
    return this.pick([
      () => `${name}=${this.word()}`,
      () => `${name}=${this.pick(literals)}`,
      () => `${name}=${this.pick(literals)}`,
      () => `${name}=${this.pick(literals)} ${this.variable()}=${this.word()}`,
      () => `export ${name}=${this.pick(literals)}`,
      () => `export ${name}`,
      () => `export ${name}=q < missing`,
      () => `export ${name}=q >&9`,
      () => `${name}=a < missing`,
    ])();
  }

  private oddSet(): string {
    const name = this.variable();
    return this.pick([
      () => `${name}+=x`,
      () => `${name}=q ${this.show()}`,
      () => `${name}=q :`,
      () => `${name}=q export ${name}`,
      () => `read -r ${name} <<< q`,
      () => `IFS= read -r ${name} <<< 'q r'`,
      () => `printf -v ${name} q`,
      () => `printf -v "$${this.variable()}" q`,
      () => `printf -v${name} q`,
      () => `unset ${name}`,
      () => `: \${${name}:=q}`,
      () => `((${name}=7))`,
      () => `let ${name}=7`,
      () => `${name}[0]=q`,
      () => `${name}=(q r)`,
      () => `declare -n r=${name}; r=q`,
      () => `declare -u ${name}; ${name}=q`,
      () => `declare ${name}=q`,
      () => `eval '${name}=q'`,
      () => `"ev"al ${name}=q`,
      () => `h() { ${name}=q; }; h`,
      () => `trap '${name}=q' DEBUG`,
      () => `IFS=a`,
      () => `IFS=/ :`,
      () => `mapfile -t ${name} <<< q`,
      () => `getopts a: ${name} -a q`,
      () => `exec {${name}}</dev/null`,
      () => `bash -c '${name}=q'`,
    ])();
  }

  private statement(depth: number): string {
    const kind = this.choices.below(depth > 2 ? 10 : 24);
    if (kind < 5) return this.show();
    if (kind < 9) return this.set();
    if (kind < 10) return this.oddSet();
    return this.compound(depth + 1);
  }

  private compound(depth: number): string {
    const body = (): string => this.list(1 + this.choices.below(3), depth);
    const name = this.variable();
    return this.pick([
      () => `for ${name} in ${this.word()} ${this.word()}; do ${body()}; done`,
      () => `for ${name} in *.ts sub/*.ts; do ${body()}; done`,
      () => `for ${name} in a b; do ${body()}; done`,
      () => `for i in 1 2; do ${body()}; done`,
      () => `for i in 1 2 3; do ${body()}; [ $i = 2 ] && break; ${body()}; done`,
      () => `for i in 1 2; do [ "$${name}" = a ] && continue; ${body()}; done`,
      () => `w${depth}=; while [ \${#w${depth}} -lt 2 ]; do w${depth}=x$w${depth}; ${body()}; done`,
      () => `if [ "$${name}" = a ]; then ${body()}; fi`,
      () => `if [ "$${name}" = a ]; then ${body()}; else ${body()}; fi`,
      () => `if ${this.set()}; then ${body()}; elif ${this.set()}; then ${body()}; fi`,
      () => `case $${name} in a) ${body()};; b) ${body()};& *) ${body()};; esac`,
      () => `( ${body()} )`,
      () => `{ ${body()}; }`,
      () => `{ ${body()}; } < missing`,
      () => `{ ${body()}; } >&9`,
      () => `${this.set()} && ${this.statement(depth)}`,
      () => `${this.statement(depth)} || ${this.statement(depth)}`,
      () => `[ "$${name}" = a ] && ${this.set()} || ${this.set()}`,
      () => `! ${this.set()}`,
      () => `${this.set()} &`,
      () => `{ ${body()}; } | { ${body()}; }`,
      () => `: "$(${body()})"`,
    ])();
  }
}
