/// The style of the page, in the colours that the reader's system prefers.
enum StyleSheet {
    static let text = """
        :root { color-scheme: light dark; --page: #fff; --text: #1f2328; --muted: #59636e; --line: #d1d9e0;
          --soft: #f6f8fa; --series-0: #0969da; --series-1: #bc4c00; --series-2: #8250df; --warning: #9a6700; }
        @media (prefers-color-scheme: dark) { :root { --page: #0d1117; --text: #f0f6fc; --muted: #9198a1;
          --line: #3d444d; --soft: #151b23; --series-0: #58a6ff; --series-1: #f0883e; --series-2: #bc8cff;
          --warning: #d29922; } }
        * { box-sizing: border-box; }
        body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 58rem; background: var(--page);
          color: var(--text); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
          overflow-wrap: break-word; }
        h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .3rem; }
        h2 { font-size: 1.4rem; line-height: 1.25; margin: 3rem 0 .6rem; padding-top: 1rem;
          border-top: 1px solid var(--line); }
        h3 { font-size: 1.05rem; margin: 1.8rem 0 .4rem; }
        p, ul { margin: .6rem 0; max-width: 44rem; }
        a { color: var(--series-0); }
        .of { color: var(--muted); margin-top: 0; }
        .lead { font-size: 1.1rem; }
        .warning { border-left: 4px solid var(--warning); padding: .5rem .8rem; background: var(--soft); }
        .scroll { overflow-x: auto; margin: .8rem 0; border: 1px solid var(--line); border-radius: 6px; }
        table { border-collapse: collapse; width: 100%; font-size: .9rem; }
        th, td { padding: .4rem .7rem; text-align: right; vertical-align: top; white-space: nowrap;
          border-top: 1px solid var(--line); font-variant-numeric: tabular-nums; }
        thead th { border-top: 0; background: var(--soft); vertical-align: bottom; white-space: normal;
          min-width: 5.5rem; }
        .narrow { max-width: 36rem; }
        th[scope=row], thead th:first-child { text-align: left; font-weight: normal; white-space: normal;
          min-width: 8.5rem; }
        th[scope=rowgroup] { text-align: left; background: var(--soft); }
        td.words { text-align: left; white-space: normal; min-width: 11rem; }
        tbody:first-child tr:first-child * { border-top: 0; }
        td strong { font-size: 1rem; }
        .spread { display: block; color: var(--muted); font-size: .8rem; font-weight: normal; }
        .missing { color: var(--warning); font-style: italic; }
        code { font: .88em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
        figure { margin: 1rem 0; }
        svg { display: block; width: 100%; height: auto; max-width: 46rem; }
        svg text { fill: var(--text); font: 15px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
        svg .tick { fill: var(--muted); }
        svg .grid { stroke: var(--line); }
        svg .minor { stroke: var(--line); stroke-opacity: .4; }
        svg .s0 { fill: var(--series-0); stroke: var(--series-0); }
        svg .s1 { fill: var(--series-1); stroke: var(--series-1); }
        svg .s2 { fill: var(--series-2); stroke: var(--series-2); }
        svg text .s0, svg text .s1, svg text .s2 { stroke: none; }
        @media (max-width: 40rem) {
          body { padding: 1rem .75rem 3rem; }
          h1 { font-size: 1.5rem; }
          svg text { font-size: 21px; }
          th, td { padding: .35rem .5rem; }
        }
        """
}
