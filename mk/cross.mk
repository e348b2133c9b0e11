# The other architecture: the programs without foreign libraries, built so that they do not rot, not
# run.
CROSS_CC ?= aarch64-linux-gnu-gcc
CROSS_ARCH = $(firstword $(subst -, ,$(notdir $(CROSS_CC))))
CROSS_O    = $(O)-$(CROSS_ARCH)

.PHONY: cross-aarch64
cross-aarch64: ## build csbx and csbx-init for aarch64 (needs gcc-aarch64-linux-gnu)
	@command -v $(CROSS_CC) >/dev/null || \
	  { echo "missing $(CROSS_CC): apt-get install gcc-aarch64-linux-gnu" >&2; exit 1; }
	@$(MAKE) CC=$(CROSS_CC) ARCH=$(CROSS_ARCH) O=$(CROSS_O) $(CROSS_O)/csbx $(CROSS_O)/csbx-init
