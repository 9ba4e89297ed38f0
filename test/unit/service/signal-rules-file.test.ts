// The operator's file of thresholds: what is wrong with it is told in one line with the file and the place in it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { signalRules } from '../../../src/service/analytics-access.ts'
import { DEFAULT_RULES } from '../../../src/domain/signals/rule-thresholds.ts'

describe('the file of the rules of signals', () => {
  let folder: string
  const read = (text: string | Buffer) => {
    const path = join(folder, 'rules.json')
    writeFileSync(path, text)
    return signalRules({ signalRules: path })
  }
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'signal-rules-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('sets what it names, the rest stays', () => {
    const rules = read('{ "cluster_buy": { "persons": 4 }, "personMonths": 12 }')
    expect(rules).to.deep.equal({
      ...DEFAULT_RULES,
      cluster_buy: { ...DEFAULT_RULES.cluster_buy, persons: 4 },
      personMonths: 12,
    })
    expect(read('{}')).to.deep.equal(DEFAULT_RULES)
    expect(signalRules({ signalRules: null })).to.deep.equal(DEFAULT_RULES)
  })

  it('is refused with its name and the place of the fault', () => {
    const faults: [text: string, told: RegExp][] = [
      ['{ "cluster_buy": { "persons": 0 } }', /^cluster_buy\.persons: /],
      ['{ "cluster_by": {} }', /^cluster_by: /],
      ['{ "ceo_trade": { "buy": [{ "from": 1, "severity": "huge" }] } }', /^ceo_trade\.buy\[0\]\.severity: /],
      ['[]', /must be an object/],
      ['{ "cluster_buy": { "persons": 4, } }', /^not JSON: /],
      ['', /^not JSON: /],
    ]
    for (const [text, told] of faults) {
      const name = `SIGNAL_RULES ${join(folder, 'rules.json')}: `
      expect(() => read(text), text)
        .to.throw()
        .with.property('message')
        .that.satisfies((message: string) => message.startsWith(name) && told.test(message.slice(name.length)))
    }
  })

  it('is refused when it is not there or no file', () => {
    const missing = join(folder, 'missing.json')
    expect(() => signalRules({ signalRules: missing })).to.throw(`SIGNAL_RULES ${missing}: can't be read (ENOENT)`)
    expect(() => signalRules({ signalRules: folder })).to.throw(`SIGNAL_RULES ${folder}: can't be read (EISDIR)`)
  })
})
