// Words of names and of queries, as the search compares them.
import { assert } from 'chai'
import { queriedWords, searchTerms, searchWords, typedSymbol } from '../../../../src/domain/wording/search-words.ts'

const isFound = (name: string, query: string): boolean =>
  queriedWords(query).every((forms) => forms.some((form) => searchTerms(name).some((term) => term.startsWith(form))))

describe('words of the search', () => {
  it('are folded, with letters that Unicode does not decompose', () => {
    assert.deepEqual(searchWords('Łoś Müßig Sørensen Æther Đukić Þórðarson Ħal Yıldız Œuvre'), [
      ...['los', 'mussig', 'sorensen', 'aether', 'dukic', 'thordarson', 'hal', 'yildiz', 'oeuvre'],
    ])
  })

  it('find names with and without apostrophes, hyphens and gaps', () => {
    const alike = [
      ["O'Brien", 'O’BRIEN', 'OBRIEN', 'O BRIEN', 'Oʼbrien'],
      ['Mc Donald', 'MCDONALD', 'Mc-Donald'],
      ['Jean-Claude', 'JEANCLAUDE', 'Jean Claude'],
      ['De La Cruz', 'DELACRUZ', 'Dela Cruz'],
      ['Garcia-Lopez', 'GARCIA LOPEZ'],
      ['Garcia-Lopez', 'GARCIALOPEZ'],
      ['J. P. Morgan', 'JP Morgan', 'JPMORGAN'],
    ]
    for (const names of alike) {
      for (const name of names) {
        for (const query of names) assert.isTrue(isFound(`EXAMPLE ${name} JR`, query), `${query} finds ${name}`)
      }
    }
    assert.isTrue(isFound("O'Brien", 'brien'))
    assert.isTrue(isFound('Exemplar Jean-Claude', 'claude exem'))
  })

  it('find no names by initials joined to what stands before them', () => {
    assert.isFalse(isFound('DOE JOHN S', 'johns'))
    assert.isFalse(isFound('JOHNSON ADA', 'john s'))
    assert.isTrue(isFound('SMITH JOHN', 'john s'))
  })

  it('compare symbols with what was typed first', () => {
    assert.strictEqual(typedSymbol('BRK.B inc'), 'brk b')
  })

  it('grow with the length of a text alone', () => {
    assert.isAtMost(searchTerms("a'b c ".repeat(10_000)).length, 120_000)
    assert.isAtMost(queriedWords('a b-c '.repeat(10)).flat().length, 150)
  })
})
