#!/usr/bin/env bash
# Builds the folders that the everyday corpus runs in: bash projects.sh TOP.
#   TOP/ts       a TypeScript package with npm, vitest, eslint and prettier
#   TOP/js       a JavaScript application with yarn, jest and playwright
#   TOP/mono     a pnpm monorepo with turbo and biome
#   TOP/py       a Python package with uv, pytest, ruff and mypy
#   TOP/django   a Django site with poetry, black and flake8
#   TOP/go       a Go module
#   TOP/rust     a Rust crate
#   TOP/c        a C program with CMake
#   TOP/ops      containers, Kubernetes, Terraform and a database
#   TOP/scratch  a folder without a project
#   TOP/home     the home folder
# Every project but scratch is a git repository; most hold a .env that git ignores.
set -eu
umask 022
mkdir -p "$1"
top=$(cd "$1" && pwd -P)
mkdir -p "$top/home/template"
export HOME="$top/home" GIT_CONFIG_NOSYSTEM=1 GIT_TEMPLATE_DIR="$top/home/template"
export GIT_AUTHOR_NAME=Ada GIT_AUTHOR_EMAIL=ada@example.com GIT_COMMITTER_NAME=Ada GIT_COMMITTER_EMAIL=ada@example.com
put() { # put PATH TEXT: a file with escapes in its text
  case $1 in */*) mkdir -p "${1%/*}" ;; esac
  printf '%b' "$2" > "$1"
}
run() { # run PATH TEXT: an executable file
  put "$@"
  chmod +x "$1"
}
each() { # each TEXT PATH...: the same text in several files
  local text=$1 path
  shift
  for path; do put "$path" "$text"; done
}
bins() { # bins FOLDER NAME...: stubs of programs
  local folder=$1 name
  shift
  for name; do run "$folder/$name" '#!/bin/sh\nexit 0\n'; done
}
begin() { # begin NAME: a new project
  mkdir -p "$top/$1"
  cd "$top/$1"
}
commit() { # commit MESSAGE: all files so far
  git add -A
  git commit -qm "$1"
}
branches() { # branches NAME...: with one commit each
  local name
  for name; do
    git switch -qc "$name"
    git commit -q --allow-empty -m "work on $name"
    git switch -q main
  done
}
ts='export const value: number = 1;\n'
node='node_modules/\ndist/\ncoverage/\n.turbo/\n.next/\n.env\n.env.local\n*.log\n'

begin ts
put .gitignore "$node"
put package.json '{
  "name": "webhooks",
  "version": "1.0.0",
  "type": "module",
  "scripts": {
    "dev": "tsx watch src/index.ts",
    "start": "node dist/index.js",
    "build": "tsc -p tsconfig.build.json",
    "test": "vitest run",
    "test:coverage": "vitest run --coverage",
    "lint": "eslint .",
    "lint:fix": "eslint . --fix",
    "format": "prettier --write .",
    "format:check": "prettier --check .",
    "typecheck": "tsc --noEmit",
    "db:migrate": "tsx scripts/migrate.ts"
  },
  "dependencies": { "express": "^5.1.0", "zod": "^4.0.0" },
  "devDependencies": {
    "eslint": "^9.0.0", "prettier": "^3.0.0", "tsx": "^4.0.0", "typescript": "^5.9.0", "vitest": "^4.0.0"
  }
}
'
each '{}\n' package-lock.json tests/fixtures/user.json .prettierrc
each '{ "compilerOptions": { "strict": true, "outDir": "dist" }, "include": ["src"] }\n' tsconfig.json tsconfig.build.json
each 'export default {};\n' eslint.config.js vitest.config.ts scripts/check-links.mjs
each "$ts" src/{index,app,config,types}.ts src/utils/{date,string,retry}.ts src/routes/{users,orders,health}.ts \
  src/services/{userService,orderService,cache}.ts src/db/client.ts scripts/{seed,migrate}.ts
each 'import { expect, it } from "vitest";\n' tests/{app,users}.test.ts tests/utils/date.test.ts e2e/login.spec.ts
each 'create table users (id integer);\n' src/db/schema.sql src/db/migrations/001_init.sql
each '# Webhooks\n\n## Install\n\n## Usage\n' README.md CHANGELOG.md LICENSE docs/index.md docs/api.md docs/deploy.md
each 'id,name\n1,Ada\n' public/data.csv
each '<p>hello</p>\n' public/index.html public/logo.svg public/styles.css
put .env.example 'API_KEY=\nDATABASE_URL=\n'
put .github/workflows/ci.yml 'on: push\n'
put .editorconfig 'root = true\n'
put .nvmrc '22\n'
run scripts/release.sh '#!/bin/sh\nnpm publish\n'
ln -s utils/string.ts src/legacy.ts
ln -s utils src/common
git init -q -b main
commit 'first version'
put src/app.ts "${ts}export const name = 'app';\n"
commit 'name the app'
git tag v1.0.0
branches feature/retry fix/date-parse docs
put src/app.ts "${ts}export const name = 'webhooks';\n"
put .env 'API_KEY=canary7f3a\nDATABASE_URL=postgres://localhost/webhooks\n'
each 'export {};\n' dist/index.js dist/app.js
put coverage/lcov.info 'TN:\n'
bins node_modules/.bin tsc eslint prettier vitest tsx esbuild
for name in typescript eslint prettier vitest tsx zod express; do
  put "node_modules/$name/package.json" "{ \"name\": \"$name\", \"version\": \"1.0.0\" }\n"
done

begin js
put .gitignore "$node"
put package.json '{
  "name": "shop",
  "version": "0.3.0",
  "scripts": {
    "start": "node server.js",
    "build": "webpack --mode production",
    "test": "jest",
    "test:e2e": "playwright test",
    "lint": "eslint src"
  },
  "dependencies": { "express": "^5.1.0" },
  "devDependencies": {
    "@playwright/test": "^1.50.0", "eslint": "^9.0.0", "jest": "^30.0.0", "knip": "^6.0.0", "mocha": "^11.0.0",
    "oxlint": "^1.0.0", "prisma": "^6.0.0", "webpack": "^5.0.0"
  }
}
'
put yarn.lock '# yarn lockfile v1\n'
each 'module.exports = {};\n' server.js jest.config.js playwright.config.js webpack.config.js src/cart.js src/users.js
each 'test("adds", () => {});\n' tests/users.test.ts tests/cart.test.js e2e/login.spec.ts cypress/e2e/login.cy.ts
put prisma/schema.prisma 'datasource db { provider = "sqlite" }\n'
put public/site.css 'a { color: red; }\n'
put README.md '# Shop\n'
put .env.example 'SESSION_KEY=\n'
git init -q -b main
commit 'first version'
put .env 'SESSION_KEY=canary7f3a\n'
bins node_modules/.bin jest playwright mocha eslint oxlint knip prisma webpack

begin mono
put .gitignore "$node"
put package.json '{
  "name": "acme",
  "private": true,
  "packageManager": "pnpm@10.0.0",
  "scripts": {
    "dev": "turbo run dev",
    "build": "turbo run build",
    "test": "turbo run test",
    "lint": "biome check .",
    "format": "biome format --write .",
    "typecheck": "turbo run typecheck"
  },
  "devDependencies": { "@biomejs/biome": "^2.0.0", "turbo": "^2.0.0", "typescript": "^5.9.0" }
}
'
put pnpm-workspace.yaml 'packages:\n  - apps/*\n  - packages/*\n'
put pnpm-lock.yaml "lockfileVersion: '9.0'\n"
each '{}\n' turbo.json biome.json tsconfig.base.json .changeset/config.json
for name in packages/core packages/ui packages/cli apps/api apps/web; do
  put "$name/package.json" "{
  \"name\": \"@acme/${name##*/}\",
  \"version\": \"0.1.0\",
  \"scripts\": { \"build\": \"tsc\", \"test\": \"vitest run\", \"lint\": \"biome check src\", \"typecheck\": \"tsc --noEmit\" },
  \"devDependencies\": { \"typescript\": \"^5.9.0\", \"vitest\": \"^4.0.0\" }
}
"
  bins "$name/node_modules/.bin" tsc vitest
  put "$name/tsconfig.json" '{ "extends": "../../tsconfig.base.json" }\n'
  put "$name/src/index.ts" "$ts"
  put "$name/test/index.test.ts" 'import { it } from "vitest";\n'
