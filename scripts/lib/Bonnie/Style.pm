# The style sheet of the page.
package Bonnie::Style;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(style_sheet);

# Blue and orange are told apart by nearly every eye. All text has a contrast
# of at least 4.5 to 1 on its background; tests/unit/colours.t holds that.
my $LIGHT = <<'END';
    --page: #f7f8fa; --card: #ffffff; --text: #1b2430; --quiet: #566273; --line: #dfe4ea; --head: #f1f4f8;
    --bar: #3f7fbf; --grid: #e4e9ef; --zero: #8b97a6; --focus: #0b5cad;
    --b2: #a5cff5; --b1: #dcecfb; --w1: #fdead4; --w2: #f9c285;
END

my $DARK = <<'END';
    --page: #10141a; --card: #171d25; --text: #e6ebf1; --quiet: #9facbc; --line: #2b343f; --head: #1e2630;
    --bar: #5f9fdc; --grid: #28313b; --zero: #7d8a9a; --focus: #7cb8f2;
    --b2: #1f5c98; --b1: #1a3650; --w1: #4b3418; --w2: #87500f;
END

my $RULES = <<'END';
*, *::before, *::after { box-sizing: border-box; }
body { margin: 0; padding: 2rem clamp(1rem, 3vw, 3rem) 4rem; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
header, main, footer { max-width: 84rem; margin: 0 auto; }
h1 { margin: 0; font-size: 1.75rem; line-height: 1.2; font-weight: 650; letter-spacing: -.01em;
  overflow-wrap: anywhere; }
h2 { margin: 3rem 0 .25rem; font-size: 1.25rem; font-weight: 650; }
p { margin: .25rem 0 1rem; max-width: 46rem; }
.quiet, footer { color: var(--quiet); }
footer { margin-top: 3rem; font-size: .875rem; }
a { color: var(--focus); }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: .75rem 0 0; padding: 0; list-style: none; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }

.legend { display: flex; flex-wrap: wrap; gap: .5rem; margin: .75rem 0; padding: 0; list-style: none;
  font-size: .875rem; }
.legend li { padding: .2rem .65rem; border: 1px solid var(--line); border-radius: .3rem; }

.scroll { overflow-x: auto; margin: 1rem 0 1.75rem; border: 1px solid var(--line); border-radius: .5rem;
  background: var(--card); }
table { width: 100%; border-collapse: separate; border-spacing: 0; font-size: .8125rem; line-height: 1.35;
  font-variant-numeric: tabular-nums; }
caption { text-align: left; }
caption span { position: sticky; left: 0; display: inline-block; max-width: calc(100vw - 3rem); padding: .6rem .75rem;
  font-size: .9375rem; font-weight: 600; }
th, td { padding: .4rem .55rem; border-top: 1px solid var(--line); text-align: right; white-space: nowrap; }
thead th { font-weight: 600; vertical-align: bottom; }
thead th, thead th.name { background: var(--head); }
thead th[scope=colgroup] { text-align: center; }
thead th.name, tbody th { text-align: left; }
.name { position: sticky; left: 0; z-index: 1; min-width: 13.5rem; max-width: 15rem; background: var(--card);
  font-weight: 600; white-space: normal; overflow-wrap: anywhere; }
tbody .name { padding-left: 2.05rem; }
.number { position: absolute; left: .55rem; color: var(--quiet); font-weight: 400; }
.amount { border-left: 1px solid var(--line); }
.start { border-left: 1px solid var(--line); }
.none { color: var(--quiet); white-space: normal; text-align: center; overflow-wrap: anywhere; }
.cpu { color: var(--quiet); }
.settings td, .settings thead th { text-align: left; }
.settings td { white-space: normal; }
.settings td:last-child { min-width: 9rem; overflow-wrap: anywhere; }
small { font-size: .85em; }
.cue { margin-right: .5em; font-size: .7em; letter-spacing: -.05em; }
.b2 { background: var(--b2); } .b1 { background: var(--b1); }
.w1 { background: var(--w1); } .w2 { background: var(--w2); }

.charts { display: grid; gap: 1rem; }
figure { margin: 0; padding: 1rem 1.1rem .75rem; border: 1px solid var(--line); border-radius: .5rem;
  background: var(--card); }
figcaption { font-weight: 650; }
.panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: 1.5rem 2.5rem;
  margin-top: .75rem; }
.panel h3 { margin: 0 0 .25rem; font-size: .875rem; font-weight: 600; color: var(--quiet); }
.chart { display: block; font-size: 13px; font-variant-numeric: tabular-nums; overflow: visible; }
.chart text { fill: var(--text); }
.chart .figure { text-anchor: end; }
.chart .tick, .chart .none { fill: var(--quiet); }
.chart .tick { font-size: 11.5px; text-anchor: middle; }
.chart .first { text-anchor: start; } .chart .last { text-anchor: end; }
.chart .bar { fill: var(--bar); }
.chart .grid { stroke: var(--grid); } .chart .zero { stroke: var(--zero); }

@media print, (min-width: 70rem) {
  .charts, .panels-3 .panels { grid-template-columns: repeat(3, 1fr); }
  .panels-3 { grid-column: span 3; }
  .panels-2 { grid-column: span 2; }
  .panels-2 .panels { grid-template-columns: repeat(2, 1fr); }
}
@media (max-width: 40rem) {
  body { padding: 1.25rem .75rem 3rem; }
  figure { padding: .75rem; }
  .chart { font-size: 12px; }
  .name { min-width: 8.5rem; max-width: 8.5rem; }
  .none, thead th[scope=colgroup] { text-align: left; }
}
@media print {
  @page { size: landscape; margin: 10mm; }
  :root { color-scheme: light; }
  body { padding: 0; background: none; font-size: 10pt; }
  nav { display: none; }
  h2, h3, figcaption, caption { break-after: avoid; }
  h2 { margin-top: 1.5rem; }
  .scroll { overflow: visible; }
  table { font-size: 6.5pt; }
  .chart { font-size: 8pt; }
  .panels { gap: 1rem 1.5rem; }
  th, td { padding: .2rem .25rem; }
  .name { position: relative; min-width: 0; }
  tbody .name { padding-left: 1.6rem; }
  tr, .scroll, figure, .panel, .legend { break-inside: avoid; }
  .b2, .b1, .w1, .w2, .bar, thead th { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
END

# Paper is light whatever the screen is.
sub style_sheet {
    return ":root {\n  color-scheme: light dark;\n$LIGHT}\n"
        . "\@media screen and (prefers-color-scheme: dark) {\n  :root {\n$DARK  }\n}\n"
        . $RULES;
}

1;
