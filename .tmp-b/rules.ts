import { indexRules, rulesOfFiling, rulesOfSignal } from '../src/application/alerts/match-rules.ts'
import { exampleTrade } from '../test/support/filings/trade.ts'
const KEYS=100
function filterOf(place: number): any {
  const minValue = 10_000_000 + place
  return [
    { tickers: ['T'+(place%3000)], minValue },
    { insiderCiks: [String(place + 1).padStart(10, '0')] },
    { roles: ['ceo', 'cfo'], transactionTypes: ['buy'], minValue },
    { transactionTypes: ['buy', 'sell'], minValue, maxShares: place + 1 },
    { sectors: ['Energy', 'Technology'], minValue },
    { minSignificance: 'high', minShares: 1_000_000 + place },
  ][place % 6]!
}
for (const rulesCount of [10_000]) {
  const rules = Array.from({length: rulesCount}, (_, place) => ({ id: 'alr_'+place, events: ['transaction.created','signal.detected'], filter: place % 100 === 0 ? {} : filterOf(place), signalTypes: null, minSeverity: null })) as any
  let t=performance.now(); let index = indexRules(rules); console.log('index', performance.now()-t)
  for (const n of [1, 5, 30, 300]) {
    const listed = Array.from({length:n}, (_, i)=>exampleTrade({ place: i, id: 'x'+i, ceo: true, significance:'high', totalValue: '5000000', shares: '1000' }))
    const run = () => rulesOfFiling(index, { type: 'transaction.created', issuer: { cik: '0001999001', symbols: ['T5'] } }, { listed, replaced: [] }, () => 'Energy')
    run(); 
    const times=[]; for (let i=0;i<20;i++){ t=performance.now(); run(); times.push(performance.now()-t)}
    times.sort((a,b)=>a-b); console.log(n, 'median', times[10].toFixed(2), 'max', times[19].toFixed(2))
  }
}