done
put apps/web/package.json '{
  "name": "@acme/web",
  "version": "0.1.0",
  "scripts": { "dev": "next dev", "build": "next build", "test": "vitest run", "typecheck": "tsc --noEmit" },
  "dependencies": { "next": "^16.0.0", "react": "^19.0.0" },
  "devDependencies": { "typescript": "^5.9.0", "vitest": "^4.0.0" }
}
'
bins apps/web/node_modules/.bin next
each 'export default {};\n' apps/web/next.config.mjs apps/web/app/page.tsx apps/web/vite.config.ts
run .husky/pre-commit 'pnpm lint\n'
put .env.example 'TURBO_TOKEN=\n'
put README.md '# Acme\n'
git init -q -b main
commit 'first version'
branches feature/theme
put .env 'TURBO_TOKEN=canary7f3a\n'
put apps/web/.env.local 'NEXT_KEY=canary7f3a\n'
bins node_modules/.bin turbo biome tsc

begin py
put .gitignore '.venv/\n__pycache__/\n.env\n*.egg-info/\nbuild/\ndist/\n'
put pyproject.toml '[project]
name = "inventory"
version = "0.2.0"
dependencies = ["fastapi", "sqlalchemy", "alembic"]
[project.optional-dependencies]
dev = ["pytest", "pytest-cov", "ruff", "mypy", "pyright", "pre-commit"]
[tool.pytest.ini_options]
testpaths = ["tests"]
[tool.ruff]
line-length = 100
[tool.mypy]
strict = true
'
put uv.lock 'version = 1\n'
each 'fastapi\nsqlalchemy\n' requirements.txt requirements-dev.txt
each '"""Inventory."""\n\nvalue = 1\n' src/inventory/{__init__,api,models,db,cli}.py scripts/backfill.py migrations/env.py \
  migrations/versions/0001_init.py
