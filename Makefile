# The two commands of the README, and a few more. Each installs what is missing first.

.PHONY: run build test soak conformance format clean

run: ## Build and serve the demo at http://localhost:2734/demo/
	scripts/install build
	swift run -c release bridged serve

build:
	scripts/install build
	swift build -c release

test: ## Check everything: format, page script, Swift, real browsers
	scripts/install test
	scripts/check

soak: ## Cut connections for MINUTES (10), beginning with SEED
	scripts/install test
	BRIDGED_SOAK_MINUTES=$(or $(MINUTES),10) $(if $(SEED),BRIDGED_SEED=$(SEED)) swift test --filter ChaosTests

conformance: ## Compare with what was recorded of WebKit, every case in every browser
	scripts/install test
	BRIDGED_CONFORMANCE=1 swift test --filter ConformanceTests

format: ## Format the Swift sources in place
	swift format --in-place --recursive Package.swift Benchmarks Examples Snippets Sources Tests web

clean:
	rm -rf .build
