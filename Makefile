# `make run` and `make test` are the main targets. Each target installs missing dependencies first.

# SwiftPM remembers Package.swift's result for an environment. Package.swift looks for this file, which `make test` installs.
export WEBKITGTK_HEADER = $(shell ls /usr/include/webkitgtk-4.1/webkit2/webkit2.h 2>/dev/null)

.PHONY: run build images test test-all framework-tests compare-apps bench soak soak-hostile simulate simulate-cluster compare fuzz autobahn sanitize conformance docs package check-package check-distribution reproduce-package release format clean

run: ## Build and serve the demo at http://localhost:2734/demo/
	scripts/install build
	swift run -c release bridged serve

build: ## Build .build/release/bridged, and bridged-webkit where WebKitGTK is installed
	scripts/install build
	swift build -c release --product bridged
	[ -z "$$WEBKITGTK_HEADER" ] || swift build -c release --product bridged-webkit

images: build ## Take the pictures of the documentation anew
	scripts/install test
	scripts/images.mjs

# A target of its own, because make computes WEBKITGTK_HEADER before a recipe's first line, and this may install the header.
install-for-%:
	scripts/install $*

test: install-for-test ## Run the checks of a change: format, page script, Swift, Chromium and WebKit
	scripts/check

test-all: install-for-test ## Run all checks: those, Firefox, every recorded case, models, fuzzing, packages outside
	scripts/check all

framework-tests: ## Run the own tests of Hotwire's frameworks for iOS: FRAMEWORKS="FOLDER…", else clones of them
	scripts/install test
	scripts/framework-tests $(FRAMEWORKS)

compare-apps: ## Compare an app's own Swift with the emulated app: PROJECT=…/hotwire-native-ios/Demo FRAMEWORK=ios
	scripts/install test
	scripts/compare-apps $(PROJECT) $(FRAMEWORK)

soak: ## Run the chaos test for MINUTES (10), starting with SEED
	scripts/install test
	BRIDGED_SOAK_MINUTES=$(or $(MINUTES),10) $(if $(SEED),BRIDGED_SEED=$(SEED)) swift test --filter ChaosTests

soak-hostile: ## Run hostile clients beside an honest page for MINUTES (30), with SEED
	scripts/install test
	swift build -c release --product bridged
	BRIDGED_SOAK_MINUTES=$(or $(MINUTES),30) $(if $(SEED),BRIDGED_SEED=$(SEED)) \
		BRIDGED_EXECUTABLE=$(CURDIR)/.build/release/bridged swift test --filter HostileSoakTests

simulate: ## Simulate the daemon and its pages for SECONDS (60), from SEED on
	scripts/install build
	swift build -c release --product Simulation
	.build/release/Simulation $(or $(SECONDS),60) $(SEED)

simulate-cluster: ## Simulate durable daemons, their pages and a real Redis for SECONDS (60), from SEED on
	scripts/install build
	swift build -c release --product Simulation
	.build/release/Simulation $(or $(SECONDS),60) $(or $(SEED),$$RANDOM) cluster

compare: ## Run random cases in WebKit and in the other engines for SECONDS (300), from SEED on, and print differences
	scripts/install test
	BRIDGED_COMPARE=$(or $(SECONDS),300) $(if $(SEED),SEED=$(SEED)) swift test --filter CompareTests

fuzz: ## Run each fuzz target for SECONDS (60), and then fuzz the daemon's sockets
	scripts/install test
	scripts/fuzz $(or $(SECONDS),60)
	BRIDGED_FUZZ_CONVERSATIONS=20000 $(if $(SEED),BRIDGED_SEED=$(SEED)) swift test --filter SocketFuzzTests

autobahn: ## Run Autobahn's test suite against the WebSocket transport: WSTEST=…/bin/wstest CASES="6.* 9.1.1"
	scripts/install build
	scripts/autobahn $(WSTEST) $(CASES)

sanitize: ## Run the tests under the address and the thread sanitizer
	scripts/install test
	scripts/sanitize address
	scripts/sanitize thread

bench: install-for-bench ## Run the benchmarks; GROUPS="raw scale browsers cluster costs micro instructions suites" selects some
	swift build -c release --product bridged
	swift build -c release --product EchoApp
	swift build -c release --product Load
	swift build -c release --product Micro
	[ -z "$$WEBKITGTK_HEADER" ] || swift build -c release --product bridged-webkit
	.build/bench/bin/python Benchmarks/bench.py $(GROUPS) --json .build/bench/figures.json

conformance: ## Run every case recorded with WebKit in every browser
	scripts/install test
	BRIDGED_CONFORMANCE=1 \
		BRIDGED_ENGINES=$${BRIDGED_ENGINES:-chromium,firefox,webKitGTK,drivenChromium,drivenFirefox,drivenWebKit} \
		swift test --filter 'ConformanceTests/cases'

docs: ## Build the documentation of the public modules (DocC), without warnings
	scripts/install build
	swift build
	scripts/docs

package: ## Make the packages for machines without Swift, in .build/package/out
	scripts/install package
	scripts/package

check-package: package ## Use the packages in fresh roots of Debian 12 and 13 without Swift; needs root
	scripts/check-package
	scripts/check-anywhere bookworm
	scripts/check-anywhere trixie

check-distribution: ## Build and test the last commit in a fresh DISTRIBUTION: trixie, bookworm, noble, jammy; needs root
	scripts/install package
	scripts/check-distribution $(or $(DISTRIBUTION),trixie)

reproduce-package: package ## Make the packages of the last commit again, elsewhere, and compare their bytes
	scripts/reproduce-package

release: ## Test VERSION, make its packages, and tag it
	scripts/release $(VERSION)

format: ## Format the Swift sources in place
	swift format --in-place --recursive Package.swift AppCode Benchmarks Examples Fuzz Snippets Sources Tests web

clean:
	rm -rf .build AppCode/.build AppCode/Tools/*/.build