each 'def test_value() -> None:\n    assert True\n' tests/{conftest,test_api,test_models}.py tests/unit/test_pricing.py
put alembic.ini '[alembic]\nscript_location = migrations\n'
put data/orders.csv 'id,name,qty\n1,pen,3\n'
put data/sample.json '{ "id": 1, "items": [] }\n'
put data/app.log 'ERROR none\n'
put notebooks/explore.ipynb '{ "cells": [] }\n'
put .pre-commit-config.yaml 'repos: []\n'
put .env.example 'DATABASE_URL=\n'
put README.md '# Inventory\n'
git init -q -b main
commit 'first version'
put .env 'DATABASE_URL=postgres://canary7f3a@localhost/inventory\n'
bins .venv/bin python pip pytest ruff mypy pyright alembic uvicorn
put .venv/bin/activate 'PATH="$PWD/.venv/bin:$PATH"\n'
put .venv/lib/python3.12/site-packages/fastapi/__init__.py '\n'
put src/inventory/__pycache__/api.pyc '\n'

begin django
put .gitignore '.venv/\n__pycache__/\n.env\ndb.sqlite3\n'
put pyproject.toml '[tool.poetry]
name = "site"
[tool.poetry.dependencies]
django = "^5.2"
[tool.poetry.group.dev.dependencies]
pytest = "*"
pytest-django = "*"
black = "*"
isort = "*"
flake8 = "*"
pylint = "*"
bandit = "*"
tox = "*"
'
each '\n' poetry.lock tox.ini .flake8
each 'value = 1\n' manage.py src/inventory/{__init__,api,settings,urls,models}.py src/inventory/migrations/0001_initial.py
each 'def test_value():\n    assert True\n' tests/test_api.py tests/test_models.py
put README.md '# Site\n'
git init -q -b main
commit 'first version'
put .env 'SECRET_KEY=canary7f3a\n'

