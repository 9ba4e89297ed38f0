// Ticker symbols as filers write them, and as they are shown.
import { assert } from 'chai'
import fc from 'fast-check'
import {
  canonicalCompany,
  canonicalTicker,
  cleanSymbols,
  displayTicker,
  parseCompany,
  symbolsWithClass,
} from '../../../../src/domain/filings/ticker-symbol.ts'

describe('ticker symbols', () => {
  describe('as typed', () => {
    const cases: Record<string, string[]> = {
      // None
      NONE: [],
      none: [],
      None: [],
      'N/A': [],
      'n/a': [],
      NA: [],
      na: [],
      '-': [],
      '--': [],
      '#N/A': [],
      '#NA': [],
      '#N/A N/A': [],
      '#REF!': [],
      '#VALUE!': [],
      'N\\A': [],
      'n/a.': [],
      'T.B.D.': [],
      'NOT PUBLICLY TRADED': [],
      'None at present': [],
      'No ticker symbol': [],
      'Pending listing': [],
      '–': [],
      '[NONE]': [],
      '[None]': [],
      'N.A.': [],
      '': [],
      ' ': [],
      'NOT APPLICABLE': [],
      'NONE.': [],
      '(none)': [],
      TBD: [],
      'None/NA': [],
      'N A': [],
      '0': [],
      'NO SYMBOL': [],
      // Brackets and quotes
      '(SIRI)': ['SIRI'],
      '(CALX)': ['CALX'],
      '(LUMO)': ['LUMO'],
      '(LASAX': ['LASAX'],
      "'LTRX": ['LTRX'],
      '"ABC"': ['ABC'],
      '[ABC]': ['ABC'],
      // Several
      'BIO BIOB': ['BIO', 'BIOB'],
      'BFA, BFB': ['BFA', 'BFB'],
      'WLY, WLYB': ['WLY', 'WLYB'],
      'Z AND ZG': ['Z', 'ZG'],
      'Z & ZG': ['Z', 'ZG'],
      'JUSH/JUSHF': ['JUSH', 'JUSHF'],
      'HEI, HEI.A': ['HEI', 'HEI-A'],
      'MOGA/MOGB': ['MOGA', 'MOGB'],
      'PARAA,PARA': ['PARAA', 'PARA'],
      'UONE/UONEK': ['UONE', 'UONEK'],
      'WSO; WSOB': ['WSO', 'WSOB'],
      'LEN, LEN.B': ['LEN', 'LEN-B'],
      'GEF, GEF-B': ['GEF', 'GEF-B'],
      'BFRG,BFRGW': ['BFRG', 'BFRGW'],
      'BCDA;BCDAW': ['BCDA', 'BCDAW'],
      'GTII/GTBIF': ['GTII', 'GTBIF'],
      'ARF STS': ['ARF', 'STS'],
      'ABC, ABC': ['ABC'],
      'BRK.A/BRK.B': ['BRK-A', 'BRK-B'],
      'BRK.A, BRK.B': ['BRK-A', 'BRK-B'],
      'Z/ZG': ['Z', 'ZG'],
      // Exchanges
      'NYSE: KRC': ['KRC'],
      'NYSE: SCS': ['SCS'],
      'NASDAQ:RMR': ['RMR'],
      'NASDAQ:SVC': ['SVC'],
      'NYSE:NYCB': ['NYCB'],
      'NYSE/TRN': ['TRN'],
      'ASX:CRN': ['CRN'],
      'NTIP-NYSE': ['NTIP'],
      NASDAQ: [],
      NYSE: [],
      'NYSE: ZETA': ['ZETA'],
      'NYSE AMERICAN: ABC': ['ABC'],
      'NYSE:BRK.B': ['BRK-B'],
      'NYSE MKT: ABC': ['ABC'],
      'NYSE/F': ['F'],
      ASX: ['ASX'],
      CBOE: ['CBOE'],
      'OTCQB: ABCD': ['ABCD'],
      'ABC:NYSE': ['ABC'],
      'NYSE: GM': ['GM'],
      'NYSE: GS': ['GS'],
      'NYSE:CM': ['CM'],
      'NYSE: GM, GM.WS': ['GM', 'GM-WS'],
      'NYSE American: GM': ['GM'],
      'NASDAQ GS: AMZN': ['AMZN'],
      'NASDAQ: GS: AMZN': ['AMZN'],
      'NYSE American: XYZ': ['XYZ'],
      'OTC: PINK ABCD': ['ABCD'],
      'ABC (NASDAQ)': ['ABC'],
      // Classes, units, markets
      'LGF.B': ['LGF-B'],
      'LGF.A': ['LGF-A'],
      'BRK.A': ['BRK-A'],
      'NYT.A': ['NYT-A'],
      'GEF-B': ['GEF-B'],
      'ACRG.A.U': ['ACRG-A-U'],
      'BRK/B': ['BRK-B'],
      'BRK/A/B': ['BRK-A', 'BRK-B'],
      'MACI U': ['MACI-U'],
      'CCIX U': ['CCIX-U'],
      'ALF P': ['ALF-P'],
      'ALF A': ['ALF-A'],
      'GGT.RT': ['GGT-RT'],
      'BRK A': ['BRK-A'],
      'BRK CLASS A': ['BRK-A'],
      'HBIA.PK': ['HBIA'],
      'SCIA.OB': ['SCIA'],
      'HBIA/PK': ['HBIA'],
      'VIIA.U': ['VIIA-U'],
      'OXY/WS': ['OXY-WS'],
      '2330.TW': ['2330-TW'],
      // One symbol spelled out, lower case, no symbol at all
      'N O G': ['NOG'],
      fmbm: ['FMBM'],
      emyb: ['EMYB'],
      vicr: ['VICR'],
      PPTINC: ['PPTINC'],
      '1314152': [],
      'M-6697': [],
      ctb$news20: [],
      F: ['F'],
      SNOW: ['SNOW'],
      'ABC*': ['ABC'],
      '.ABC': ['ABC'],
      'ABC.': ['ABC'],
    }
    for (const [typed, symbols] of Object.entries(cases)) {
      it(`${JSON.stringify(typed)} names ${symbols.join(' and ') || 'none'}`, () =>
        assert.deepEqual(cleanSymbols(typed), symbols))
    }

    it('gives canonical symbols for any text, and each cleans to itself', () => {
      const text = fc.oneof(fc.string({ maxLength: 12 }), fc.stringMatching(/^[A-Z./,;: &'()$0-9-]{0,12}$/))
      fc.assert(
        fc.property(text, (typed) => {
          const symbols = cleanSymbols(typed)
          assert.deepEqual(symbols, [...new Set(symbols)])
          for (const symbol of symbols) {
            assert.strictEqual(canonicalTicker(symbol), symbol)
            assert.deepEqual(cleanSymbols(symbol), [symbol], typed)
          }
        }),
        { numRuns: 500 },
      )
    })
  })

  it('makes well-formed symbols canonical and refuses others', () => {
    const forms = {
      'BRK.B': 'BRK-B',
      'brk-b': 'BRK-B',
      'Brk/b': 'BRK-B',
      aapl: 'AAPL',
      'ACRG.A.U': 'ACRG-A-U',
      F: 'F',
      CIK: 'CIK',
      'CIK-B': 'CIK-B',
      '1A': '1A',
      NONE: 'NONE',
    }
    for (const [text, symbol] of Object.entries(forms)) assert.strictEqual(canonicalTicker(text), symbol)
    for (const text of [
      '',
      ' AAPL',
      'AAPL ',
      'BRK..B',
      'BRK.',
      '.B',
      'A-B-C-D',
      'ABCDEFGHIJK',
      'A.ABCDEF',
      'AA PL',
      'AAPL%',
      'ÄB',
      'a\n',
      '1234567890',
      'CIK320193',
    ]) {
      assert.isNull(canonicalTicker(text), text)
    }
  })

  it('takes digits, with CIK before them or not, for a CIK and never for a symbol', () => {
    const forms = {
      CIK0001490892: '0001490892',
      cik1490892: '0001490892',
      '1490892': '0001490892',
      '0001490892': '0001490892',
    }
    for (const [text, cik] of Object.entries(forms)) {
      assert.deepEqual(parseCompany(text), { ticker: null, cik })
      assert.strictEqual(canonicalCompany(text), `CIK${cik}`)
    }
    assert.deepEqual(parseCompany('brk.b'), { ticker: 'BRK-B', cik: null })
    assert.strictEqual(canonicalCompany('cik'), 'CIK')
    for (const text of [
      'CIK00014908921',
      '14908921490',
      'CIK 1',
      'CIK-1490892X',
      ' 1490892',
      '1490892\n',
      '１４',
      'CIK-',
      '',
    ]) {
      assert.isNull(parseCompany(text), text)
      assert.isNull(canonicalCompany(text), text)
    }
    assert.deepEqual(cleanSymbols('CIK1490892, COR'), ['COR'])
  })

  describe('to show', () => {
    it('is the typed one if the SEC lists it for the issuer', () => {
      assert.strictEqual(displayTicker(['GOOGL'], ['GOOG', 'GOOGL'], null), 'GOOGL')
      assert.strictEqual(displayTicker(['XYZW', 'LEN-B'], ['LEN', 'LEN-B'], null), 'LEN-B')
    })

    it('takes a class typed without its hyphen for the listed one', () => {
      assert.strictEqual(displayTicker(['BFA', 'BFB'], ['BF-B', 'BF-A'], null), 'BF-A')
      assert.strictEqual(displayTicker(['MACI-U'], ['MACI', 'MACIU'], null), 'MACIU')
      assert.strictEqual(displayTicker(['BF-A', 'BFB'], ['BF-B', 'BF-C'], null), 'BF-B')
    })

    it('is else the first listed, else the newest typed, else nothing', () => {
      assert.strictEqual(displayTicker(['SQ'], ['XYZ', 'XYZ-W'], ['SQ']), 'XYZ')
      assert.strictEqual(displayTicker([], ['WBHC'], null), 'WBHC')
      assert.strictEqual(displayTicker(['OLD'], [], ['NEW', 'NEWW']), 'NEW')
      assert.strictEqual(displayTicker([], [], []), '')
      assert.strictEqual(displayTicker([], [], null), '')
    })

    it('is, of several, the one whose class is that of the title, else the first', () => {
      const both = ['INV-A', 'INV-B']
      for (const present of [[], both, ['INV-B', 'INV-A'], ['INVA', 'INVB']]) {
        const shown = (title: string | null) => displayTicker(both, present, both, title).replace('-', '')
        for (const title of [
          'Class B Common Stock',
          'Common Stock, Class B',
          'CLASS B COMMON',
          'Cl. B Common',
          'Series B Common',
        ])
          assert.strictEqual(shown(title), 'INVB', title)
        for (const title of ['Class A Common Stock', 'Common Stock', 'Class C Common Stock', '', null])
          assert.strictEqual(shown(title), 'INVA', String(title))
      }
      const choices: [typed: string[], title: string, shown: string][] = [
        [['LEN', 'LEN-B'], 'Class B Common Stock', 'LEN-B'],
        [['LEN', 'LEN-B'], 'Class A Common Stock', 'LEN'],
        [['HEI', 'HEI-A'], 'Class A Common Stock', 'HEI-A'],
        [['BFA', 'BFB'], 'Class B Common', 'BFB'],
        [['WLY', 'WLYB'], 'Class B Common', 'WLYB'],
        [['PARA', 'PARAA'], 'Class A Common Stock', 'PARAA'],
        [['INV', 'INV-PA'], 'Series A Preferred Stock', 'INV-PA'],
        [['INV', 'INV-A'], 'Series A Preferred Stock', 'INV'],
        [['INV-A'], 'Class B Common Stock', 'INV-A'],
        [['INV-A', 'INV-B'], 'Classic B Notes', 'INV-A'],
      ]
      for (const [typed, title, shown] of choices)
        assert.strictEqual(displayTicker(typed, [], typed, title), shown, `${String(typed)} ${title}`)
      // Of a company that has other symbols by now.
      assert.strictEqual(displayTicker(both, [], ['NEW-A', 'NEW-B'], 'Class B Common Stock'), 'NEW-B')
      assert.strictEqual(displayTicker(both, ['INV-A'], null, 'Class B Common Stock'), 'INV-A')
    })
  })

  it('stand for those with a class where no company has them', () => {
    assert.deepEqual(symbolsWithClass('INVA'), ['INV-A', 'IN-VA'])
    assert.deepEqual(symbolsWithClass('AB'), ['A-B'])
    assert.deepEqual(symbolsWithClass('A'), [])
    assert.deepEqual(symbolsWithClass('INV-A'), [])
  })
})
