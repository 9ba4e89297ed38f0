// Counts in messages of commands: the noun and its verb are singular for one.
import { globSync, readFileSync } from 'node:fs'
import { assert } from 'chai'
import { counted } from '../../../src/cli/counted.ts'

describe('counted nouns in the output of commands', () => {
  it('are singular for one only', () => {
    assert.deepEqual(
      [0, 1, 2].map((count) => counted(count, 'filing')),
      ['0 filings', '1 filing', '2 filings'],
    )
    assert.deepEqual(
      [0, 1, 2].map((count) => counted(count, 'address fails', 'addresses fail')),
      ['0 addresses fail', '1 address fails', '2 addresses fail'],
    )
  })

  it('are used instead of fixed plurals in messages', () => {
    const things =
      'address|attempt|day|deliver|document|event|filing|issuer|job|key|line|quarter|row|signal|symbol|table|' +
      'test event|trade|transaction|webhook'
    const always = new RegExp(`\\}\\s(?:${things})(?:es|ies|s)\\b(?!/s)`)
    const files = globSync('src/{cli,service}/**/*.ts', { cwd: new URL('../../..', import.meta.url).pathname })
    assert.isAbove(files.length, 50)
    const found = files.flatMap((file) => {
      const lines = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8').match(/.*`.*\$\{.*/g) ?? []
      return lines.filter((line) => always.test(line)).map((line) => `${file}: ${line.trim()}`)
    })
    assert.deepEqual(found, [])
  })
})
