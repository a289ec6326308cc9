extension Templates {
  static let held = #"""
    <h1>Held by sync</h1>
    {{^isSynced}}<div class="message warn"><strong>The store is not synced.</strong>A program turns sync on with <code>enableSync</code>, the command with <code>quarry sync URL OTHER</code>.</div>{{/isSynced}}
    {{#isSynced}}
    <p class="soft">A merge never breaks a unique index or a reference. What would break one is kept here, and is not in the tables.</p>
    {{#message}}<div class="message bad" role="alert"><strong>{{.}}</strong></div>{{/message}}
    {{#done}}<div class="message good" role="status"><strong>{{.}}</strong></div>{{/done}}
    {{#isEmpty}}<p>Nothing is held.</p>{{/isEmpty}}
    {{^isEmpty}}
    <p>{{count}}</p>
    <div class="scroll" tabindex="0" role="region" aria-label="What is held"><table>
    <thead><tr><th scope="col">Object</th><th scope="col">Why it is held</th><th scope="col">Waits for</th><th scope="col">Values</th>{{#writes}}<th scope="col">Change</th>{{/writes}}</tr></thead>
    <tbody data-live-rows>
    {{#items}}
    <tr data-row data-key="{{id}}"><th scope="row">{{#link}}<a href="{{.}}"><bdi>{{object}}</bdi></a>{{/link}}{{^link}}<bdi>{{object}}</bdi>{{/link}}</th><td>{{reason}}{{#why}}<div class="soft"><bdi>{{.}}</bdi></div>{{/why}}</td><td>{{#waits}}<div>{{#link}}<a href="{{.}}"><bdi>{{object}}</bdi></a>{{/link}}{{^link}}<bdi>{{object}}</bdi>{{/link}}</div>{{/waits}}</td><td>{{#isDeletion}}<span class="soft">deleted</span>{{/isDeletion}}{{#values}}<div><span class="soft"><bdi>{{name}}</bdi></span> <bdi class="{{style}}">{{text}}</bdi></div>{{/values}}</td>{{#writes}}<td>{{#accepts}}<form method="post" action="{{action}}"><input type="hidden" name="token" value="{{token}}"><input type="hidden" name="id" value="{{id}}"><input type="hidden" name="digest" value="{{digest}}"><button>Write again</button></form>{{/accepts}}{{#discards}}<details><summary>Discard…</summary><form method="post" action="{{action}}"><input type="hidden" name="token" value="{{token}}"><input type="hidden" name="id" value="{{id}}"><input type="hidden" name="digest" value="{{digest}}"><p class="small">{{effect}}</p><button class="bad">Discard</button></form></details>{{/discards}}{{#note}}<span class="soft small">{{.}}</span>{{/note}}</td>{{/writes}}</tr>
    {{/items}}
    </tbody></table></div>
    {{/isEmpty}}
    {{/isSynced}}

    """#
}
