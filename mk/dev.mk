# Targets for people: install, lint, format, dist, clean, help.

.PHONY: install uninstall lint lint-analyzer format dist clean help

# --- install ------------------------------------------------------------------------------------
# Programs, man pages, docs, completions; an AppArmor profile where AppArmor knows `userns` (abi 4.0).
HELPERS      := csbx-tool csbx-image csbx-engine csbx-squashd csbx-meta csbx-init
MAN_PAGES     = $(wildcard docs/man/*.[1-8] $(O)/man/*.[1-8])
APPARMOR_DIR := $(sysconfdir)/apparmor.d
APPARMOR     ?= $(shell d=$(DESTDIR)$(APPARMOR_DIR); [ -d $$d/abi ] && [ -e $$d/abi/4.0 ] && [ -w $$d ] && echo yes)
BASH_COMPLETIONS_DIR ?= $(prefix)/share/bash-completion/completions
ZSH_COMPLETIONS_DIR  ?= $(prefix)/share/zsh/site-functions
SYSTEMD_USER_DIR     ?= $(prefix)/lib/systemd/user
# Where docker's own command line looks only when it is told to (docs/build.md).
CLI_PLUGINS_DIR ?= $(libexecdir)/csbx/cli-plugins
INSTALL      ?= install
# Beside the programs, where --help says that they are; README.md links into docs/.
DOCDIR       ?= $(prefix)/share/doc/csbx
DOCS         := README.md CHANGELOG.md LICENSE $(wildcard docs/*.*)

install: all ## programs, man pages, docs, completions (prefix=, DESTDIR=)
	$(Q)$(INSTALL) -d $(DESTDIR)$(bindir) $(DESTDIR)$(libexecdir)/csbx
	$(Q)$(INSTALL) -m 0755 $(O)/csbx $(DESTDIR)$(bindir)/csbx
	$(Q)$(INSTALL) -m 0755 $(addprefix $(O)/,$(HELPERS)) $(DESTDIR)$(libexecdir)/csbx
	$(Q)$(INSTALL) -d $(DESTDIR)$(CLI_PLUGINS_DIR)
	$(Q)ln -sf $(bindir)/csbx $(DESTDIR)$(CLI_PLUGINS_DIR)/docker-buildx
	$(Q)for page in $(MAN_PAGES); do \
	  $(INSTALL) -D -m 0644 $$page $(DESTDIR)$(mandir)/man$${page##*.}/$${page##*/} || exit 1; done
	$(Q)for page in $(DOCS); do $(INSTALL) -D -m 0644 $$page $(DESTDIR)$(DOCDIR)/$$page || exit 1; done
	$(Q)! [ -e contrib/completion/csbx.bash ] || $(INSTALL) -D -m 0644 contrib/completion/csbx.bash \
	  $(DESTDIR)$(BASH_COMPLETIONS_DIR)/csbx
	$(Q)! [ -e contrib/completion/_csbx ] || $(INSTALL) -D -m 0644 contrib/completion/_csbx \
	  $(DESTDIR)$(ZSH_COMPLETIONS_DIR)/_csbx
	$(Q)$(INSTALL) -D -m 0644 contrib/systemd/csbx-engine.socket $(DESTDIR)$(SYSTEMD_USER_DIR)/csbx-engine.socket
	$(Q)sed 's|@bindir@|$(bindir)|' contrib/systemd/csbx-engine.service.in \
	  >$(DESTDIR)$(SYSTEMD_USER_DIR)/csbx-engine.service && chmod 0644 $(DESTDIR)$(SYSTEMD_USER_DIR)/csbx-engine.service
	$(Q)[ "$(APPARMOR)" != yes ] || { $(INSTALL) -d $(DESTDIR)$(APPARMOR_DIR) && \
	  sed 's|@bindir@|$(bindir)|; s|@libexecdir@|$(libexecdir)|' contrib/apparmor/csbx.in \
	  >$(DESTDIR)$(APPARMOR_DIR)/csbx && chmod 0644 $(DESTDIR)$(APPARMOR_DIR)/csbx; }
	$(Q)[ "$(APPARMOR)" != yes ] || [ -n "$(DESTDIR)" ] || ! command -v apparmor_parser >/dev/null || \
	  apparmor_parser -r $(APPARMOR_DIR)/csbx

uninstall: ## remove what install put there
	rm -f $(DESTDIR)$(bindir)/csbx $(addprefix $(DESTDIR)$(libexecdir)/csbx/,$(HELPERS))
	rm -f $(addprefix $(DESTDIR)$(libexecdir)/csbx/harness/,$(notdir $(HARNESS_SRCS)))
	rm -f $(patsubst %.py,$(DESTDIR)$(libexecdir)/csbx/harness/__pycache__/%.*.pyc,$(notdir $(HARNESS_SRCS)))
	rmdir $(DESTDIR)$(libexecdir)/csbx/harness/__pycache__ 2>/dev/null || true
	rmdir $(DESTDIR)$(libexecdir)/csbx/harness 2>/dev/null || true
	rm -f $(DESTDIR)$(BASH_COMPLETIONS_DIR)/csbx $(DESTDIR)$(ZSH_COMPLETIONS_DIR)/_csbx
	rm -f $(foreach p,$(MAN_PAGES),$(DESTDIR)$(mandir)/man$(patsubst .%,%,$(suffix $(p)))/$(notdir $(p)))
	rm -f $(addprefix $(DESTDIR)$(DOCDIR)/,$(DOCS))
	rmdir $(DESTDIR)$(DOCDIR)/docs $(DESTDIR)$(DOCDIR) 2>/dev/null || true
	rm -f $(DESTDIR)$(SYSTEMD_USER_DIR)/csbx-engine.socket $(DESTDIR)$(SYSTEMD_USER_DIR)/csbx-engine.service
	[ ! -e $(DESTDIR)$(APPARMOR_DIR)/csbx ] || rm -f $(DESTDIR)$(APPARMOR_DIR)/csbx
	rm -f $(DESTDIR)$(CLI_PLUGINS_DIR)/docker-buildx
	rmdir $(DESTDIR)$(CLI_PLUGINS_DIR) 2>/dev/null || true
	rmdir $(DESTDIR)$(libexecdir)/csbx 2>/dev/null || true

# --- quality ------------------------------------------------------------------------------------
lint: all ## -Werror, clang-tidy, cppcheck, shellcheck, pyflakes (whatever of them is installed)
	@tests/tools/lint "$(O)"

lint-analyzer: ## gcc -fanalyzer over all C files (slow)
	@$(MAKE) O=build/analyzer WERROR= CFLAGS="-fanalyzer $(CFLAGS)" all

# C files that differ from HEAD, or FILES=...
FILES ?= $(shell { git diff --name-only --diff-filter=d HEAD; git ls-files -o --exclude-standard; } | grep '\.[ch]$$')
format: ## clang-format on changed C files (FILES=... for others)
	$(if $(FILES),clang-format -i $(FILES),@echo "no changed C file")

# --- the rest -----------------------------------------------------------------------------------
dist: ## source archive of HEAD
	@mkdir -p build
	git archive --format=tar.gz --prefix=csbx-$(VERSION)/ -o build/csbx-$(VERSION).tar.gz HEAD

clean: ## remove build/
	rm -rf build

help: ## this list
	@echo "csbx $(VERSION): make [TARGET] [V=1] [DEBUG=1] [SANITIZE=address,undefined] [WERROR=1]"
	@sed -n 's/^\([a-z][a-z0-9-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | sort -u | \
	  awk -F'\t' '{ printf "%-20s %s\n", $$1, $$2 }'
