/// The templates of the pages, in the language of Mustache. Two braces escape a value for HTML; three are used for drawings and
/// for pages that are rendered already, and for nothing else.
enum Templates {
  static let all: [String: String] = [
    "layout": layout, "models": models, "error": error, "help": help, "grid": grid, "query": query, "object": object,
    "edit": edit, "delete": delete, "schema": schema, "explain": explain, "groups": groups, "check": check,
    "import": importing, "history": history, "changeset": changeset, "held": held,
  ]

  static let layout = #"""
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>{{title}} · {{store}}</title>
    <link rel="stylesheet" href="{{base}}/studio.css">
    <link rel="icon" href="{{base}}/favicon.svg">
    <script src="{{base}}/studio.js" defer></script>
    </head>
    <body>
    <a class="skip" href="#main">Skip to the content</a>
    <header class="top">
    <a class="store" href="{{base}}/"><bdi>{{store}}</bdi></a>
    {{#writes}}<span class="mode writes">can change objects</span>{{/writes}}{{^writes}}<span class="mode">read only</span>{{/writes}}
    {{#live}}<span class="mode live" data-live-sign hidden>live</span>{{/live}}
    <nav aria-label="Pages">
    <a data-models href="{{base}}/"{{#isModels}} aria-current="true"{{/isModels}}>Models</a>
    <a href="{{base}}/schema"{{#isSchema}} aria-current="page"{{/isSchema}}>Schema</a>
    <a data-history href="{{base}}/history"{{#isHistory}} aria-current="page"{{/isHistory}}>History</a>
    {{#isSynced}}<a href="{{base}}/held"{{#isHeld}} aria-current="page"{{/isHeld}}>Held</a>{{/isSynced}}
    {{#writes}}<a href="{{base}}/import"{{#isImport}} aria-current="page"{{/isImport}}>Import</a>{{/writes}}
    <a href="{{base}}/check"{{#isCheck}} aria-current="page"{{/isCheck}}>Check</a>
    <a data-help href="{{base}}/help"{{#isHelp}} aria-current="page"{{/isHelp}}>Help</a>
    </nav>
    </header>
    {{#live}}<p class="notice" role="status" data-live-notice hidden></p>{{/live}}
    <main id="main"{{#live}} data-live="{{.}}"{{/live}}>
    {{{body}}}
    </main>
    <footer>Quarry Studio{{#json}} · <a href="{{json}}">this page as JSON</a>{{/json}}</footer>
    </body>
    </html>

    """#

  static let models = #"""
    <div class="head"><div><h1>Models</h1>
    <p class="soft"><span data-live-part>{{count}} with {{total}}</span>, in {{engine}}.</p></div></div>
    {{#isEmpty}}<p>The store has no models yet. {{#import}}<a href="{{.}}">Import a file</a>{{/import}}{{^import}}Import a file: <code>quarry import file.csv --into URL --model Name</code>{{/import}}</p>{{/isEmpty}}
    {{^isEmpty}}
    <div class="scroll"><table>
    <thead><tr><th scope="col">Model</th><th scope="col" class="number">Objects</th>{{#hasShares}}<th scope="col">Share</th>{{/hasShares}}{{#hasSizes}}<th scope="col" class="number">Size</th>{{/hasSizes}}<th scope="col">Primary key</th><th scope="col" class="number">Properties</th><th scope="col" class="number">Indexes</th><th scope="col" class="number">References</th></tr></thead>
    <tbody data-live-rows>
    {{#models}}
    <tr data-row data-key="{{name}}"><td><a href="{{link}}"><bdi>{{name}}</bdi></a></td><td class="number">{{objects}}</td>{{#hasShares}}<td><progress max="100" value="{{share}}" aria-label="{{share}} percent of the largest"></progress></td>{{/hasShares}}{{#hasSizes}}<td class="number">{{#size}}{{.}}{{/size}}</td>{{/hasSizes}}<td class="code"><bdi>{{key}}</bdi></td><td class="number">{{properties}}</td><td class="number">{{indexes}}</td><td class="number">{{references}}</td></tr>
    {{/models}}
    </tbody></table></div>
    {{/isEmpty}}
    {{#hasLinks}}
    <h2>Links</h2>
    <p class="soft">Each of these holds the links of one property, in their order.</p>
    <div class="scroll"><table>
    <thead><tr><th scope="col">Property</th><th scope="col">Stored as</th><th scope="col" class="number">Links</th></tr></thead>
    <tbody data-live-rows>
    {{#links}}
    <tr data-row data-key="{{name}}"><td><bdi>{{relation}}</bdi></td><td><a href="{{link}}"><bdi>{{name}}</bdi></a></td><td class="number">{{objects}}</td></tr>
    {{/links}}
    </tbody></table></div>
    {{/hasLinks}}

    """#

  static let error = #"""
    <h1>That did not work</h1>
    <div class="message bad" role="alert"><strong>{{message}}</strong><span class="soft small">{{code}}</span></div>
    {{#hasTyped}}
    <h2>What you typed</h2>
    <div class="scroll"><table class="object"><tbody>
    {{#typed}}<tr><th scope="row"><bdi>{{name}}</bdi></th><td><pre dir="auto">{{text}}</pre></td></tr>
    {{/typed}}
    </tbody></table></div>
    {{/hasTyped}}
    <p><a href="{{base}}/">All models</a></p>

    """#

  static let help = #"""
    <h1>Help</h1>
    <h2>Keys</h2>
    <table class="object"><tbody>
    <tr><th scope="row"><kbd>/</kbd></th><td>Type a condition.</td></tr>
    <tr><th scope="row"><kbd>f</kbd></th><td>Find words, where properties of the model are searchable.</td></tr>
    <tr><th scope="row"><kbd>↑</kbd> <kbd>↓</kbd></th><td>Go to the row above or below, <kbd>Enter</kbd> to open it.</td></tr>
    <tr><th scope="row"><kbd>←</kbd> <kbd>→</kbd></th><td>The page before or after.</td></tr>
    <tr><th scope="row"><kbd>e</kbd></th><td>Edit the object.</td></tr>
    <tr><th scope="row"><kbd>m</kbd></th><td>All models.</td></tr>
    <tr><th scope="row"><kbd>h</kbd></th><td>The history, on the page of an object its own.</td></tr>
    <tr><th scope="row"><kbd>?</kbd></th><td>This page.</td></tr>
    </tbody></table>
    <h2>Live</h2>
    <p>While a page is open, rows that are changed or added are marked, also when another program writes to the store. A form says so when its object has changed.</p>
    <h2>Words</h2>
    <p>A model with searchable properties has a field for words: <code>oslo airport</code> finds both words, <code>"oslo airport"</code> the phrase, <code>os*</code> words that begin so, and <code>-heliport</code> leaves a word out.</p>
    <h2>History</h2>
    <p>A store with a history shows each write with the values before and after. With <code>--write</code> a change set can be undone, unless later writes have changed the same properties.</p>
    <h2>Conditions</h2>
    <table class="object"><tbody>
    <tr><th scope="row">Comparisons</th><td class="code">year &gt;= 1970 AND country == 'NO'</td></tr>
    <tr><th scope="row">Texts</th><td class="code">name CONTAINS[cd] 'sao' &nbsp; title BEGINSWITH 'The' &nbsp; code LIKE 'EN*'</td></tr>
    <tr><th scope="row">Several values</th><td class="code">country IN {'CH', 'NO'} &nbsp; year BETWEEN {1970, 1979}</td></tr>
    <tr><th scope="row">Nothing stored</th><td class="code">closed == nil</td></tr>
    <tr><th scope="row">Through references</th><td class="code">author.name == 'Jane Austen'</td></tr>
    <tr><th scope="row">Elements of an array</th><td class="code">ANY tags == 'classic'</td></tr>
    <tr><th scope="row">Dates</th><td class="code">born &lt; '1800-01-01T00:00:00Z' &nbsp; placed &gt;= '2026-01-31T12:00:00+02:00'</td></tr>
    <tr><th scope="row">Names with spaces</th><td class="code">`a name` == 1</td></tr>
    </tbody></table>
    <p>Dates are shown in UTC. A date that is typed without an offset is in UTC too.</p>
    <h2>Orders</h2>
    <p>Names with commas between them, a minus before those in descending order: <code>-elevation,name</code>.</p>

    """#

  static let schema = #"""
    <div class="head"><div><h1>Schema</h1>
    <p class="soft">An arrow leads from a reference to its model; a dashed one stands for links.</p></div>
    <div class="actions"><button type="button" data-zoom="0.8" hidden aria-label="Smaller">−</button><button type="button" data-zoom="1.25" hidden aria-label="Larger">+</button><a class="button" href="{{file}}">Save as SVG</a></div></div>
    {{#isEmpty}}<p>The store has no models yet.</p>{{/isEmpty}}
    {{^isEmpty}}<div class="diagram-room" tabindex="0" role="region" aria-label="Diagram">{{{diagram}}}</div>{{/isEmpty}}
    {{#models}}
    <details>
    <summary><bdi>{{name}}</bdi></summary>
    <p><a href="{{link}}">Its objects</a></p>
    <div class="scroll"><table>
    <thead><tr><th scope="col">Property</th><th scope="col">Type</th><th scope="col">Notes</th></tr></thead>
    <tbody>
    {{#properties}}
    <tr><td><bdi>{{name}}</bdi></td><td class="code">{{type}}</td><td>{{#isKey}}primary key {{/isKey}}{{#generated}}{{.}} {{/generated}}{{#reference}}<bdi>{{.}}</bdi> {{/reference}}{{#search}}{{.}} {{/search}}{{#default}}<bdi>{{.}}</bdi>{{/default}}</td></tr>
    {{/properties}}
    </tbody></table></div>
    {{#hasIndexes}}
    <h2>Indexes</h2>
    <div class="scroll"><table>
    <thead><tr><th scope="col">Index</th><th scope="col">Columns</th><th scope="col">Unique</th><th scope="col">Size</th></tr></thead>
    <tbody>
    {{#indexes}}
    <tr><td><bdi>{{name}}</bdi></td><td><bdi>{{columns}}</bdi></td><td>{{#isUnique}}yes{{/isUnique}}{{^isUnique}}no{{/isUnique}}</td><td>{{figures}}</td></tr>
    {{/indexes}}
    </tbody></table></div>
    {{/hasIndexes}}
    </details>
    {{/models}}

    """#

  static let check = #"""
    <h1>Check</h1>
    <p>A check reads the whole store: its files, every object, every entry of an index and every reference.</p>
    {{#hasNotes}}<div class="message warn"><strong>Found when the store was opened</strong>{{#notes}}<div>{{.}}</div>{{/notes}}</div>{{/hasNotes}}
    {{#isDone}}
    {{#isSound}}<div class="message good" role="status"><strong>The store is sound.</strong></div>{{/isSound}}
    {{^isSound}}<div class="message bad" role="status"><strong>{{count}}</strong><ul>{{#defects}}<li><bdi>{{.}}</bdi></li>{{/defects}}</ul></div>{{/isSound}}
    {{/isDone}}
    <p><a class="button" href="{{run}}">{{#isDone}}Check again{{/isDone}}{{^isDone}}Check the store{{/isDone}}</a></p>

    """#
}
