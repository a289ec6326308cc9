extension Templates {
  static let object = #"""
    <div class="head"><div><p class="small"><a href="{{grid}}"><bdi>{{model}}</bdi></a></p><h1><bdi>{{heading}}</bdi></h1>{{#title}}<p class="soft"><bdi>{{.}}</bdi></p>{{/title}}</div>
    <div class="actions">{{#history}}<a class="button" data-history-here href="{{.}}">History</a>{{/history}}{{#edit}}<a class="button" data-edit href="{{.}}">Edit</a>{{/edit}}{{#delete}}<a class="button" href="{{.}}">Delete…</a>{{/delete}}</div></div>
    {{#done}}<div class="message good" role="status"><strong>{{.}}</strong>{{#undo}}You can undo this in the <a href="{{.}}">history of the object</a>.{{/undo}}</div>{{/done}}
    <div class="scroll"><table class="object"><tbody data-live-rows>
    {{#properties}}
    <tr data-row data-key="{{name}}"><th scope="row"><bdi>{{name}}</bdi><span class="type">{{type}}{{#isKey}} · key{{/isKey}}</span></th><td>{{#link}}<a href="{{.}}"><bdi>{{text}}</bdi></a>{{/link}}{{^link}}{{#isBlock}}<pre dir="auto">{{text}}</pre>{{/isBlock}}{{^isBlock}}<bdi class="{{style}}">{{text}}</bdi>{{/isBlock}}{{/link}}{{#note}} <span class="soft small">{{.}}</span>{{/note}}{{#file}} <a class="small" href="{{.}}" download>Save as a file</a>{{/file}}{{#image}}<img src="{{.}}" alt="The data as a picture">{{/image}}</td></tr>
    {{/properties}}
    </tbody></table></div>
    {{#hasReferrers}}
    <h2>Referred to by</h2>
    <div class="scroll"><table><thead><tr><th scope="col">Property</th><th scope="col">Objects</th><th scope="col">When this object is removed</th></tr></thead><tbody data-live-rows>
    {{#referrers}}<tr data-row data-key="{{model}}.{{property}}"><td><bdi>{{model}}.{{property}}</bdi></td><td>{{#isNone}}<span class="soft">none</span>{{/isNone}}{{^isNone}}<a href="{{link}}">{{count}}</a>{{/isNone}}</td><td class="soft">{{rule}}</td></tr>
    {{/referrers}}
    </tbody></table></div>
    {{/hasReferrers}}
    {{#hasLinks}}
    <h2>Links</h2>
    {{#links}}
    <h3><bdi>{{name}}</bdi> <span class="soft small">{{count}}</span></h3>
    <ol data-live-rows>{{#elements}}<li data-key="{{link}}"><a href="{{link}}"><bdi>{{text}}</bdi></a></li>{{/elements}}</ol>
    {{#isCut}}<p class="soft small">{{.}}</p>{{/isCut}}
    {{/links}}
    {{/hasLinks}}

    """#

  static let edit = #"""
    <h1><bdi>{{heading}}</bdi></h1>
    {{#message}}<div class="message bad" role="alert"><strong>{{.}}</strong>{{#isConflict}}Your changes are still in the form. Save again to put them over the stored values, or cancel to keep those.{{/isConflict}}</div>{{/message}}
    {{#isConflict}}
    <div class="scroll"><table><thead><tr><th scope="col">Property</th><th scope="col">When you opened it</th><th scope="col">Yours</th><th scope="col">Stored now</th></tr></thead><tbody>
    {{#conflicts}}<tr><th scope="row"><bdi>{{name}}</bdi></th><td><bdi>{{base}}</bdi></td><td><bdi>{{mine}}</bdi></td><td><bdi>{{theirs}}</bdi></td></tr>
    {{/conflicts}}
    </tbody></table></div>
    {{/isConflict}}
    {{#hasLost}}
    <div class="scroll"><table><thead><tr><th scope="col">A property that is gone, or has another type</th><th scope="col">You typed</th></tr></thead><tbody>
    {{#lost}}<tr><th scope="row"><bdi>{{name}}</bdi></th><td><bdi>{{text}}</bdi></td></tr>
    {{/lost}}
    </tbody></table></div>
    {{/hasLost}}
    <form method="post" action="{{action}}" data-edits data-digest="{{digest}}">
    <input type="hidden" name="token" value="{{token}}"><input type="hidden" name="model" value="{{model}}"><input type="hidden" name="key" value="{{key}}"><input type="hidden" name="digest" value="{{digest}}"><input type="hidden" name="properties" value="{{properties}}">
    {{#fields}}
    <div class="field{{#error}} wrong{{/error}}">
    <label class="name" for="f{{slot}}"><bdi>{{name}}</bdi><span class="type">{{type}}{{#refersTo}}, {{.}}{{/refersTo}}</span></label>
    {{#isFixed}}<div><bdi>{{fixedText}}</bdi> <span class="soft small">{{fixedNote}}</span></div>{{/isFixed}}
    {{^isFixed}}
    <input type="hidden" name="b{{slot}}" value="{{base}}"><input type="hidden" name="o{{slot}}" value="{{#wasNil}}1{{/wasNil}}">
    {{#isBool}}<select id="f{{slot}}" name="f{{slot}}"><option{{#isFalse}} selected{{/isFalse}}>false</option><option{{#isTrue}} selected{{/isTrue}}>true</option></select>{{/isBool}}
    {{#isShort}}<input type="text" id="f{{slot}}" name="f{{slot}}" value="{{text}}" dir="auto" autocomplete="off" spellcheck="false"{{#error}} aria-invalid="true" aria-describedby="e{{slot}}"{{/error}}>{{/isShort}}
    {{#isLong}}<textarea id="f{{slot}}" name="f{{slot}}" dir="auto" spellcheck="false"{{#error}} aria-invalid="true" aria-describedby="e{{slot}}"{{/error}}>
    {{text}}</textarea>{{/isLong}}
    {{#isOptional}}<label class="nilbox"><input type="checkbox" name="n{{slot}}" value="1"{{#isNil}} checked{{/isNil}}>nil: no value is stored</label>{{/isOptional}}
    {{#hint}}<div class="soft small">{{.}}</div>{{/hint}}
    {{#error}}<div class="error" id="e{{slot}}">{{.}}</div>{{/error}}
    {{/isFixed}}
    </div>
    {{/fields}}
    <div class="buttons"><button class="main">{{button}}</button><a class="button" href="{{cancel}}">Cancel</a></div>
    </form>

    """#

  static let delete = #"""
    <h1><bdi>{{heading}}</bdi></h1>
    {{#title}}<p class="soft"><bdi>{{.}}</bdi></p>{{/title}}
    {{#message}}<div class="message bad" role="alert"><strong>{{.}}</strong></div>{{/message}}
    {{#isDenied}}<div class="message bad"><strong>This object cannot be deleted.</strong>Other objects refer to it, and their delete rule denies the deletion.</div>{{/isDenied}}
    {{#hasEffects}}
    <p>Deleting it has effects on others, by the delete rules of their references:</p>
    <div class="scroll"><table><thead><tr><th scope="col">Model</th><th scope="col">Through</th><th scope="col">Objects</th><th scope="col">Effect</th></tr></thead><tbody>
    {{#effects}}<tr><td><bdi>{{model}}</bdi></td><td><bdi>{{property}}</bdi></td><td>{{count}}</td><td>{{effect}}</td></tr>
    {{/effects}}
    </tbody></table></div>
    {{/hasEffects}}
    {{^hasEffects}}<p>No other object refers to it.</p>{{/hasEffects}}
    {{^isDenied}}<p><strong>{{removed}}</strong> will be removed. {{#hasHistory}}The history can undo it.{{/hasHistory}}{{^hasHistory}}This cannot be undone.{{/hasHistory}}</p>{{/isDenied}}
    <form method="post" action="{{action}}">
    <input type="hidden" name="token" value="{{token}}"><input type="hidden" name="model" value="{{model}}"><input type="hidden" name="key" value="{{key}}"><input type="hidden" name="digest" value="{{digest}}">
    <div class="buttons">{{^isDenied}}<button class="bad">Delete</button>{{/isDenied}}<a class="button" href="{{cancel}}">Cancel</a></div>
    </form>

    """#
}
