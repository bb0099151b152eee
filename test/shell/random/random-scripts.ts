/** Scripts of sed and awk, made at random: commands that read, write or run, and texts that could hide them. */

import fc from 'fast-check';

function one(text: string): fc.Arbitrary<string> {
  return fc.constantFrom(...text.split(' ¦ '));
}

/** Mostly well-formed parts, with some noise between them. */
function joined(part: fc.Arbitrary<string>, noise: string): fc.Arbitrary<string> {
  const parts = fc.oneof({ weight: 7, arbitrary: part }, { weight: 1, arbitrary: one(noise) });
  return fc.array(parts, { minLength: 1, maxLength: 5 }).map((chosen) => chosen.join(''));
}

const address = one(
  ' ¦ 1 ¦ $ ¦ 1,2 ¦ /o/ ¦ /[/]/ ¦ /[^/]*o/ ¦ \\,o, ¦ 0~1 ¦ 1,+1 ¦ $! ¦ /o/I ¦ /\\//! ¦ /[]/]/ ¦ /[[:alpha:]/]/',
);
const sedCommand = one(
  [
    'r .env ¦ R .env ¦ r.env ¦ w out ¦ W out ¦ e touch ran ¦ s/./touch ran #/e ¦ s/o/x/w out ¦ s/o/x/pw out ¦ {r .env\n} ¦ p ¦ n ¦ N',
    's/one/two/g ¦ s,/,[,g ¦ s/[/]/r .env/ ¦ s/[^/]*$// ¦ s/o/\\\nr .env\\\n/ ¦ y/ab/cd/ ¦ y/[/]/ ¦ a r .env ¦ a\\\nr .env ¦ a\\ ¦ i\\w out',
    'c\\ ¦ c x\\ ¦ b ¦ bx ¦ :x ¦ t ¦ # r .env ¦ q ¦ l 1 ¦ = ¦ {p} ¦ {N;w out\n} ¦ z ¦ d ¦ h;G ¦ s/a\\/b/c/ ¦ s/\\[/x/;r .env ¦ s/[\\]/x/ ¦ s/[\\/]/x/ ¦ v',
  ].join(' ¦ '),
);
const sedEnd = one('\n ¦ \n ¦ ; ¦ ; ¦ } ¦  ; ¦  # x\n');

export const sedScript = joined(
  fc.tuple(address, sedCommand, sedEnd).map((parts) => parts.join('')),
  '\\ ¦ [ ¦ ] ¦ / ¦ ! ¦ , ¦ } ¦ # ¦ \\\n',
);

const statement = one(
  [
    'print > "out" ¦ print "a", "b" > "out" ¦ print("a") > "out" ¦ printf "%s", 1 >> "out" ¦ print | "touch ran" ¦ print 1 > 2',
    'getline < ".env" ¦ getline x < ".env" ¦ while ((getline x < ".env") > 0) print x ¦ "cat .env" | getline ¦ "touch ran" | getline y',
    'system("touch ran") ¦ system("touch" " ran") ¦ ARGV[1] = ".env"; ARGC = 2 ¦ x = ".env"; getline < x ¦ x = "out"; print > x',
    'print ¦ print $1 / 2 ¦ x = 4 / 2; y = "/" ¦ if (1) /"/ ¦ if (/"/) print ¦ x = /"/ ¦ x = "/" / "/" ¦ gsub(/[/]/, "x") ¦ n = n / 1',
    'sub(/"[^/]*/, "") ¦ print (1 > 2) ¦ print a[1 > 2] ¦ print a, # x\n "b" > "out" ¦ print "a" \\\n > "out" ¦ x++ / 2; y = "/" ¦ x = y++ /"/ 1',
    'x = "\\"> out" ¦ print "a" > "o" "ut" ¦ print 1 ? 2 : 3 > "out" ¦ x = 1 > 2 ¦ print -1 > "out" ¦ print !/x/ > "out" ¦ next ¦ getline',
  ].join(' ¦ '),
);
const pattern = one('BEGIN ¦ END ¦  ¦ /o/ ¦ NR > 1 ¦ /[/]/ ¦ $1 ~ /"/ ¦ !/x/ && /o/ ¦ 1 / 1 ¦ "a" > "b"');

export const awkProgram = joined(
  fc
    .tuple(pattern, fc.array(statement, { minLength: 1, maxLength: 3 }), one('; ¦ \n ¦ ;\n'))
    .map(([when, statements, between]) => `${when} { ${statements.join(between)} }\n`),
  '" ¦ / ¦ [ ¦ ( ¦ ) ¦ } ¦ # ¦ \\\n ¦ ; ¦ > "out" ¦ \n',
);
