/** Clients of databases: their languages can write files and start programs. */

import { names, type ProgramRows } from '../program-row.ts';
import { scanMysql, scanPsql, scanSqlite } from '../scan-sql.ts';
import { scanNothing } from '../scanned-code.ts';

export const databases: ProgramRows = {
  sqlite3: {
    style: 'dash',
    usage: `-A* -append -ascii -bail -batch -box -column -cmd=foreign -csv -deserialize -echo -init=script -header -noheader
      -html -interactive -json -line -list -lookaside=text&text -markdown -maxsize=text -memtrace -mmap=text
      -newline=text -nofollow -nonce=text -nullvalue=text -pagecache=text&text -quote -readonly -safe -separator=text
      -stats -table -tabs -unsafe-testing -version -vfs=text -zip <edited> <foreign>... stdin=foreign opaque`,
    scan: scanSqlite,
  },
  psql: {
    usage: `-c,--command=foreign -d,--dbname=text! -f,--file=script -l,--list -v,--set,--variable=text! -X,--no-psqlrc
    -1,--single-transaction -a,--echo-all -b,--echo-errors -e,--echo-queries -E,--echo-hidden -L,--log-file=out
    -n,--no-readline -o,--output=pipe -q,--quiet -s,--single-step -S,--single-line -A,--no-align --csv
    -F,--field-separator=text -H,--html -P,--pset=text! -R,--record-separator=text -t,--tuples-only
    -T,--table-attr=text -x,--expanded -z -0 -h,--host=text! -p,--port=text -U,--username=text! -w,--no-password
    -W,--password <text!>... stdin=foreign opaque elsewhere`,
    scan: scanPsql,
  },
  'mysql, mariadb': {
    usage:
      'opaque -e,--execute=foreign --init-command=foreign --tee=out --pager=code <harmful>... stdin=foreign elsewhere',
    scan: scanMysql,
  },
  [names(`mycli, pgcli, litecli, sqlcmd, sqlplus, duckdb, clickhouse-client, cqlsh, mongosh, mongo,
    redis-cli, valkey-cli, influx, neo4j, cypher-shell, usql, mysqladmin, mysqldump, pg_dump, pg_restore, pg_dumpall,
    createdb, dropdb, mongodump, mongorestore, etcdctl, prisma, drizzle-kit, knex, typeorm, sequelize, flyway,
    liquibase, alembic, dbmate, goose, atlas, migrate`)]: {
    usage: 'opaque -e,--execute,--eval,-c=foreign <harmful>... stdin=foreign elsewhere',
    scan: scanNothing,
  },
};
