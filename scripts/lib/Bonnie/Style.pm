# SPDX-License-Identifier: GPL-2.0-or-later
# The style sheet of the page.
package Bonnie::Style;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(style_sheet);

# Nearly everybody can distinguish blue and orange. All text has a contrast of
# at least 4.5 to 1 on its background; tests/unit/colours.t checks that.
my $LIGHT = <<'END';
    --page: #f6f7f9; --card: #ffffff; --text: #1b2430; --quiet: #566273; --line: #dfe4ea; --head: #f1f4f8;
    --bar: #3f7fbf; --better: #3a7cc4; --worse: #c8620c; --unclear: #818d9c;
    --dark: #1f5c98; --middle: #5a95d0; --pale: #a9cdf0; --tail: #4b5969; --range: #1b2430;
    --edge: #b9c3cf; --grid: #dfe5ec; --zero: #6c7887; --focus: #0b5cad;
    --b2: #a5cff5; --b1: #dcecfb; --w1: #fdead4; --w2: #f9c285;
END

my $DARK = <<'END';
    --page: #10141a; --card: #171d25; --text: #e6ebf1; --quiet: #9facbc; --line: #2b343f; --head: #1e2630;
    --bar: #4f8fce; --better: #4f8fce; --worse: #c9742a; --unclear: #778494;
    --dark: #9cc8f2; --middle: #4c86bf; --pale: #2b5178; --tail: #b3bfcc; --range: #f4f7fa;
    --edge: #000000; --grid: #2d3742; --zero: #8b97a6; --focus: #7cb8f2;
    --b2: #1f5c98; --b1: #1a3650; --w1: #4b3418; --w2: #87500f;
END

my $RULES = <<'END';
*, *::before, *::after { box-sizing: border-box; }
body { margin: 0; padding: 2rem clamp(1rem, 2vw, 3rem) 4rem; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, Arial, sans-serif; }
header, main, footer { max-width: 84rem; margin: 0 auto; }
h1 { margin: 0; font-size: 1.75rem; line-height: 1.2; font-weight: 650; letter-spacing: -.01em;
  overflow-wrap: anywhere; }
h2 { margin: 2.75rem 0 .5rem; font-size: 1.25rem; font-weight: 650; }
h3 { margin: 0 0 .25rem; font-size: 1rem; font-weight: 650; overflow-wrap: anywhere; }
p { margin: .25rem 0 .75rem; max-width: 50rem; overflow-wrap: anywhere; }
.quiet, footer { color: var(--quiet); }
footer { margin-top: 3rem; font-size: .875rem; }
a { color: var(--focus); }
nav ul { display: flex; flex-flow: wrap; gap: .25rem 1.25rem; margin: .75rem 0 0; padding: 0; list-style: none; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }

.legend { display: flex; flex-flow: wrap; gap: .5rem; margin: .75rem 0; padding: 0; list-style: none;
  font-size: .875rem; }
.legend li { padding: .2rem .65rem; border: 1px solid var(--line); border-radius: .3rem; }

.scroll { overflow-x: auto; margin: .75rem 0 1.25rem; border: 1px solid var(--line); border-radius: .5rem;
  background: linear-gradient(90deg, transparent, var(--card) 70%) right / 3rem 100% no-repeat local,
    conic-gradient(from 225deg at right, var(--quiet) 90deg, transparent 0) right .3rem top .75rem / .5rem 1rem no-repeat,
    linear-gradient(270deg, var(--edge), transparent) right / 1rem 100% no-repeat scroll, var(--card); }
table { width: 100%; border-collapse: separate; border-spacing: 0; font-size: .8125rem; line-height: 1.35;
  font-variant-numeric: tabular-nums; }
caption { text-align: left; }
caption span { position: sticky; left: 0; display: inline-block; max-width: calc(100vw - 3rem); padding: .6rem .75rem;
  font-size: .9375rem; font-weight: 600; overflow-wrap: anywhere; }
th, td { padding: .4rem .35rem; border-top: 1px solid var(--line); text-align: right; white-space: nowrap;
  vertical-align: top; }
thead th { font-weight: 600; vertical-align: bottom; white-space: normal; background: var(--head); }
thead th[scope=colgroup] { text-align: center; }
thead th[scope=colgroup], thead tr:nth-child(2) th { border-left: 1px solid var(--line); }
.label, thead tr:first-child th:first-child { position: sticky; left: 0; z-index: 1; min-width: 6.5rem;
  max-width: 14rem; text-align: left; white-space: normal; overflow-wrap: anywhere; }