begin go
put .gitignore 'bin/\n.env\n'
put go.mod 'module example.com/orders\n\ngo 1.23\n'
put go.sum ''
each 'package main\n\nfunc main() {}\n' main.go cmd/server/main.go
each 'package store\n' internal/store/store.go internal/store/store_test.go internal/handler/handler.go \
  internal/config/config.go
put internal/store/testdata/order.json '{}\n'
put .golangci.yml 'version: "2"\n'
put Makefile 'build:\n\tgo build ./...\ntest:\n\tgo test ./...\nlint:\n\tgolangci-lint run\n'
put README.md '# Orders\n'
git init -q -b main
commit 'first version'
put .env 'TOKEN=canary7f3a\n'

begin rust
put .gitignore 'target/\n'
put Cargo.toml '[package]\nname = "demo"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\nserde = "1"\n'
put Cargo.lock 'version = 4\n'
each 'pub fn parse() {}\n' src/lib.rs src/parser.rs benches/parse.rs
each 'fn main() {}\n' src/main.rs examples/demo.rs tests/cli.rs
put rustfmt.toml 'max_width = 100\n'
put README.md '# Demo\n'
git init -q -b main
commit 'first version'
bins target/debug demo

begin c
put .gitignore 'build/\n'
put CMakeLists.txt 'cmake_minimum_required(VERSION 3.20)\nproject(demo C)\nadd_executable(demo src/main.c)\n'
put Makefile 'all: build\nbuild:\n\tcmake -S . -B build && cmake --build build\ntest: build\n\tctest --test-dir build\n'
put src/main.c 'int main(void) { return 0; }\n'
put .clang-format 'BasedOnStyle: LLVM\n'
git init -q -b main
commit 'first version'

begin ops
put .gitignore '.env\nlogs/\n.terraform/\n*.tfstate\napp.db\n'
put Makefile 'all: build
build:
\tdocker build -t demo .
test:
\tdocker compose run --rm api pytest
lint:
\thadolint Dockerfile
check: lint test
up:
\tdocker compose up -d
deploy:
\t./scripts/deploy.sh
.PHONY: all build test lint check up deploy
'
put Dockerfile 'FROM python:3.12-slim\nCOPY . /app\nCMD ["python", "/app/src/app.py"]\n'
put .dockerignore '.env\n.git\n'
put docker-compose.yml 'services:\n  api:\n    build: .\n    env_file: .env\n  db:\n    image: postgres:17\n'
each 'kind: Deployment\nspec:\n  replicas: 1\n  image: demo\n' k8s/deployment.yaml k8s/service.yaml k8s/ingress.yaml
each 'name: app\n' charts/app/Chart.yaml charts/app/values.yaml charts/app/templates/deployment.yaml
each 'variable "region" {}\n' terraform/main.tf terraform/variables.tf terraform/outputs.tf
for name in deploy backup wait-for; do run "scripts/$name.sh" '#!/bin/sh\nexit 0\n'; done
each 'create table orders (id integer);\n' db/schema.sql db/seed.sql
put nginx/nginx.conf 'events {}\n'
put src/app.py 'print("up")\n'
put .env.example 'DB_PASSWORD=\n'
put README.md '# Demo\n'
git init -q -b main
commit 'first version'
put .env 'DB_PASSWORD=canary7f3a\n'
put logs/app.log '2026-01-01 10:00 ERROR none\n'
put logs/app.log.1.gz ''
put app.db ''

begin scratch
put notes.txt 'notes\n'
put data.csv 'a,b\n1,2\n'
put a/one.txt 'one\n'
put b/two.txt 'two\n'

rm -r "$top/home/template"
