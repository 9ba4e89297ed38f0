# The commands, one line each; src/cli/bootstrap/run.sh finds Node, and installs and builds first if needed.
# Variables are given on the command line or in the environment, such as: make up PORT=9000 DATA_DIR=/srv/insider
.DEFAULT_GOAL := help
.PHONY: help up down upgrade status ps logs ingest companies prices catch-up backfill rejected retry rebuild exports jobs cancel migrate backup restore key keys revoke-key rotate-secret mcp deliveries delivery resend replay test-event addresses demo web screenshots test check lint format unit integration e2e test-faults typecheck contract bench bench-quick clean
MAKEFLAGS += --no-print-directory
RUN = @sh src/cli/bootstrap/run.sh
OXLINT = oxlint@1.94.0 oxlint-tsgolint@7.0.2007
KNIP = knip@6.44.2
OXFMT = oxfmt@0.79.0
define CHECK_SOURCES
	$(RUN) npm-check format "$(OXFMT)" oxfmt --check src test
	$(RUN) check typecheck node_modules/typescript/bin/tsc --noEmit
	$(RUN) check typecheck node_modules/typescript/bin/tsc --noEmit -p src/web
	$(RUN) npm-check lint "$(OXLINT)" oxlint src test
	$(RUN) npm-check lint "$(KNIP)" knip --no-progress
endef
help: ## list the commands
	@awk -v json="$${JSON:-0}" ' \
	  match($$0, /^[a-z0-9-]+:.*## /) { name = substr($$0, 1, index($$0, ":") - 1); text = substr($$0, RLENGTH + 1); \
	    if (json == 0) printf "make %-13s %s\n", name, text; \
	    list = list sep "{\"name\":\"" name "\",\"summary\":\"" text "\"}"; sep = "," } \
	  END { if (json == 0) print "JSON=1 makes each print its result as one JSON object."; \
	    else print "{\"ok\":true,\"commands\":[" list "]}" }' Makefile

up: ## install what is missing, build, start the stores and the service or apply new settings and newer code to them, wait until ready (PORT, HOST, DATA_DIR; NAME= for a default, DEFAULTS=1 for all; STACK=docker with API, INGEST, DELIVER)
	$(RUN) app build up

down: ## stop what make up started on DATA_DIR, and nothing else
	$(RUN) app any down

upgrade: ## back up, check out a newer release, build and start it, and print the way back (TO=v1.2.0, the newest; BACKUP=0)
	$(RUN) app build upgrade $${TO:+--to="$$TO"} $${BACKUP:+--backup="$$BACKUP"}

status: ## show what runs on DATA_DIR, its jobs, whether EDGAR responds, how far behind it is, versions
	$(RUN) app any status

ps: ## list the processes or containers of DATA_DIR
	$(RUN) app any ps

logs: ## show the end of the logs of DATA_DIR (LINES)
	$(RUN) app any logs --lines "$${LINES:-50}"

ingest: ## load filings from a file or a folder (FROM)
	$(RUN) app build ingest $${FROM:+"$$FROM"}

companies: ## load the SEC's list of companies from a file or a URL (FROM)
	$(RUN) app build companies $${FROM:+"$$FROM"}

prices: ## load closing prices of your own, for returns: CSV or Parquet with ticker, date, close (FROM; BENCHMARK a ticker, or none)
	$(RUN) app build prices $${FROM:+"$$FROM"} $${BENCHMARK:+--benchmark="$$BENCHMARK"}

catch-up: ## fetch the filings missing from the days FROM to TO, by the SEC's daily indexes
	$(RUN) app build catch-up $${FROM:+"$$FROM"} $${TO:+"$$TO"}

backfill: ## load history from the SEC's data sets: quarters as 2006q1..2026q3, or a zip or folder of zips (SETS)
	$(RUN) app build backfill $${SETS:+"$$SETS"}

rejected: ## list the documents that could not be read, with reasons
	$(RUN) app build rejected

retry: ## read the rejected documents again, as after an upgrade
	$(RUN) app build retry

rebuild: ## rebuild the analytics store from the ledger
	$(RUN) app build rebuild

exports: ## make the month files (Parquet), as the service does every night; and copy them (TO a folder)
	$(RUN) app build exports $${TO:+"$$TO"}

jobs: ## list the jobs of the service: queued, running and recently ended ones
	$(RUN) app build jobs list

cancel: ## cancel a job of the service, queued or running (ID)
	$(RUN) app build jobs cancel $${ID:+"$$ID"}

migrate: ## bring the stores to this version, as the service and every command do automatically
	$(RUN) app build migrate

backup: ## write all of PostgreSQL and the zips of the history into a folder, while the service runs (TO)
	$(RUN) app build backup $${TO:+"$$TO"}

restore: ## read a backup into an empty database, such as that of a new DATA_DIR (FROM)
	$(RUN) app build restore $${FROM:+"$$FROM"}

key: ## issue an API key and show it once, with the secret of its webhooks (NAME; EXPIRES in days)
	$(RUN) app build keys issue $${NAME:+--name="$$NAME"} $${EXPIRES:+--expires="$$EXPIRES"}

keys: ## list the API keys, without secrets
	$(RUN) app build keys list

revoke-key: ## revoke an API key permanently (ID)
	$(RUN) app build keys revoke $${ID:+"$$ID"}