.label { background: var(--card); font-weight: 600; }
.changes .label { min-width: 8rem; }
.campaign .label { overflow-wrap: normal; }
th i { color: var(--quiet); font-weight: 400; font-style: normal; margin-right: .4em; }
td small { display: block; white-space: normal; color: var(--quiet); font-size: .9em; }
.changes small, .many small { white-space: nowrap; }
.many .better small, .many .worse small, .b2 small, .w2 small { color: inherit; }
.none { min-width: 6em; color: var(--quiet); white-space: normal; text-align: center; overflow-wrap: anywhere; }
.scroll:has(.result), .scroll:has(.cuts), .one .scroll:has(.settings) { width: fit-content; max-width: 100%; }
.result .label { min-width: 11rem; } :is(.result, .cuts) :is(th, td) { padding-right: 1.1rem; }
.one .panels { grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); }
.headline { max-width: 60rem; font-size: 1.25rem; line-height: 1.4; }
.warning { padding: .4rem .75rem; border-left: .3rem solid var(--worse); background: var(--w1); }
.settings td, .settings th, .limits td, .places td:nth-of-type(3), .places thead th:nth-child(4), .changes :is(td, thead th):nth-child(3) { text-align: left; }
.rounds td:nth-of-type(-n+2), .rounds thead th:nth-child(-n+3), .slowest :is(td, th), .judged td:first-of-type { text-align: left; white-space: normal; }
.rounds td:nth-of-type(2), .said { min-width: 11rem; }
.settings td { min-width: 3rem; max-width: 18rem; white-space: normal; overflow-wrap: break-word; }
.settings td:last-child { min-width: 5rem; overflow-wrap: anywhere; }
.limits thead tr:nth-child(2) th { text-align: left; }
.limits td { font-size: .9em; white-space: normal; min-width: 3.5rem; }
.limits td span { display: block; }
.wide :is(th, td) { padding-inline: .25rem; }
.wide small { font-size: .85em; }
.one .settings td { max-width: 40rem; }
.one :has(> .scroll .settings) { display: flex; flex-flow: wrap; align-items: start; column-gap: 1.5rem; }
.one :has(> .scroll .settings) > :not(.scroll) { flex: 0 0 100%; }
:is(.b2, .b1, .w1, .w2)::before { margin-right: .3em; font-size: .7em; letter-spacing: -.05em; }
.b2::before { content: "\25B2\25B2"; content: "\25B2\25B2" / "much faster:"; }
.b1::before { content: "\25B2"; content: "\25B2" / "faster:"; }
.w1::before { content: "\25BC"; content: "\25BC" / "slower:"; }
.w2::before { content: "\25BC\25BC"; content: "\25BC\25BC" / "much slower:"; }
.b2, :is(.changes, .many, .campaign) .better { background: var(--b2); } .b1 { background: var(--b1); }
.w1 { background: var(--w1); } .w2, :is(.changes, .many, .campaign) .worse { background: var(--w2); }
:is(.device, .memory, .cpu, .unknown)::before { content: ""; display: inline-block; width: 9px;
  height: 9px; margin: 0 .6em 0 .25em; border: 1.5px solid; }
.device::before { width: 13px; margin: 0 .4em 0 0; }
.memory::before { width: 13px; margin: 0 .4em 0 0; border-bottom: 3.5px dotted; }
.cpu::before { outline: 2px dotted; }
.unknown::before { transform: rotate(45deg); }

figure, .change { margin: 1rem 0; padding: 1rem 1.1rem .75rem; border: 1px solid var(--line); border-radius: .5rem;
  background: var(--card); }
figcaption { font-weight: 650; }
figcaption span { display: block; max-width: 60rem; color: var(--quiet); font-size: .875rem; font-weight: 400; }
.panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: 1.5rem 2.5rem;
  margin-top: .75rem; }
.panel h3 { font-size: .875rem; font-weight: 600; color: var(--quiet); }
.chart { display: grid; grid-template-columns: 100%; align-content: start; font-size: 13px; font-variant-numeric: tabular-nums; }
.chart svg { grid-area: 1 / 1; width: 100%; overflow: visible; }
.chart svg:last-child { grid-area: 2 / 1; }
.chart:has(.upward) { padding-left: 4.75rem; } .upward { transform: translateX(-6px); }
.panels:has(.upward) { grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); }
.chart ul { grid-area: 1 / 1; line-height: 17px; margin: 0; padding: 0; list-style: none; }
.chart li { display: flex; gap: 1em; justify-content: space-between; height: var(--row, 38px); white-space: nowrap; }
.chart bdi { overflow: hidden; text-overflow: ellipsis; }
.change bdi { flex: none; }
.chart b { font-weight: 400; }
.chart text { fill: var(--quiet); font-size: 11.5px; text-anchor: middle; } .chart .upward text { text-anchor: end; }
.chart .first { text-anchor: start; } .chart .last { text-anchor: end; }
.chart path { fill: none; stroke-width: 1.5px; }
.chart :is(.bar, .better, .worse, .unclear, .band0) { stroke-width: 12px; }
.chart .bar { stroke: var(--bar); }
.chart .better { stroke: var(--better); }
.chart .worse { stroke: var(--worse); }
.chart .unclear { stroke: var(--unclear); }
.chart .band0 { stroke: var(--dark); }
.chart .band1 { stroke: var(--middle); stroke-width: 8px; }
.chart .band2 { stroke: var(--pale); stroke-width: 4px; }
.heat0 { --o: .12; } .heat1 { --o: .25; } .heat2 { --o: .45; } .heat3 { --o: .7; }
.chart [class^=heat] { fill: var(--dark); fill-opacity: var(--o, 1); stroke: none; }
.legend [class^=heat]::before { content: ""; display: inline-block; width: 1em; height: 1em; margin-right: .5em;
  vertical-align: -.1em; background: var(--dark); opacity: var(--o, 1); }
