# Every target does its own set-up: see tools/packages.txt for what it may install.
SHELL := /bin/sh
JOBS ?= $(shell nproc)
RELEASE := build/release

.PHONY: help run test test-engines test-page test-slurm build bench check format tidy fuzz asan tsan coverage clean

help:
	@echo "make run       build and run the main job"
	@echo "make test      build and run all tests"
	@echo "make test-engines  real models on the CPU under the service: llama.cpp, OCR, sentence vectors (from npm)"
	@echo "make test-page  the page in a real browser (chromium) on a real service with pretended models"
	@echo "make test-slurm  workers as jobs of a real Slurm on this machine, with pretended GPUs"
	@echo "make build     build/release/switchyard"
	@echo "make bench     measure; table on the terminal, JSON in build/bench.json and build/bench-service.json"
	@echo "make check     format, layering and tree rules, clang-tidy"
	@echo "make asan      the tests under address and undefined-behaviour sanitizers (also: tsan, coverage)"
	@echo "make fuzz      each parser under libFuzzer for SECONDS (default 20)"
	@echo "make format    rewrite the sources with clang-format"

run: build
	@$(RELEASE)/switchyard plan examples/rag.yaml --html build/rag.html -o build/rag.json
	@echo "\nopen build/rag.html to see the plan\n"
	@rm -rf build/run
	@$(RELEASE)/switchyard run examples/questions.yaml --pretend --speed 20 --folder build/run --html build/run.html -o build/answers.jsonl
	@echo "\nopen build/run.html to see the plan above what happened"

build:
	@tools/setup build
	@tools/build release switchyard

test:
	@tools/setup build test
	@tools/build release all
	@tools/test release

# Debian's npm is not installed beside another one.
test-engines: build
	@command -v npm >/dev/null || tools/setup engines
	@tests/engines/run

# The committed bundle is what the sources give, what is pure is right, and the binary's own page works in a browser.
test-page: build
	@command -v npm >/dev/null || tools/setup engines
	@tools/setup page
	@cd page && { [ -d node_modules ] || npm install --no-save --no-fund --no-audit; }
	@page/check-bundle
	@cd page && npm run --silent check && npm test --silent && npm run --silent browser

# A Slurm of its own in a temporary folder; its packages start nothing by themselves there.
test-slurm: build
	@tools/setup slurm
	@timeout --kill-after=30 300 tests/slurm/allocate_test.py $(RELEASE)/switchyard

bench:
	@tools/setup build
	@tools/build release bench_switchyard
	@tools/build release bench_service
	@$(RELEASE)/bench_switchyard --json build/bench.json
	@$(RELEASE)/bench_service --json build/bench-service.json

asan tsan coverage:
	@tools/setup build test fuzz
	@tools/build $@ all
	@tools/test $@

check: tidy
	@tools/setup build test check
	@tools/format --check
	@tools/build release tree_test
	@$(RELEASE)/tree_test --gtest_brief=1

tidy:
	@tools/setup build test check fuzz
	@tools/tidy

format:
	@tools/setup check
	@tools/format

fuzz:
	@tools/setup build test fuzz
	@tools/build asan fuzzers
	@tools/fuzz $(or $(SECONDS),20)

clean:
	rm -rf build
