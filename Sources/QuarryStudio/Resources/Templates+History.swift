extension Templates {
  static let history = #"""
    <div class="head"><div><h1>History{{#of}} of <bdi>{{.}}</bdi>{{/of}}</h1>
    <p class="soft">Each entry is one write, the newest first.</p></div>
    {{#isFiltered}}<div class="actions"><a class="button" href="{{all}}">All changes</a></div>{{/isFiltered}}</div>
    {{#isOff}}<div class="message warn"><strong>The store keeps no history.</strong>Open it once with <code>history=30d</code> in its URL, for example <code>sqlite:shop.db?history=30d</code>. From then on each change can be seen here, and undone.</div>{{/isOff}}
    {{^isOff}}
    <form class="query" method="get" action="{{base}}/history">
    <div class="line">
    <label>Changes of<select name="model"><option value="">all models</option>{{#models}}<option value="{{name}}"{{#isChosen}} selected{{/isChosen}}>{{name}}</option>{{/models}}</select></label>
    <button class="main">Show</button>
    </div></form>
    {{#isEmpty}}<p>No changes remain here.</p>{{/isEmpty}}
    <ol class="sets" data-live-rows>
    {{#sets}}
    <li data-row data-key="{{position}}"><h2><a href="{{link}}">{{date}}</a> <span class="soft">{{#author}}by <bdi>{{.}}</bdi>, {{/author}}{{count}}</span></h2>
    {{#unknown}}<p class="soft">{{.}}</p>{{/unknown}}
    <ul>{{#changes}}<li><span class="tag {{word}}">{{word}}</span> {{#link}}<a href="{{.}}"><bdi>{{object}}</bdi></a>{{/link}}{{^link}}<bdi>{{object}}</bdi>{{/link}}{{#fields}}<span class="change"><span class="soft"><bdi>{{name}}</bdi></span> {{#old}}<bdi class="{{style}} old">{{text}}</bdi>{{/old}}{{#isChanged}} → {{/isChanged}}{{#new}}<bdi class="{{style}}">{{text}}</bdi>{{/new}}</span>{{/fields}}{{#more}} <span class="soft small">{{.}}</span>{{/more}}</li>{{/changes}}
    </ul>{{#more}}<p class="small"><a href="{{link}}">{{.}}</a></p>{{/more}}</li>
    {{/sets}}
    </ol>
    <div class="pages"><span class="range"></span>{{#newest}}<a class="button" href="{{.}}">Newest</a>{{/newest}}{{#older}}<a class="button" rel="next" href="{{.}}">Older</a>{{/older}}</div>
    {{/isOff}}

    """#

  static let changeset = #"""
    <div class="head"><div><p class="small"><a href="{{list}}">History</a></p><h1>Change set {{position}}</h1>
    <p class="soft">{{date}}{{#author}}, by <bdi>{{.}}</bdi>{{/author}}, {{count}}</p></div></div>
    {{#undone}}<div class="message good" role="status"><strong>Change set {{.}} is undone.</strong>This is the change set that undid it. It can be undone too.</div>{{/undone}}
    {{#problem}}<div class="message bad" role="alert"><strong>{{.}}</strong>{{#hasConflicts}}Undo the later changes first, or edit the objects.{{/hasConflicts}}</div>{{/problem}}
    {{#hasConflicts}}
    <div class="scroll in-the-way"><table><thead><tr><th scope="col">Object in the way</th><th scope="col">Changed later</th><th scope="col">Later changes</th></tr></thead><tbody>
    {{#conflicts}}<tr data-row><td><a href="{{link}}"><bdi>{{object}}</bdi></a></td><td><bdi>{{properties}}</bdi></td><td><a href="{{history}}">its history</a></td></tr>
    {{/conflicts}}
    </tbody></table></div>
    {{#rest}}<p class="soft small">{{.}}</p>{{/rest}}
    {{/hasConflicts}}
    {{#unknown}}<div class="message warn"><strong>{{.}}</strong>It cannot be undone.</div>{{/unknown}}
    {{#hasChanges}}
    {{#more}}<p class="soft">{{.}}</p>{{/more}}
    <div class="scroll" tabindex="0" role="region" aria-label="Changes"><table class="changes">
    <thead><tr><th scope="col">Object</th><th scope="col">Property</th><th scope="col">Before</th><th scope="col">After</th></tr></thead>
    {{#changes}}
    <tbody><tr data-row><th scope="rowgroup" rowspan="{{height}}"><span class="tag {{word}}">{{word}}</span> {{#link}}<a href="{{.}}"><bdi>{{object}}</bdi></a>{{/link}}{{^link}}<a href="{{history}}"><bdi>{{object}}</bdi></a>{{/link}}</th>{{#first}}<td><bdi>{{name}}</bdi></td><td>{{#old}}<bdi class="{{style}}">{{text}}</bdi>{{/old}}</td><td>{{#new}}<bdi class="{{style}}">{{text}}</bdi>{{/new}}</td>{{/first}}</tr>
    {{#others}}<tr><td><bdi>{{name}}</bdi></td><td>{{#old}}<bdi class="{{style}}">{{text}}</bdi>{{/old}}</td><td>{{#new}}<bdi class="{{style}}">{{text}}</bdi>{{/new}}</td></tr>
    {{/others}}</tbody>
    {{/changes}}
    </table></div>
    {{/hasChanges}}
    {{#canUndo}}
    <form method="post" action="{{action}}">
    <input type="hidden" name="token" value="{{token}}"><input type="hidden" name="set" value="{{position}}"><input type="hidden" name="date" value="{{dateText}}">
    <p>Undo stores {{objects}} as before this change set, by a new change set. If later writes have changed the same properties, nothing is undone.</p>
    <div class="buttons"><button class="main">Undo this change set</button><a class="button" href="{{list}}">Cancel</a></div>
    </form>
    {{/canUndo}}
    {{#isReadOnly}}<p class="soft">This Studio shows the store for reading only. Start it with <code>--write</code> to undo changes.</p>{{/isReadOnly}}

    """#
}
