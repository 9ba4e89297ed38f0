// XML into events, and what is refused: faults of form, DTDs, and whatever is beyond a limit.
import { assert } from 'chai'
import {
  parseXml,
  XML_LIMITS,
  type XmlEvents,
} from '../../../../../src/infrastructure/edgar/documents/ownership/parse-xml.ts'

/** Text between two tags as one piece; white space alone is left out. */
function events(xml: string): string[] {
  const found: string[] = []
  let pending = ''
  const flush = () => {
    if (pending.trim() !== '') found.push(pending)
    pending = ''
  }
  const recorder: XmlEvents = {
    open: (name, attributes) => {
      flush()
      found.push(`<${name} ${JSON.stringify(Object.entries(attributes))}>`)
    },
    text: (text) => (pending += text),
    close: () => {
      flush()
      found.push('</>')
    },
  }
  parseXml(xml, recorder)
  return found
}

function refusal(xml: string): string {
  try {
    events(xml)
    return 'accepted'
  } catch (error) {
    return (error as Error).message
  }
}

const BOMB = '<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><a>&c;</a>'

describe('XML of ownership documents', function () {
  describe('reads', function () {
    it('tags, attributes, text, CDATA; passes over comments and instructions', function () {
      const xml =
        '<?xml version="1.0" encoding="UTF-8"?>\n<!-- c --><?p i?>' +
        '<a x="1" y=\'"2"\'>t<!--c-->u<b/><![CDATA[<v>&]]></a >\n'
      assert.deepEqual(events(xml), ['<a [["x","1"],["y","\\"2\\""]]>', 'tu', '<b []>', '</>', '<v>&', '</>'])
    })

    it('the five entities and numeric references', function () {
      assert.deepEqual(events('<a x="&lt;&#10;">&amp;&lt;&gt;&quot;&apos;&#65;&#x1F600;</a>'), [
        '<a [["x","<\\n"]]>',
        '&<>"\'A\u{1F600}',
        '</>',
      ])
    })

    it('line ends as one newline, and as spaces inside attributes', function () {
      assert.deepEqual(events('<a x="1\r\n2">\r\nb\rc\n</a>'), ['<a [["x","1 2"]]>', '\nb\nc\n', '</>'])
    })

    it('names that mean something to JavaScript as names', function () {
      assert.deepEqual(events('<__proto__ constructor="1"><toString/></__proto__>'), [
        '<__proto__ [["constructor","1"]]>',
        '<toString []>',
        '</>',
        '</>',
      ])
    })

    it('names and text beyond ASCII', function () {
      assert.deepEqual(events('<é à="ü">日本\u{1F600}</é>'), ['<é [["à","ü"]]>', '日本\u{1F600}', '</>'])
    })

    it('one document after another, however long the one before was', function () {
      const long = `<a>${'x'.repeat(200_000)}</a>`
      for (const xml of [long, '<a>1</a>', long, '<b/>']) assert.match(events(xml)[0]!, /^<[ab] /)
      assert.match(refusal('<a>'), /unclosed tag: a/)
    })
  })

  describe('refuses', function () {
    const attacks: [what: string, xml: string, reason: RegExp][] = [
      ['a billion laughs', BOMB, /DOCTYPE/],
      ['an external entity', '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', /DOCTYPE/],
      ['a DOCTYPE inside', '<a><!DOCTYPE b></a>', /doctype/],
      ['an entity nobody declared', '<a>&nbsp;</a>', /undefined entity/],
      ['an entity named __proto__', '<a>&__proto__;</a>', /undefined entity/],
      ['an entity named like a function of objects', '<a>&toString;</a>', /undefined entity/],
      ['a bare ampersand', '<a>P & L</a>', /line 1, in <a>: "&" that begins no reference/],
      ['a reference that is not closed', '<a>&amp</a>', /line 1, in <a>: "&" that begins no reference/],
      ['a reference to NUL', '<a>&#0;</a>', /malformed character entity/],
      ['a reference to half a surrogate pair', '<a>&#xD800;</a>', /malformed character entity/],
      ['a reference beyond Unicode', '<a>&#x110000;&#99999999999999999999;</a>', /malformed character entity/],
      ['a control character in text', '<a>\u0001</a>', /disallowed character/],
      ['NUL in text', '<a>\0</a>', /disallowed character/],
      ['a control character in an attribute', '<a b="\u0008"/>', /disallowed character/],
      ['a control character in a comment', '<a><!--\u0001--></a>', /disallowed character/],
      ['a control character in CDATA', '<a><![CDATA[\u000B]]></a>', /disallowed character/],
      ['a lone surrogate', '<a>\uD83D</a>', /surrogate/],
      ['a non-character', '<a>\uFFFE</a>', /disallowed character/],
      ['mismatched tags', '<a>\n<b></a></b>', /line 2, in <a>: unexpected close tag/],
      ['an end tag that goes on', '<a></ab>', /close tag/],
      ['an end tag too many', '<a/></a>', /unmatched closing tag/],
      ['an end tag with an attribute', '<a></a b="1">', /disallowed character in closing tag/],
      ['a duplicate attribute', '<a b="1" b="2"/>', /duplicate attribute: b/],
      ['an attribute without quotes', '<a b=1/>', /unquoted attribute value/],
      ['an attribute without value', '<a b/>', /disallowed character in attribute name/],
      ['attributes without space between', '<a b="1"c="2"/>', /no whitespace between attributes/],
      ['"<" in an attribute', '<a b="<"/>', /disallowed character/],
      ['"]]>" in text', '<a>]]></a>', /"]]>" is disallowed/],
      ['"--" in a comment', '<a><!-- -- --></a>', /malformed comment/],
      ['a comment that ends in three dashes', '<a><!-- ---></a>', /malformed comment/],
      ['CDATA outside the root', '<![CDATA[x]]><a/>', /text data outside/],
      ['two roots', '<a/><b/>', /only one root/],
      ['text before the root', 'x<a/>', /text data outside/],
      ['text after the root', '<a/>x', /text data outside/],
      ['no root', '<!-- nothing -->', /must contain a root element/],
      ['nothing', '', /must contain a root element/],
      ['a declaration after white space', ' <?xml version="1.0"?><a/>', /XML declaration must be at the start/],
      ['a declaration of another version', '<?xml version="1.1"?><a/>', /version is not 1.0/],
      ['a declaration without version', '<?xml encoding="UTF-8"?><a/>', /expected one of version/],
      ['an instruction without name', '<a><? x?></a>', /processing instruction/],
      ['an instruction that is not closed', '<a><?p', /unclosed tag/],
      ['a name that starts with a digit', '<a><1/></a>', /disallowed character in tag name/],
      ['a space before a name', '<a>< b/></a>', /disallowed character in tag name/],
      ['100,000 levels', '<a>'.repeat(100_000), /more than 32 levels/],
      [
        '100,000 attributes',
        `<a ${Array.from({ length: 100_000 }, (_, n) => `a${n}=""`).join(' ')}/>`,
        /more than 32 attributes/,
      ],
      ['an attribute of half a megabyte', `<a b="${'x'.repeat(1 << 19)}"/>`, /too long/],
      ['a name of half a megabyte', `<${'x'.repeat(1 << 19)}/>`, /too long/],
      ['more than 1 MB', `<a>${' '.repeat(XML_LIMITS.characters)}</a>`, /longer than/],
    ]
    for (const [what, xml, reason] of attacks) {
      it(what, function () {
        assert.match(refusal(xml), reason)
      })
    }
  })
})
