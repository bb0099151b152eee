/** Database clients: their languages can write files and start programs. */

import { joinNames, type ProgramRows } from '../../usage/program-row.ts';
import { scanMysql, scanPsql, scanRedis, scanSqlite } from '../../embedded-code/scan-sql.ts';
import { unknownScan } from '../../embedded-code/code-scan.ts';

const mysql = `-u,--user=text! -h,--host=text! -P,--port=text -p*,--password[=text]! -S,--socket=text! --protocol=text --ssl-mode=text
  --ssl-ca=in --ssl-cert=in --ssl-key=in --defaults-file=script --defaults-extra-file=script --no-defaults --compress -C
  -v,--verbose -f,--force --connect-timeout=text --login-path=text! --plugin-dir=script -V`;
const postgres = '-h,--host=text! -p,--port=text -U,--username=text! -w,--no-password -W,--password -V';

export const databasePrograms: ProgramRows = {
  sqlite3: {
    style: 'dash',
    usage: `-A* -append -ascii -bail -batch -box -column -cmd=foreign -csv -deserialize -echo -init=script -header -noheader
      -html -interactive -json -line -list -lookaside=text&text -markdown -maxsize=text -memtrace -mmap=text
      -newline=text -nofollow -nonce=text -nullvalue=text -pagecache=text&text -quote -readonly -safe -separator=text
      -stats -table -tabs -unsafe-testing -version -vfs=text -zip <edited> <foreign>... stdin=foreign opaque`,
    scan: scanSqlite,
  },
  psql: {
    usage: `-c,--command=foreign -d,--dbname=text! -f,--file=script:stdin=data -l,--list:stdin=data -v,--set,--variable=text! -X,--no-psqlrc
    -1,--single-transaction -a,--echo-all -b,--echo-errors -e,--echo-queries -E,--echo-hidden -L,--log-file=out
    -n,--no-readline -o,--output=pipe -q,--quiet -s,--single-step -S,--single-line -A,--no-align --csv
    -F,--field-separator=text -H,--html -P,--pset=text! -R,--record-separator=text -t,--tuples-only
    -T,--table-attr=text -x,--expanded -z -0 -h,--host=text! -p,--port=text -U,--username=text! -w,--no-password
    -W,--password <text!>... stdin=foreign opaque elsewhere`,
    scan: scanPsql,
  },
  'mysql, mariadb': {
    usage: `${mysql} -e,--execute=foreign --init-command=foreign --tee=out --pager=code -A,--no-auto-rehash -B,--batch
      -s,--silent -t,--table -N,--skip-column-names -E,--vertical -r,--raw -q,--quick -b,--no-beep -n,--unbuffered
      -D,--database=text! -H,--html -X,--xml -U,--safe-updates -o,--one-database --column-names --binary-mode
      --local-infile[=text]!:unsure --delimiter=text --prompt=text --show-warnings --auto-vertical-output --line-numbers
      <text!>... stdin=foreign opaque elsewhere`,
    scan: scanMysql,
  },
  mysqldump: `${mysql} -A,--all-databases -B,--databases --tables --ignore-table=text -d,--no-data -t,--no-create-info
    -n,--no-create-db --single-transaction --quick -q --opt --skip-opt -l,--lock-tables -x,--lock-all-tables
    -R,--routines --triggers --skip-triggers -E,--events --hex-blob --add-drop-table --skip-add-drop-table --set-gtid-purged=text
    --column-statistics=text --no-tablespaces -y --skip-comments --compact -c,--complete-insert -e,--extended-insert
    --default-character-set=text -w,--where=text -r,--result-file=out -T,--tab=writes --log-error=out --dump-date
    <text!>... opaque elsewhere`,
  mysqladmin: `${mysql} --silent -s -i,--sleep=text -c,--count=text -w*,--wait[=text] opaque <text!>... elsewhere`,
  pg_dump: `${postgres} -a,--data-only -b,--large-objects -B,--no-large-objects -c,--clean -C,--create -d,--dbname=text!
    -e,--extension=text -E,--encoding=text -f,--file=writes -F,--format=text -j,--jobs=text -n,--schema=text
    -N,--exclude-schema=text -O,--no-owner -s,--schema-only -S,--superuser=text -t,--table=text -T,--exclude-table=text
    -v,--verbose -x,--no-privileges,--no-acl -Z,--compress=text --column-inserts --inserts --if-exists --no-comments
    --no-publications --no-security-labels --no-subscriptions --quote-all-identifiers --rows-per-insert=text
    --section=text --serializable-deferrable --snapshot=text --strict-names --filter=in --lock-wait-timeout=text
    --exclude-table-data=text --disable-triggers --on-conflict-do-nothing --no-sync --role=text <text!> opaque elsewhere`,
  pg_dumpall: `${postgres} -a,--data-only -c,--clean -d,--dbname=text! -f,--file=out -g,--globals-only -l,--database=text
    -O,--no-owner -r,--roles-only -s,--schema-only -v,--verbose -x,--no-privileges --if-exists --inserts <text!>
    opaque elsewhere`,
  pg_restore: `${postgres} -d,--dbname=text! -f,--file=out -F,--format=text -l,--list -v,--verbose -a,--data-only -c,--clean
    -C,--create -e,--exit-on-error -I,--index=text -j,--jobs=text -L,--use-list=in -n,--schema=text -N,--exclude-schema=text
    -O,--no-owner -P,--function=text -s,--schema-only -S,--superuser=text -t,--table=text -T,--trigger=text
    -x,--no-privileges,--no-acl -1,--single-transaction --disable-triggers --if-exists --no-comments --role=text <reads>
    opaque elsewhere`,
  'createdb, dropdb, pg_isready': `${postgres} -d,--dbname=text! -E,--encoding=text -l,--locale=text -O,--owner=text -T,--template=text
    -D,--tablespace=text -e,--echo -i,--interactive -f,--force --if-exists --maintenance-db=text! -q,--quiet -t,--timeout=text
    <text!>... opaque elsewhere`,
  'redis-cli, valkey-cli': {
    usage: `-h=text! -p=text -s=text! -a=text! --user=text! --pass=text! --askpass -u=text! -r=text -i=text -n=text -2 -3 -x
      -X=text -d=text -D=text -c -e -t=text --tls --sni=text --cacert=in --cacertdir=reads --insecure --cert=in --key=in
      --raw --no-raw --quoted-input --csv --json --quoted-json --show-pushes=text --stat --latency --latency-history
      --latency-dist --lru-test=text --replica --rdb=out --functions-rdb=out --pipe --pipe-timeout=text --bigkeys --memkeys
      --memkeys-samples=text --keystats --hotkeys --scan --pattern=text --quoted-pattern=text --count=text --cursor=text
      --top=text --intrinsic-latency=text --eval=script --ldb --ldb-sync-mode --cluster=harmful --verbose
      --no-auth-warning --help <foreign>... stdin=foreign opaque elsewhere`,
    scan: scanRedis,
  },
  [joinNames(`mycli, pgcli, litecli, sqlcmd, sqlplus, duckdb, clickhouse-client, cqlsh, mongosh, mongo, influx, neo4j,
    cypher-shell, usql, mongodump, mongorestore, etcdctl`)]: {
    usage: 'opaque -e,--execute,--eval,-c=foreign <harmful>... stdin=foreign elsewhere',
    scan: unknownScan,
  },
  [joinNames(
    `prisma, drizzle-kit, knex, typeorm, sequelize, flyway, liquibase, alembic, dbmate, goose, atlas, migrate`,
  )]: 'opaque <harmful>... .=writes elsewhere',
};
