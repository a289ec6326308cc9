/// The one stylesheet, for light and dark, from 360 pixels on.
enum Stylesheet {
  static let text = #"""
    :root {
      color-scheme: light dark;
      --ground: #ffffff; --raised: #f6f8fa; --text: #1f2328; --soft: #57606a; --rule: #d0d7de;
      --accent: #0b57a4; --accent-text: #ffffff; --tint: #e7f0fa; --bad: #a40e26; --bad-ground: #fff0f0;
      --good: #116329; --good-ground: #e9f8ee; --warn: #7a4b00; --warn-ground: #fff7e0;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --ground: #0d1117; --raised: #161b22; --text: #e6edf3; --soft: #9aa4af; --rule: #30363d;
        --accent: #6cb2ff; --accent-text: #0d1117; --tint: #14263b; --bad: #ff9a9a; --bad-ground: #2d1417;
        --good: #6fdd8b; --good-ground: #0f2417; --warn: #f0c04c; --warn-ground: #2a2109;
      }
    }
    * { box-sizing: border-box; }
    html { font: 15px/1.5 ui-sans-serif, system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
    body { margin: 0; background: var(--ground); color: var(--text); }
    a { color: var(--accent); text-decoration: none; }
    a:hover { text-decoration: underline; }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
    .skip { position: absolute; left: -999px; }
    .skip:focus { left: 8px; top: 8px; background: var(--ground); padding: 4px 8px; }
    header.top { display: flex; flex-wrap: wrap; gap: 4px 20px; align-items: center; padding: 10px 24px;
      border-bottom: 1px solid var(--rule); background: var(--raised); }
    header.top .store { font-weight: 600; color: var(--text); overflow-wrap: anywhere; }
    header.top nav { display: flex; flex-wrap: wrap; gap: 2px; margin-left: auto; }
    header.top nav a { padding: 3px 10px; border-radius: 6px; color: var(--text); }
    header.top nav a[aria-current] { background: var(--tint); color: var(--accent); font-weight: 600; }
    .mode { font-size: 12px; padding: 1px 8px; border: 1px solid var(--rule); border-radius: 10px; color: var(--soft); }
    .mode.writes { color: var(--warn); border-color: var(--warn); }
    .mode.live { color: var(--good); border-color: var(--good); }
    .mode.live::before { content: "● "; }
    .notice { position: sticky; top: 0; z-index: 1; margin: 0; max-width: none; padding: 6px 24px; background: var(--tint);
      border-bottom: 1px solid var(--accent); color: var(--text); font-size: 14px; }
    [data-mark=changed] > *, li[data-mark=changed] { background: var(--warn-ground); }
    [data-mark=new] > *, li[data-mark=new] { background: var(--good-ground); }
    .tag.mark { color: var(--text); background: var(--ground); }
    .exports { margin-top: 12px; color: var(--soft); }
    main p a:not(.button), .message a { text-decoration: underline; }
    .exports a { margin-left: 10px; }
    fieldset { border: 0; padding: 0; margin: 10px 0 0; max-height: 160px; overflow-y: auto; font-size: 13px; }
    fieldset legend { font-size: 12px; color: var(--soft); padding: 0; }
    fieldset label { display: inline-flex; gap: 5px; align-items: center; margin: 2px 14px 2px 0; }
    main { padding: 20px 24px 40px; max-width: 1500px; margin: 0 auto; }
    h1 { font-size: 24px; line-height: 1.25; margin: 0 0 4px; overflow-wrap: anywhere; }
    h2 { font-size: 17px; margin: 28px 0 8px; }
    p { margin: 0 0 10px; max-width: 72ch; }
    .soft { color: var(--soft); }
    .small { font-size: 13px; }
    .head { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; margin-bottom: 14px; }
    .head .actions { margin-left: auto; display: flex; flex-wrap: wrap; gap: 8px; }
    .scroll { overflow-x: auto; border: 1px solid var(--rule); border-radius: 8px; }
    .scroll + form { margin-top: 14px; }
    table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
    th, td { text-align: left; padding: 6px 12px; border-bottom: 1px solid var(--rule); vertical-align: top; }
    tbody tr:last-child > * { border-bottom: 0; }
    thead th { background: var(--raised); font-weight: 600; white-space: nowrap; }
    thead th a { color: inherit; }
    thead th .type { display: block; font-weight: 400; font-size: 12px; color: var(--soft); }
    tbody tr:hover { background: var(--raised); }
    .grid td { max-width: 340px; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
    .grid td, .grid th { padding: 5px 12px; }
    td.number, th.number { text-align: right; white-space: nowrap; }
    .code, pre, textarea { font-family: ui-monospace, SFMono-Regular, Menlo, "DejaVu Sans Mono", monospace; font-size: 13px; }
    .nil { color: var(--soft); font-style: italic; }
    .share { display: block; height: 4px; border-radius: 2px; background: var(--accent); margin-top: 6px; min-width: 2px; }
    progress { width: 120px; height: 8px; vertical-align: middle; accent-color: var(--accent); }
    form.query { border: 1px solid var(--rule); border-radius: 8px; padding: 12px 14px; margin-bottom: 14px;
      background: var(--raised); }
    .line { display: flex; flex-wrap: wrap; gap: 8px 12px; align-items: flex-end; }
    .line + .line { margin-top: 10px; }
    .line label { display: flex; flex-direction: column; font-size: 12px; color: var(--soft); }
    .line label.wide { flex: 1 1 320px; }
    input, select, textarea { font: inherit; color: var(--text); background: var(--ground); border: 1px solid var(--soft);
      border-radius: 6px; padding: 5px 8px; max-width: 100%; }
    .line input, .line select, .line button, .line .button { font-size: 14px; height: 34px; }
    .line select { max-width: 220px; }
    label.wide input { width: 100%; font-family: ui-monospace, SFMono-Regular, Menlo, "DejaVu Sans Mono", monospace; font-size: 13px; }
    textarea { width: 100%; min-height: 8em; resize: vertical; }
    button, .button { font: inherit; font-size: 14px; display: inline-block; cursor: pointer; border-radius: 6px;
      padding: 5px 14px; border: 1px solid var(--soft); background: var(--ground); color: var(--text); }
    .button:hover, button:hover { background: var(--tint); text-decoration: none; }
    button.main { background: var(--accent); border-color: var(--accent); color: var(--accent-text); font-weight: 600; }
    button.bad { background: var(--bad); border-color: var(--bad); color: var(--ground); font-weight: 600; }
    .pages { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin: 12px 0; }
    .pages .range { margin-right: auto; }
    .off, .off:hover { color: var(--soft); border-style: dashed; background: none; cursor: default; }
    .message { border: 1px solid var(--rule); border-left-width: 4px; border-radius: 6px; padding: 10px 14px; margin: 0 0 14px; }
    .message.bad { border-color: var(--bad); background: var(--bad-ground); }
    .message.good { border-color: var(--good); background: var(--good-ground); }
    .message.warn { border-color: var(--warn); background: var(--warn-ground); }
    .message strong { display: block; }
    .message pre { margin: 6px 0 0; overflow-x: auto; background: none; border: 0; padding: 0; }
    pre { margin: 0; padding: 8px 10px; background: var(--raised); border: 1px solid var(--rule); border-radius: 6px;
      white-space: pre-wrap; overflow-wrap: anywhere; max-height: 420px; overflow-y: auto; }
    .message pre { white-space: pre; }
    .object th { width: 210px; font-weight: 600; overflow-wrap: anywhere; }
    .object th .type { display: block; font-weight: 400; font-size: 12px; color: var(--soft); }
    .object td { overflow-wrap: anywhere; }
    .tag { font-size: 11px; font-weight: 600; padding: 0 6px; border-radius: 8px; border: 1px solid var(--rule);
      color: var(--soft); white-space: nowrap; }
    .object img { display: block; max-width: min(100%, 420px); max-height: 320px; margin-top: 8px; border: 1px solid var(--rule); }
    .field { padding: 12px 0; border-bottom: 1px solid var(--rule); max-width: 760px; }
    .field label.name { font-weight: 600; display: block; overflow-wrap: anywhere; }
    .field .name .type { font-weight: 400; font-size: 12px; color: var(--soft); margin-left: 6px; }
    .field input[type=text] { width: 100%; }
    .field .nilbox { font-size: 13px; color: var(--soft); display: inline-flex; gap: 6px; align-items: center; margin-top: 4px; }
    .field.wrong input, .field.wrong textarea, .field.wrong select { border-color: var(--bad); border-width: 2px; }
    .field .error { color: var(--bad); font-weight: 600; font-size: 13px; }
    .buttons { display: flex; gap: 10px; padding: 16px 0; position: sticky; bottom: 0; background: var(--ground); }
    .steps { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: 10px 34px; }
    .steps li { position: relative; border: 1px solid var(--rule); border-radius: 8px; padding: 10px 14px; min-width: 150px;
      max-width: 420px; background: var(--raised); }
    .steps li:not(:last-child)::after { content: "→"; position: absolute; right: -26px; top: 10px; color: var(--soft); }
    .steps li.costly { border-color: var(--warn); border-width: 2px; }
    .steps strong { display: block; }
    .diagram-room { cursor: grab; overflow: auto; border: 1px solid var(--rule); border-radius: 8px; padding: 8px; max-height: 78vh; }
    .diagram .box { fill: var(--ground); stroke: var(--soft); }
    .diagram .rule { stroke: var(--rule); }
    .diagram .line { stroke: var(--soft); }
    .diagram .tip { fill: var(--soft); }
    .diagram .name { fill: var(--accent); }
    svg .property { fill: var(--text); }
    svg .note { fill: var(--soft); }
    .chart-room { overflow-x: auto; }
    .left td.number { text-align: left; }
    .chart { min-width: 520px; width: 100%; max-width: 760px; height: auto; }
    .chart .bar { fill: var(--accent); }
    .chart .curve { stroke: var(--accent); }
    .chart .grid-line { stroke: var(--rule); }
    .chart .bar.below { fill: var(--bad); }
    .sets { list-style: none; margin: 0; padding: 0; }
    .sets > li { border: 1px solid var(--rule); border-radius: 8px; padding: 10px 14px; margin-bottom: 10px; }
    .sets h2 { font-size: 15px; margin: 0 0 6px; }
    .sets h2 .soft { font-weight: 400; margin-left: 8px; }
    .sets ul { list-style: none; margin: 0; padding: 0; }
    .sets ul > li { padding: 2px 0; overflow-wrap: anywhere; }
    .sets p { margin: 6px 0 0; }
    .change { margin-left: 14px; }
    .change .old { text-decoration: line-through; text-decoration-color: var(--soft); }
    .tag.added { color: var(--good); border-color: var(--good); }
    .tag.changed { color: var(--warn); border-color: var(--warn); }
    .tag.removed { color: var(--bad); border-color: var(--bad); }
    .changes th { font-weight: 400; }
    .changes thead th { font-weight: 600; }
    .changes td { overflow-wrap: anywhere; min-width: 90px; }
    .in-the-way { margin-bottom: 14px; }
    details > summary { cursor: pointer; font-weight: 600; padding: 6px 0; }
    .query details > summary { font-weight: 400; color: var(--soft); font-size: 13px; padding: 2px 0; }
    h1 + .message { margin-top: 10px; }
    footer { padding: 14px 24px; color: var(--soft); font-size: 13px; border-top: 1px solid var(--rule); }
    kbd { border: 1px solid var(--rule); border-bottom-width: 2px; border-radius: 4px; padding: 0 5px; font-size: 12px; }
    @media (max-width: 640px) {
      main { padding: 14px 12px 32px; }
      header.top { padding: 8px 12px; }
      header.top nav { margin-left: 0; width: 100%; gap: 0; }
      header.top nav a { padding: 3px 7px; }
      footer { padding: 12px; }
      h1 { font-size: 20px; }
      .object, .object tbody, .object tr, .object th, .object td { display: block; width: auto; }
      .object tr { border-bottom: 1px solid var(--rule); padding: 6px 0; }
      .object th, .object td { border: 0; padding: 2px 10px; }
      .object th .type { display: inline; margin-left: 6px; }
      .head .actions { margin-left: 0; }
      .line label { flex: 1 1 130px; }
      .line label.wide { flex-basis: 100%; }
      .line select, .line input { width: 100%; max-width: none; }
      .steps { flex-direction: column; gap: 24px; }
      .steps li:not(:last-child)::after { content: "↓"; right: auto; left: 20px; top: auto; bottom: -24px; }
    }
    @media print { header.top nav, form, .pages a, .actions { display: none; } }

    """#
}
