// Titles of securities: which are the same security.
import { assert } from 'chai'
import { comparableTitle } from '../../../../src/domain/trades/security-title.ts'

describe('titles of securities', () => {
  const same = (titles: string[]) =>
    titles.forEach((title) => assert.strictEqual(comparableTitle(title), comparableTitle(titles[0]!), title))

  it('are compared without case, spaces and punctuation', () => {
    same([
      'Common Stock',
      'COMMON STOCK',
      ' common \t stock ',
      'Common-Stock',
      'Common Stock.',
      '"Common Stock"',
      'CommonStock',
    ])
    same(['Class A Non-Voting Common Stock', 'Class "A" nonvoting common stock', 'Class A, Non Voting, Common Stock'])
  })

  it('without par value', () => {
    same([
      'Common Stock',
      'Common Stock, par value $0.01 per share',
      'Common Stock, par value $.01',
      'Common Stock, par value $1.00  per share',
      'Common Stock, $0.01 par value',
      'Common Stock $.01 Par Value',
      'Common Stock ($0.10 par value)',
      'Common stock; par value $0.00001 per share',
      'Common Stock, $0.01 per share par value',
      'Common Stock, $1 2/3 Par Value',
      'Common Stock - $.33 1/3 par value',
      'Common Stock, par val $0.001',
      'Common Stock, par value $.001per share',
      'Common Stock, no par value',
      'Common Stock, without par value',
      'Common Stock no par',
      'Common Stock, par value US$0.0001 per share',
      'Common Stock, par value NIS 0.0000769 per share',
      'Common Stock, par value of $5 per share',
      'Common Stock, par value EUR 0.01 each',
      'Common Stock, par value 0.01',
      'Common Stock, par value',
      'Common Stock, par $.10',
      '$.0001 par value common stock',
      '$5 Par Common Stock',
    ])
    same(['Class A Common Stock', 'Class A $0.01 par value common stock', 'Class A Common Stock Par Value 0.01'])
    same([
      'Series 2 Preferred Stock',
      'Series 2 Preferred Shares, no par value',
      'Series 2 par value $1 Preferred Stock',
    ])
  })

  it('with `share`, `shares` and `stock` as one word', () => {
    same(['Common Stock', 'Common Shares', 'Common Share'])
    same(['Ordinary Shares', 'ordinary share', 'Ordinary Stock'])
  })

  it('with the letters of classes and series, and everything else', () => {
    const titles = [
      'Common Stock',
      'Class A Common Stock',
      'Class B Common Stock',
      'Class C Common Stock, par value $0.001',
      'Class C Capital Stock',
      'Series A Preferred Stock',
      'Series A-1 Preferred Stock',
      'Series 2 Preferred Shares, no par value',
      'Series 3 Preferred Shares, no par value',
      '5.00% Preferred Stock',
      '6.00% Preferred Stock',
      'Ordinary Shares',
      'American Depositary Shares',
      'Common Shares of Beneficial Interest',
      'Common Units',
      'Participating Preferred Stock',
      'Parent Common Stock',
      '普通株式',
    ]
    assert.strictEqual(new Set(titles.map(comparableTitle)).size, titles.length)
  })

  it('that say nothing else stay as they are', () => {
    for (const title of ['no par value', '-', '$']) assert.strictEqual(comparableTitle(title), title)
    assert.strictEqual(comparableTitle(' '), '')
  })

  it('cost no more than their length', () => {
    for (const part of ['1', 'par value ', '$1 ', 'no ', ' ', 'of $.01 per share '])
      assert.isString(comparableTitle(`par ${part.repeat(200_000)}`))
  })
})
