extension Templates {
  static let importing = #"""
    <h1>Import</h1>
    {{#done}}<div class="message good" role="status"><strong>{{.}}</strong>{{#grid}}<a href="{{.}}">Show the objects</a>{{/grid}}</div>{{/done}}
    {{#message}}<div class="message bad" role="alert" data-upload-message><strong>{{.}}</strong></div>{{/message}}
    {{^hasPreview}}
    <p>A file of CSV, JSON or JSON Lines, of up to {{most}}. Its columns and their types are shown before anything is stored.</p>
    <noscript><div class="message warn"><strong>Choosing a file needs JavaScript.</strong>Without it, use the command: <code>quarry import FILE --into URL --model NAME</code></div></noscript>
    <form class="query" method="post" action="{{upload}}" data-upload="{{token}}">
    <div class="line">
    <label class="wide">File<input type="file" name="file" accept=".csv,.tsv,.tab,.json,.jsonl,.ndjson" required></label>
    <label>Model<input type="text" name="model" value="{{model}}" placeholder="by the file's name" autocomplete="off" spellcheck="false"></label>
    <button class="main">Show what is in it</button>
    </div>
    <p class="small" role="status" data-upload-status hidden></p>
    </form>
    {{/hasPreview}}
    {{#hasPreview}}
    <p class="soft"><bdi>{{file}}</bdi>{{#hasTable}}: {{rows}} rows{{/hasTable}}</p>
    <form class="query" method="get" action="{{base}}/import">
    <input type="hidden" name="upload" value="{{id}}">
    <div class="line">
    <label>Model<input type="text" name="model" value="{{model}}" required autocomplete="off" spellcheck="false"></label>
    {{#hasTable}}<label>Key<select name="key">{{#keys}}<option value="{{value}}"{{#isChosen}} selected{{/isChosen}}>{{words}}</option>{{/keys}}</select></label>{{/hasTable}}
    <button>Update</button>
    </div>
    {{#hasTable}}{{#hasIndexes}}
    <fieldset><legend>Indexes</legend>{{#indexes}}<label><input type="checkbox" name="index" value="{{name}}"{{#isChosen}} checked{{/isChosen}}><bdi>{{name}}</bdi></label> {{/indexes}}</fieldset>
    {{/hasIndexes}}{{/hasTable}}
    </form>
    {{#hasTable}}
    <p><strong><bdi>{{effect}}</bdi></strong></p>
    {{#hasNotes}}<ul>{{#notes}}<li><bdi>{{.}}</bdi></li>{{/notes}}</ul>{{/hasNotes}}
    <div class="scroll" tabindex="0" role="region" aria-label="Columns"><table class="left">
    <thead><tr><th scope="col">Column</th><th scope="col">Type</th><th scope="col" colspan="3">First values</th></tr></thead>
    <tbody>{{#columns}}<tr><th scope="row"><bdi>{{name}}</bdi>{{#isKey}} <span class="tag">key</span>{{/isKey}}</th><td class="code">{{type}}</td>{{#samples}}<td class="{{style}}"><bdi>{{text}}</bdi></td>{{/samples}}</tr>
    {{/columns}}</tbody></table></div>
    <form method="post" action="{{action}}">
    <input type="hidden" name="token" value="{{token}}"><input type="hidden" name="upload" value="{{id}}"><input type="hidden" name="model" value="{{model}}"><input type="hidden" name="key" value="{{key}}">
    {{#chosen}}<input type="hidden" name="index" value="{{name}}">{{/chosen}}
    <div class="buttons"><button class="main">{{button}}</button><a class="button" href="{{base}}/import">Another file</a></div>
    </form>
    {{/hasTable}}
    {{^hasTable}}<p><a class="button" href="{{base}}/import">Another file</a></p>{{/hasTable}}
    {{/hasPreview}}

    """#
}
