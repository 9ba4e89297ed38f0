// The operator's file of thresholds: what is wrong with it is reported in one line with the file and the place in it.
import { writeFileSync } from 'node:fs'
import { assert } from 'chai'
import { signalRules } from '../../../src/service/analytics-access.ts'
import { DEFAULT_RULES } from '../../../src/domain/signals/rule-thresholds.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

describe('the file of the rules of signals', () => {
  const at = temporaryFolder()
  const read = (text: string | Buffer) => {
    const path = at('rules.json')
    writeFileSync(path, text)
    return signalRules({ signalRules: path })
  }

  it('sets the thresholds that it names, and keeps the others', () => {
    const rules = read('{ "cluster_buy": { "persons": 4 }, "personMonths": 12 }')
    assert.deepEqual(rules, {
      ...DEFAULT_RULES,
      cluster_buy: { ...DEFAULT_RULES.cluster_buy, persons: 4 },
      personMonths: 12,
    })
    assert.deepEqual(read('{}'), DEFAULT_RULES)
    assert.deepEqual(signalRules({ signalRules: null }), DEFAULT_RULES)
  })

  it('is refused with its name and the setting at fault', () => {
    const faults: [text: string, told: RegExp][] = [
      ['{ "cluster_buy": { "persons": 0 } }', /^cluster_buy\.persons: /],
      ['{ "cluster_by": {} }', /^cluster_by: /],
      ['{ "ceo_trade": { "buy": [{ "from": 1, "severity": "huge" }] } }', /^ceo_trade\.buy\[0\]\.severity: /],
      ['[]', /must be an object/],
      ['{ "cluster_buy": { "persons": 4, } }', /^not JSON: /],
      ['', /^not JSON: /],
    ]
    for (const [text, told] of faults) {
      const name = `SIGNAL_RULES ${at('rules.json')}: `
      const { message } = assert.throws(() => read(text), Error, '', text) as unknown as Error
      assert.strictEqual(message.slice(0, name.length), name, text)
      assert.match(message.slice(name.length), told, text)
    }
  })

  it('is refused if it is missing or not a file', () => {
    const missing = at('missing.json')
    assert.throws(() => signalRules({ signalRules: missing }), `SIGNAL_RULES ${missing}: can't be read (ENOENT)`)
    assert.throws(() => signalRules({ signalRules: at() }), `SIGNAL_RULES ${at()}: can't be read (EISDIR)`)
  })
})