.chart .range { stroke: var(--range); } .chart .tail { stroke: var(--tail); }
.chart .alone { stroke: var(--bar); stroke-width: 6px; }
.chart .course { fill: var(--pale); fill-opacity: .55; stroke: var(--bar); stroke-width: 1px; }
.chart .held { fill: var(--bar); stroke: none; } .chart .losses { fill: var(--worse); stroke: none; }
.chart .open { fill: var(--unclear); stroke: none; }
.cuts .label { min-width: 7.5rem; } .fault { background: var(--w2); }
.chart .band { fill: var(--range); fill-opacity: .2; stroke: none; }
.chart .known { fill: var(--pale); stroke: none; }
.chart .pair { stroke: var(--dark); }
.chart .fit { stroke: var(--worse); stroke-width: 2.5px; stroke-dasharray: 6 3; }
.chart :is(.pair, path.dot) { stroke-width: 5px; stroke-linecap: round; } .chart path.box { stroke-width: 4px; }
.chart path.tick { stroke-width: 2.5px; } .chart path.spot { stroke-width: 11px; stroke-linecap: round; }
.chart .lower { stroke: var(--bar); } .chart .upper { stroke: var(--dark); stroke-width: 2px; }
.chart .grid { stroke: var(--grid); stroke-width: 1px; } .chart .zero { stroke: var(--zero); stroke-width: 1px; }

@media screen and (min-width: 76rem) {
  .change { display: grid; grid-template-columns: 4fr 7fr; column-gap: 1.5rem; }
  .change > * { grid-column: 1 / -1; }
  .change > .chart { grid-column: 1; margin-top: .75rem; }
  .change > .scroll { grid-column: 2; align-self: start; }
}
@media (max-width: 40rem) {
  body { padding: 1.25rem .75rem 3rem; }
  figure, .change { padding: .75rem; }
  .chart { font-size: 12px; }
  .label, thead tr:first-child th:first-child { min-width: 6.5rem; max-width: 8rem; }
  .changes .label, .changes thead tr:first-child th:first-child { min-width: 5.25rem; max-width: 5.25rem; }
  .changes small { white-space: normal; }
  .changes th:nth-child(2) { max-width: 6rem; }
  .result .label { min-width: 6rem; }
  .result :is(th, td) { padding-right: .35rem; white-space: normal; }
  .result td:has(span) { min-width: 8rem; }
}
@media print {
  @page { size: landscape; margin: 10mm; }
  :root { color-scheme: light; }
  body { padding: 0; background: none; font-size: 10pt; }
  nav, footer { display: none; }
  h2, h3, figcaption, caption, thead, h2 + .legend, h2 + p { break-after: avoid; }
  h2 { margin-top: 1.25rem; }
  .scroll { overflow: visible; background: none; }
  table { font-size: 6.5pt; } .one table, .changes { font-size: 8pt; }
  caption span { padding: .3rem .5rem; font-size: 9pt; }
  .settings, .runs { font-size: 5.5pt; }
  .settings:not(:has(tr > :nth-child(8))) { font-size: 7.5pt; }
  p { max-width: none; margin: .2rem 0 .4rem; }
  .chart { zoom: .55; }
  .one h2 { margin: .5rem 0 .25rem; }
  .one figure { margin: .4rem 0; padding-bottom: .25rem; break-inside: avoid; }
  .one .panels { margin-top: .25rem; }
  .panel h3 { font-size: 8.5pt; }
  figcaption span, .legend, section > p { font-size: 8pt; }
  body:not(.one) .panels { display: block; }
  figcaption::after { content: ""; display: block; height: 18rem; margin-bottom: -18rem; }
  body:not(.one) .panel { display: inline-block; width: 31%; margin: 0 .8% .6rem; vertical-align: top; }
  th, td, .settings td { min-width: 0; padding: .2rem .3em; }
  :is(.changes, .one) :is(th, td) { padding: .1rem .25rem; }
  .runs td, .runs th { padding: .1rem; }
  .label, thead tr:first-child th:first-child { position: static; min-width: 7em; overflow-wrap: break-word; }
  tr, .panel, .chart, .legend, figcaption { break-inside: avoid; }
  .panels { break-before: avoid; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
END

# Printed pages are light, whatever the screen is. Removes needless spaces and semicolons, because
# each page has the style sheet.
sub style_sheet {
    my $rules = ":root {\n  color-scheme: light dark;\n$LIGHT}\n"
        . "\@media screen and (prefers-color-scheme: dark) {\n  :root {\n$DARK  }\n}\n"
        . $RULES;
    return $rules =~ s/(?<=[{};:,])\s+//gr =~ s/\s+(?=[{])//gr =~ s/\s*([>+]) /$1/gr =~ s/;(?=[}])//gr;
}

1;
