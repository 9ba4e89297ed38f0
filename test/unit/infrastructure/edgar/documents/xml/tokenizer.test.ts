// The tokenizer against attacks made by hand, and against saxes: whatever it accepts saxes accepts,
// with the same events.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { assert } from 'chai'
import fc from 'fast-check'
import { XML_LIMITS } from '../../../../../../src/infrastructure/edgar/documents/xml/tokenizer.ts'
import { ownershipXml } from '../../../../../support/filings/filing-builder.ts'
import { ours, theirs } from '../../../../../support/filings/xml-events.ts'

const shared = fileURLToPath(new URL('../../../../../../../shared/', import.meta.url))

function refusal(xml: string): string {
  const outcome = ours(xml)
  return 'refused' in outcome ? outcome.refused : 'accepted'
}

function events(xml: string): string[] {
  const outcome = ours(xml)
  if ('refused' in outcome) throw new Error(outcome.refused)
  return outcome.events
}

const BOMB = '<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><a>&c;</a>'

describe('XML tokenizer', function () {
  describe('reads', function () {
    it('tags, attributes, text, CDATA; passes over comments and instructions', function () {
      const xml =
        '<?xml version="1.0" encoding="UTF-8"?>\n<!-- c --><?p i?>' +
        '<a x="1" y=\'"2"\'>t<!--c-->u<b/><![CDATA[<v>&]]></a >\n'
      assert.deepEqual(events(xml), ['<a [["x","1"],["y","\\"2\\""]]>', 'tu', '<b []>', '</b>', '<v>&', '</a>'])
    })

    it('the five entities and numeric references', function () {
      assert.deepEqual(events('<a x="&lt;&#10;">&amp;&lt;&gt;&quot;&apos;&#65;&#x1F600;</a>'), [
        '<a [["x","<\\n"]]>',
        '&<>"\'A\u{1F600}',
        '</a>',
      ])
    })

    it('line ends as one newline, and as spaces inside attributes', function () {
      assert.deepEqual(events('<a x="1\r\n2">\r\nb\rc\n</a>'), ['<a [["x","1 2"]]>', '\nb\nc\n', '</a>'])
    })

    it('names that mean something to JavaScript as names', function () {
      assert.deepEqual(events('<__proto__ constructor="1"><toString/></__proto__>'), [
        '<__proto__ [["constructor","1"]]>',
        '<toString []>',
        '</toString>',
        '</__proto__>',
      ])
    })

    it('names and text beyond ASCII', function () {
      assert.deepEqual(events('<é à="ü">日本\u{1F600}</é>'), ['<é [["à","ü"]]>', '日本\u{1F600}', '</é>'])
    })

    it('one document after another, however long the one before was', function () {
      const long = `<a>${'x'.repeat(200_000)}</a>`
      for (const xml of [long, '<a>1</a>', long, '<b/>']) assert.match(events(xml)[0]!, /^<[ab] /)
      assert.match(refusal('<a>'), /ends before/)
    })
  })

  describe('refuses', function () {
    const attacks: [what: string, xml: string, reason: RegExp][] = [
      ['a billion laughs', BOMB, /DOCTYPE/],
      ['an external entity', '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', /DOCTYPE/],
      ['a DOCTYPE inside', '<a><!DOCTYPE b></a>', /DOCTYPE/],
      ['an entity nobody declared', '<a>&nbsp;</a>', /unknown entity &nbsp;/],
      ['an entity named __proto__', '<a>&__proto__;</a>', /unknown entity/],
      ['a bare ampersand', '<a>P & L</a>', /"&" that begins no/],
      ['a reference that is not closed', '<a>&amp</a>', /"&" that begins no/],
      ['a reference to NUL', '<a>&#0;</a>', /character XML forbids/],
      ['a reference to half a surrogate pair', '<a>&#xD800;</a>', /character XML forbids/],
      ['a reference beyond Unicode', '<a>&#x110000;&#99999999999999999999;</a>', /character XML forbids/],
      ['a control character in text', '<a>\u0001</a>', /U\+0001/],
      ['NUL in text', '<a>\0</a>', /U\+0000/],
      ['a control character in an attribute', '<a b="\u0008"/>', /U\+0008/],
      ['a control character in a comment', '<a><!--\u0001--></a>', /U\+0001/],
      ['a control character in CDATA', '<a><![CDATA[\u000B]]></a>', /U\+000B/],
      ['a lone surrogate', '<a>\uD83D</a>', /U\+D83D/],
      ['a non-character', '<a>\uFFFE</a>', /U\+FFFE/],
      ['mismatched tags', '<a>\n<b></a></b>', /line 2, offset 7, in <b>: "<\/a>" where <\/b> was due/],
      ['an end tag that goes on', '<a></ab>', /"<\/ab>" where <\/a> was due/],
      ['an end tag too many', '<a/></a>', /where nothing was due/],
      ['an end tag with an attribute', '<a></a b="1">', /where <\/a> was due/],
      ['a duplicate attribute', '<a b="1" b="2"/>', /attribute b twice/],
      ['an attribute without quotes', '<a b=1/>', /no quoted value/],
      ['an attribute without value', '<a b/>', /no quoted value/],
      ['attributes without space between', '<a b="1"c="2"/>', /unexpected "c"/],
      ['"<" in an attribute', '<a b="<"/>', /"<" in an attribute/],
      ['"]]>" in text', '<a>]]></a>', /"]]>" in text/],
      ['"--" in a comment', '<a><!-- -- --></a>', /"--" inside a comment/],
      ['a comment that ends in three dashes', '<a><!-- ---></a>', /"--" inside a comment/],
      ['CDATA outside the root', '<![CDATA[x]]><a/>', /opens nothing allowed/],
      ['two roots', '<a/><b/>', /a second root element, <b>/],
      ['text before the root', 'x<a/>', /text outside/],
      ['text after the root', '<a/>x', /text outside/],
      ['no root', '<!-- nothing -->', /no element/],
      ['nothing', '', /no element/],
      ['a declaration after white space', ' <?xml version="1.0"?><a/>', /not at the very start/],
      ['a declaration of another version', '<?xml version="1.1"?><a/>', /version is not 1.0/],
      ['a declaration without version', '<?xml encoding="UTF-8"?><a/>', /malformed/],
      ['an instruction without name', '<a><? x?></a>', /proper name/],
      ['an instruction that is not closed', '<a><?p', /not closed/],
      ['a name that starts with a digit', '<a><1/></a>', /proper name/],
      ['a space before a name', '<a>< b/></a>', /proper name/],
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

    it('200,000 references in bounded time', function () {
      const start = performance.now()
      assert.lengthOf(events(`<a>${'&#65;'.repeat(200_000)}</a>`)[1]!, 200_000)
      assert.isBelow(performance.now() - start, 3000)
    })

    it('a filing cut off at any character', function () {
      const footnotes = [{ id: 'F1', text: 'P & L <1>' }]
      const whole = ownershipXml({ rows: [{ footnotes: { price: ['F1'] } }], footnotes }).trim()
      assert.isAbove(events(whole).length, 50)
      for (let length = 0; length < whole.length; length++) {
        assert.notStrictEqual(refusal(whole.slice(0, length)), 'accepted', `${length} characters`)
      }
    })
  })

  describe('beside saxes', function () {
    it(`agrees on every XML at hand${existsSync(shared) ? '' : ' (skipped: ../shared is not here)'}`, function () {
      if (!existsSync(shared)) this.skip()
      let accepted = 0
      let refused = 0
      for (const [name, xml] of realXml()) {
        const [mine, other] = [ours(xml), theirs(xml)]
        if ('events' in mine) assert.deepEqual(mine, other, name)
        else assert.property(other, 'refused', `${name}: ${mine.refused}`)
        if ('events' in mine) accepted++
        else refused++
      }
      assert.isAbove(accepted, 150)
      console.log(`        ${accepted} documents with equal events, ${refused} refused by both`)
    })

    it('accepts nothing that saxes refuses, on damaged documents', function () {
      const footnotes = [{ id: 'F1', text: 'é & "]]>" \u{1F600}' }]
      const seed = fc.constantFrom(ownershipXml(), ownershipXml({ footnotes }), ODDITIES)
      const damages = fc.array(DAMAGE, { minLength: 1, maxLength: 2 })
      let accepted = 0
      fc.assert(
        fc.property(seed, damages, (whole, each) => {
          const xml = each.reduce(damaged, whole)
          const mine = ours(xml)
          if ('refused' in mine) return
          accepted++
          assert.deepEqual(mine, theirs(xml), xml)
        }),
        { numRuns: 4000 },
      )
      assert.isAbove(accepted, 200)
      console.log(`        ${accepted} of 4,000 damaged documents accepted, with equal events`)
    })

    it('refuses nothing that saxes accepts, but where it is looser than XML 1.0', function () {
      fc.assert(
        fc.property(fc.constantFrom(ODDITIES, '<a>b</a>'), DAMAGE, (seed, damage) => {
          const xml = damaged(seed, damage)
          const mine = ours(xml)
          if ('events' in mine || LOOSER.test(mine.refused)) return
          assert.property(theirs(xml), 'refused', `${mine.refused}\n${xml}`)
        }),
        { numRuns: 3000 },
      )
    })
  })
})

const ODDITIES = `<?xml version='1.0' encoding="utf-8" standalone='yes' ?><!-- a --><?p q r?>
<r.1-_ xmlns:x="u" a = 'b"c'
  d="&lt;&#x41;"><x:y/>t &amp; u<![CDATA[<&]] >]]>v<!---->w<?p?><z  ></z
> ] ]] > &#233; \u00E9</r.1-_><!-- e --> `

/** DOCTYPE is ours to refuse; saxes also takes version 1.1, lone surrogates, and `<?a?b?>`. */
const LOOSER = /DOCTYPE|version is not 1.0|U\+D[89A-F]|malformed processing instruction/

const TOKENS = [
  '<',
  '>',
  '&',
  ';',
  '"',
  "'",
  '/',
  '=',
  ' ',
  '\t',
  '\n',
  '\r',
  '!',
  '?',
  '-',
  '--',
  '-->',
  '<!--',
  ']]>',
  '<![CDATA[',
  '<?',
  '?>',
  '<?xml version="1.0"?>',
  '&amp;',
  '&#0;',
  '&#x20;',
  '&#13;',
  '&x;',
  '<a>',
  '</a>',
  '<a/>',
  'a="1"',
  '\0',
  '\u0085',
  '\u2028',
  '\uD800',
  '\uFFFE',
  '\uFEFF',
  'é',
  '\u00B7',
  ':',
  '.',
  '0',
  'xml',
  '<!DOCTYPE a>',
]

type Damage = { kind: 'insert' | 'delete' | 'replace' | 'repeat'; at: number; length: number; token: string }

const DAMAGE: fc.Arbitrary<Damage> = fc.record({
  kind: fc.constantFrom('insert', 'delete', 'replace', 'repeat'),
  at: fc.noBias(fc.integer({ min: 0, max: 9999 })),
  length: fc.integer({ min: 1, max: 12 }),
  token: fc.oneof(fc.constantFrom(...TOKENS), fc.constantFrom('x', ' ', '\n', '&amp;', 'é', '<!-- -->', '<v/>')),
})

function damaged(xml: string, { kind, at, length, token }: Damage): string {
  const from = Math.floor((at / 10_000) * xml.length)
  const to = Math.min(xml.length, from + length)
  if (kind === 'insert') return xml.slice(0, from) + token + xml.slice(from)
  if (kind === 'delete') return xml.slice(0, from) + xml.slice(to)
  if (kind === 'replace') return xml.slice(0, from) + token + xml.slice(to)
  return xml.slice(0, to) + xml.slice(from)
}

/** Files that are XML, and the XML sections of submissions. */
function* realXml(): Iterable<[name: string, xml: string]> {
  for (const name of readdirSync(shared, { recursive: true, encoding: 'utf8' })) {
    const path = join(shared, name)
    if (!/\.(?:xml|atom|txt|nc|html?)$/.test(name) || !statSync(path).isFile()) continue
    const text = readFileSync(path, 'utf8')
    const section = /<XML>([^]*?)<\/XML>/.exec(text)
    yield [name, (section?.[1] ?? text).trim()]
  }
}