rotate-secret: ## give the webhooks of an API key a new secret; the previous one stays valid for 24 hours (ID)
	$(RUN) app build keys rotate-secret $${ID:+"$$ID"}

mcp: ## answer language models over stdio, by the Model Context Protocol, from a running service (URL; INSIDER_API_KEY)
	$(RUN) app build mcp $${URL:+--url="$$URL"}

deliveries: ## list webhook deliveries, newest first (STATUS waiting, delivered or dead; KEY_ID; SINCE; LIMIT)
	$(RUN) app build deliveries list $${STATUS:+--status="$$STATUS"} $${KEY_ID:+--key="$$KEY_ID"} $${SINCE:+--since="$$SINCE"} $${LIMIT:+--limit="$$LIMIT"}

delivery: ## show a delivery with every attempt and response (ID)
	$(RUN) app build deliveries show $${ID:+"$$ID"}

resend: ## send a delivery again under the same id (ID)
	$(RUN) app build deliveries resend $${ID:+"$$ID"}

replay: ## send all deliveries again that failed for good since a time (SINCE, such as 24h or 2026-03-01)
	$(RUN) app build deliveries replay $${SINCE:+--since="$$SINCE"}

test-event: ## send a test event to the addresses of a key and show their responses (KEY_ID; URL)
	$(RUN) app build deliveries test $${KEY_ID:+--key="$$KEY_ID"} $${URL:+--url="$$URL"}

addresses: ## list webhook addresses that fail or are disabled
	$(RUN) app build deliveries addresses

demo: ## follow a simulated EDGAR with invented filings every second, on a DATA_DIR (.data-demo) and port (8090) of its own
	$(RUN) own demo --import tsx test/demo/demo.ts

web: ## show the page as it is being changed in src/web, over a running service (URL, PORT of its own)
	$(RUN) own web src/cli/bootstrap/watch-web.ts $${URL:+--url="$$URL"} $${PORT:+--port="$$PORT"}

screenshots: ## take the README's pictures from the page of a running make demo (URL)
	$(RUN) own screenshots --import tsx test/demo/screenshots.ts

test: ## check layout, rules of the linter, types, unused exports, and run all tests
	$(CHECK_SOURCES)
	$(RUN) own test node_modules/tsx/dist/cli.mjs test/support/run.ts

test-faults: ## run the long tests: the volumes that make test cuts short, then kill the service 50 times while EDGAR misbehaves and 200 times while 10,000 alerts are delivered and while copies follow the log of changes (FAULT_KILLS for all)
	@TEST_LONG=1 sh src/cli/bootstrap/run.sh own test-faults node_modules/tsx/dist/cli.mjs test/support/run.ts long
	@FAULT_KILLS=$${FAULT_KILLS:-50} sh src/cli/bootstrap/run.sh own test-faults node_modules/mocha/bin/mocha.js --no-config --import=tsx \
	  --reporter ./test/support/reporter.ts --extension ts test/e2e/service/follow.test.ts -g killed
	@FAULT_KILLS=$${FAULT_KILLS:-200} ALERT_KEYS=$${ALERT_KEYS:-10} sh src/cli/bootstrap/run.sh own test-faults node_modules/mocha/bin/mocha.js \
	  --no-config --import=tsx --reporter ./test/support/reporter.ts --extension ts test/e2e/service/alerts.test.ts \
	  test/e2e/service/replica.test.ts

check: ## check layout, rules of the linter, types, unused exports, and run the unit tests
	$(CHECK_SOURCES)
	$(RUN) own unit node_modules/tsx/dist/cli.mjs test/support/run.ts unit

lint: ## check the rules of the linter, and that every file, export and dependency is used
	$(RUN) npm-check lint "$(OXLINT)" oxlint src test
	$(RUN) npm lint "$(KNIP)" knip --no-progress

format: ## lay out src and test as make check wants it
	$(RUN) npm format "$(OXFMT)" oxfmt src test

unit: ## run the unit tests, which need no store
	$(RUN) own unit node_modules/tsx/dist/cli.mjs test/support/run.ts unit

integration: ## run the tests of the contract and of the stores
	$(RUN) own integration node_modules/tsx/dist/cli.mjs test/support/run.ts integration

e2e: ## run the tests that start stacks of their own
	$(RUN) own e2e node_modules/tsx/dist/cli.mjs test/support/run.ts e2e

typecheck: ## check the types
	$(RUN) tool typecheck node_modules/typescript/bin/tsc --noEmit
	$(RUN) tool typecheck node_modules/typescript/bin/tsc --noEmit -p src/web

contract: ## generate src/contract.ts, and the types of the client for Python, from openapi/openapi.yaml
	$(RUN) tool contract node_modules/openapi-typescript/bin/cli.js openapi/openapi.yaml -o src/contract.ts
	$(RUN) tool contract node_modules/tsx/dist/cli.mjs src/cli/bootstrap/python-types.ts

bench: ## measure the goals of test/bench, all or some (BENCH), and print their table; hours, most for growth-of-history
	$(RUN) own bench node_modules/tsx/dist/cli.mjs test/bench/run.ts

bench-quick: ## run the benches on small volumes, to see that they work; five minutes
	@QUICK=1 sh src/cli/bootstrap/run.sh own bench node_modules/tsx/dist/cli.mjs test/bench/run.ts

clean: ## remove the builds that no running stack uses
	$(RUN) step clean
