# SPDX-License-Identifier: GPL-2.0-or-later
dist_bin_SCRIPTS = scripts/bon_ab scripts/bon_csv2html scripts/bon_csv2txt

perldir = $(pkgdatadir)/perl/Bonnie
dist_perl_DATA = \
	scripts/lib/Bonnie/Axis.pm \
	scripts/lib/Bonnie/Causes.pm \
	scripts/lib/Bonnie/ChangeWords.pm \
	scripts/lib/Bonnie/Changes.pm \
	scripts/lib/Bonnie/Chart.pm \
	scripts/lib/Bonnie/Comparison.pm \
	scripts/lib/Bonnie/ComparisonText.pm \
	scripts/lib/Bonnie/Csv.pm \
	scripts/lib/Bonnie/Cut.pm \
	scripts/lib/Bonnie/CutPage.pm \
	scripts/lib/Bonnie/Document.pm \
	scripts/lib/Bonnie/Envelope.pm \
	scripts/lib/Bonnie/Figure.pm \
	scripts/lib/Bonnie/FigureCharts.pm \
	scripts/lib/Bonnie/GoBonnieGo.pm \
	scripts/lib/Bonnie/Group.pm \
	scripts/lib/Bonnie/Headline.pm \
	scripts/lib/Bonnie/HostCharts.pm \
	scripts/lib/Bonnie/Html.pm \
	scripts/lib/Bonnie/HtmlTable.pm \
	scripts/lib/Bonnie/Input.pm \
	scripts/lib/Bonnie/Json.pm \
	scripts/lib/Bonnie/JsonText.pm \
	scripts/lib/Bonnie/Limits.pm \
	scripts/lib/Bonnie/Load.pm \
	scripts/lib/Bonnie/LoadCharts.pm \
	scripts/lib/Bonnie/LoadHeadline.pm \
	scripts/lib/Bonnie/LoadTables.pm \
	scripts/lib/Bonnie/LoadVerdict.pm \
	scripts/lib/Bonnie/MannWhitney.pm \
	scripts/lib/Bonnie/OneRun.pm \
	scripts/lib/Bonnie/OtherForms.pm \
	scripts/lib/Bonnie/Options.pm \
	scripts/lib/Bonnie/Output.pm \
	scripts/lib/Bonnie/Overview.pm \
	scripts/lib/Bonnie/Page.pm \
	scripts/lib/Bonnie/PairTest.pm \
	scripts/lib/Bonnie/Path.pm \
	scripts/lib/Bonnie/Plain.pm \
	scripts/lib/Bonnie/Program.pm \
	scripts/lib/Bonnie/Ratios.pm \
	scripts/lib/Bonnie/Record.pm \
	scripts/lib/Bonnie/SettingsTable.pm \
	scripts/lib/Bonnie/Statistics.pm \
	scripts/lib/Bonnie/SteadyCharts.pm \
	scripts/lib/Bonnie/Style.pm \
	scripts/lib/Bonnie/TailCharts.pm \
	scripts/lib/Bonnie/Tests.pm \
	scripts/lib/Bonnie/Text.pm \
	scripts/lib/Bonnie/TimeCharts.pm \
	scripts/lib/Bonnie/Units.pm \
	scripts/lib/Bonnie/Version.pm \
	scripts/lib/Bonnie/Written.pm \
	scripts/lib/Bonnie/Why.pm \
	scripts/lib/Bonnie/WhyPage.pm \
	scripts/lib/Bonnie/ZcavLog.pm \
	scripts/lib/Bonnie/ZcavPage.pm

perlabdir = $(perldir)/Ab
dist_perlab_DATA = \
	scripts/lib/Bonnie/Ab/Campaign.pm \
	scripts/lib/Bonnie/Ab/Command.pm \
	scripts/lib/Bonnie/Ab/Judge.pm \
	scripts/lib/Bonnie/Ab/Keep.pm \
	scripts/lib/Bonnie/Ab/Measured.pm \
	scripts/lib/Bonnie/Ab/Neighbour.pm \
	scripts/lib/Bonnie/Ab/Options.pm \
	scripts/lib/Bonnie/Ab/Page.pm \
	scripts/lib/Bonnie/Ab/Report.pm \
	scripts/lib/Bonnie/Ab/Result.pm \
	scripts/lib/Bonnie/Ab/Session.pm \
	scripts/lib/Bonnie/Ab/Words.pm

# ---- completions for shells --------------------------------------------------------------------

# Programs, each with its other names behind colons.
COMPLETED = bonnie:bonnie++:gobonniego boncut bonwhy zcav getc_putc bonload:goader generate_randfile
if HAVE_MPI
COMPLETED += bonnie-mpi bonload-mpi
endif
SCRIPTS_COMPLETED = bon_ab bon_csv2html bon_csv2txt

# The programs make their completions, which is impossible when they are built for another machine.
# Everything in the three directories is installed.
if COMPLETIONS
all-local: completions/made

install-data-local: completions/made
	$(MKDIR_P) "$(DESTDIR)$(bashcompletiondir)" "$(DESTDIR)$(zshcompletiondir)" "$(DESTDIR)$(fishcompletiondir)"
	cp -P completions/bash/* "$(DESTDIR)$(bashcompletiondir)/"
	cp -P completions/zsh/* "$(DESTDIR)$(zshcompletiondir)/"
	cp -P completions/fish/* "$(DESTDIR)$(fishcompletiondir)/"

uninstall-local: completions/made
	for file in completions/bash/*; do rm -f "$(DESTDIR)$(bashcompletiondir)/$${file##*/}"; done
	for file in completions/zsh/*; do rm -f "$(DESTDIR)$(zshcompletiondir)/$${file##*/}"; done
	for file in completions/fish/*; do rm -f "$(DESTDIR)$(fishcompletiondir)/$${file##*/}"; done
endif

completions/made: $(bin_PROGRAMS) $(noinst_SCRIPTS) $(srcdir)/scripts/completions \
		$(SCRIPTS_COMPLETED:%=$(srcdir)/scripts/%)
	$(AM_V_GEN)rm -rf completions && PERL='$(PERL)' $(PERL) $(srcdir)/scripts/completions completions \
		$(COMPLETED:%=./%) $(SCRIPTS_COMPLETED:%=$(srcdir)/scripts/%) && touch $@
