extension Templates {
  /// The fields that the pages with a query share.
  static let query = #"""
    {{#hasMistake}}<div class="message bad" role="alert"><strong>{{mistakeText}}</strong>{{mistake}}{{#pointer}}<pre>{{excerpt}}
    {{pointer}}</pre>{{/pointer}}</div>{{/hasMistake}}
    {{#additionError}}<div class="message bad" role="alert"><strong>The filter was not added</strong>{{.}}</div>{{/additionError}}

    """#

  static let grid = #"""
    <div class="head"><div><h1><bdi>{{model}}</bdi></h1></div>
    <div class="actions">
    {{#new}}<a class="button" href="{{.}}">New</a>{{/new}}
    <a class="button" href="{{explain}}">Explain</a><a class="button" href="{{groups}}">Groups</a>
    </div></div>
    {{> query}}
    <form class="query" method="get" action="{{base}}/grid" role="search">
    <input type="hidden" name="model" value="{{model}}"><input type="hidden" name="columns" value="{{columns}}">
    {{#searchable}}<div class="line"><label class="wide">Find words in {{.}}<input data-find type="search" name="find" value="{{search}}" dir="auto" autocomplete="off" maxlength="1000"></label></div>{{/searchable}}
    <div class="line">
    <label class="wide">Condition<input data-filter type="text" name="where" value="{{where}}" placeholder="every object" spellcheck="false" autocapitalize="off" autocomplete="off"></label>
    <label>Order<input type="text" name="sort" value="{{sort}}" placeholder="primary key" size="14" spellcheck="false" autocapitalize="off"></label>
    <label>Rows<select name="limit">{{#limits}}<option{{#isChosen}} selected{{/isChosen}}>{{number}}</option>{{/limits}}</select></label>
    <button class="main">Show</button>
    {{#isFiltered}}<a class="button" href="{{clear}}">Clear</a>{{/isFiltered}}
    </div>
    <div class="line">
    <label>Add a filter<select name="property"><option value="">choose a property</option>{{#properties}}<option value="{{name}}"{{#isChosen}} selected{{/isChosen}}>{{name}}</option>{{/properties}}</select></label>
    <label>Comparison<select name="comparison">{{#comparisons}}<option value="{{name}}"{{#isChosen}} selected{{/isChosen}}>{{words}}</option>{{/comparisons}}</select></label>
    <label>Value<input type="text" name="value" value="{{value}}" dir="auto" autocomplete="off"></label>
    <button>Add</button>
    </div>
    </form>
    {{#hasTable}}
    <div class="pages"><span class="range" data-live-part>{{range}} {{#total}}<span class="soft">{{.}}</span>{{/total}}</span>
    {{#first}}<a class="button" href="{{.}}">First</a>{{/first}}
    {{#previous}}<a class="button" rel="prev" href="{{.}}">Previous</a>{{/previous}}{{^previous}}<span class="button off" aria-hidden="true">Previous</span>{{/previous}}
    {{#next}}<a class="button" rel="next" href="{{.}}">Next</a>{{/next}}{{^next}}<span class="button off" aria-hidden="true">Next</span>{{/next}}
    </div>
    {{#rankNote}}<p class="soft small">{{.}}</p>{{/rankNote}}
    {{#hiddenColumns}}<p class="soft small">{{.}} The page of an object shows all of them.</p>{{/hiddenColumns}}
    {{#isEmpty}}<p>{{#isFiltered}}No object matches the condition. <a href="{{clear}}">Show every object</a>{{/isFiltered}}{{^isFiltered}}There is nothing to show.{{/isFiltered}}</p>{{/isEmpty}}
    {{^isEmpty}}
    <div class="scroll" tabindex="0" role="region" aria-label="Objects"><table class="grid">
    <thead><tr>{{#hasColumnsWithoutKey}}<th scope="col">Object</th>{{/hasColumnsWithoutKey}}{{#heads}}<th scope="col" aria-sort="{{direction}}"{{#isNumber}} class="number"{{/isNumber}}>{{#link}}<a href="{{.}}"><bdi>{{name}}</bdi></a>{{/link}}{{^link}}<bdi>{{name}}</bdi>{{/link}}{{#arrow}} <span aria-hidden="true">{{.}}</span>{{/arrow}}<span class="type">{{type}}{{#isKey}} · key{{/isKey}}</span></th>{{/heads}}</tr></thead>
    <tbody data-live-rows>
    {{#rows}}
    <tr data-row data-key="{{object}}">{{#hasColumnsWithoutKey}}<td><a href="{{object}}">open</a></td>{{/hasColumnsWithoutKey}}{{#cells}}<td class="{{style}}">{{#link}}<a href="{{.}}"><bdi>{{text}}</bdi></a>{{/link}}{{^link}}<bdi>{{text}}</bdi>{{/link}}</td>{{/cells}}</tr>
    {{/rows}}
    </tbody></table></div>
    <p class="exports">Save all that match as {{#exports}}<a href="{{link}}" download>{{name}}</a> {{/exports}}</p>
    {{/isEmpty}}
    {{/hasTable}}

    """#

  static let explain = #"""
    <div class="head"><div><h1>Explain <bdi>{{model}}</bdi></h1>
    <p class="soft">How the engine answers the query, from the left to the right.</p></div>
    <div class="actions"><a class="button" href="{{grid}}">Show the objects</a></div></div>
    {{> query}}
    <form class="query" method="get" action="{{base}}/explain">
    <input type="hidden" name="model" value="{{model}}"><input type="hidden" name="find" value="{{search}}">
    <div class="line">
    <label class="wide">Condition<input data-filter type="text" name="where" value="{{where}}" placeholder="every object" spellcheck="false" autocapitalize="off" autocomplete="off"></label>
    <label>Order<input type="text" name="sort" value="{{sort}}" placeholder="primary key" size="14" spellcheck="false" autocapitalize="off"></label>
    <button class="main">Explain</button>
    </div></form>
    {{#hasPlan}}
    <ol class="steps">
    {{#steps}}<li{{#isCostly}} class="costly"{{/isCostly}}><strong>{{name}}</strong>{{text}}{{#details}}<div class="small soft"><bdi>{{.}}</bdi></div>{{/details}}{{#isCostly}}<span class="tag">costly</span>{{/isCostly}}</li>{{/steps}}
    </ol>
    {{#statement}}<h2>Statement of {{engine}}</h2><pre>{{.}}</pre>{{/statement}}
    {{/hasPlan}}

    """#

  static let groups = #"""
    <div class="head"><div><h1>Groups of <bdi>{{model}}</bdi></h1></div>
    <div class="actions"><a class="button" href="{{grid}}">Show the objects</a></div></div>
    {{> query}}
    {{#problem}}<div class="message bad" role="alert"><strong>{{.}}</strong></div>{{/problem}}
    <form class="query" method="get" action="{{base}}/groups">
    <input type="hidden" name="model" value="{{model}}"><input type="hidden" name="find" value="{{search}}">
    <div class="line">
    <label>Group by<select name="by">{{#groupNames}}<option value="{{name}}"{{#isChosen}} selected{{/isChosen}}>{{name}}</option>{{/groupNames}}</select></label>
    <label>and by<select name="then"><option value="">nothing else</option>{{#thenNames}}<option value="{{name}}"{{#isChosen}} selected{{/isChosen}}>{{name}}</option>{{/thenNames}}</select></label>
    <label>Figure<select name="function">{{#functions}}<option value="{{name}}"{{#isChosen}} selected{{/isChosen}}>{{words}}</option>{{/functions}}</select></label>
    <label>Of<select name="of"><option value="">objects</option>{{#ofNames}}<option value="{{name}}"{{#isChosen}} selected{{/isChosen}}>{{name}}</option>{{/ofNames}}</select></label>
    <label>Chart<select name="chart"><option value="bars">bars</option><option value="line"{{#isLine}} selected{{/isLine}}>line</option></select></label>
    <label class="wide">Condition<input data-filter type="text" name="where" value="{{where}}" placeholder="every object" spellcheck="false" autocapitalize="off" autocomplete="off"></label>
    <button class="main">Show</button>
    </div>
    <details{{#hasMore}} open{{/hasMore}}><summary>Several figures, conditions on groups</summary>
    <div class="line">
    <label class="wide">Figures<input type="text" name="figures" value="{{figures}}" placeholder="count, sum(price), p90(price) as dear" spellcheck="false" autocapitalize="off" autocomplete="off"></label>
    <label class="wide">Only groups with<input type="text" name="having" value="{{having}}" placeholder="count &gt; 10" spellcheck="false" autocapitalize="off" autocomplete="off"></label>
    <label>Order<input type="text" name="sort" value="{{groupSort}}" placeholder="-count" size="14" spellcheck="false" autocapitalize="off"></label>
    </div></details>
    </form>
    {{#hasGroups}}
    <p>{{summary}}. {{#chartNote}}<span class="soft">{{.}}</span>{{/chartNote}}</p>
    {{#charts}}{{#hasCharts}}<h2><bdi>{{name}}</bdi></h2>{{/hasCharts}}
    <div class="chart-room" tabindex="0" role="region" aria-label="Chart of {{name}}">{{{drawing}}}</div>
    {{/charts}}
    <h2>Figures</h2>
    <div class="scroll"><table>
    <thead><tr>{{#groupHeads}}<th scope="col"><bdi>{{name}}</bdi></th>{{/groupHeads}}{{#figureHeads}}<th scope="col" class="number"><bdi>{{name}}</bdi></th>{{/figureHeads}}</tr></thead>
    <tbody>{{#rows}}<tr data-row>{{#values}}<td class="{{style}}"><a href="{{link}}"><bdi>{{text}}</bdi></a></td>{{/values}}{{#figures}}<td class="number">{{text}}</td>{{/figures}}</tr>
    {{/rows}}</tbody></table></div>
    {{/hasGroups}}

    """#
}
