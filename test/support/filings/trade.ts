// A trade with nothing special about it, for tests of how trades are stored and listed.
import type { Trade } from '../../../src/domain/trades/trade.ts'

const OWNER = {
  ...{ cik: '0001999101', name: 'OWNER', title: 'Officer' },
  ...{ isDirector: false, isOfficer: true, isTenPercentOwner: false, isOther: false },
}

export function exampleTrade(changes: Partial<Trade> = {}): Trade {
  const { owners = [OWNER] } = changes
  const { cik, name, title } = owners[0]!
  return {
    ...{ accession: '0001999001-20-000001', place: 1, id: '0001999001-20-000001-nd-1', filedAt: 1_600_000_000 },
    ...{ issuerCik: '0001999001', companyName: 'Example', filedDay: '2020-09-13', filedBasis: 'accepted' },
    ...{ amendment: false, originalDate: null, period: null, amendmentWords: [] },
    ...{ owners, ownerCiks: owners.map((owner) => owner.cik), insiderCik: cik, insiderName: name, insiderTitle: title },
    ...{ ceo: false, cfo: false, type: 'buy', code: 'P', acquiredDisposed: 'A', directIndirect: 'D' },
    ...{
      holding: 'direct',
      holderNames: [],
      securityTitle: 'Common Stock',
      date: '2020-09-11',
      tradeDay: '2020-09-11',
    },
    ...{ shares: '1', priceFiled: '1', sharesAfter: null, totalValue: '1', foreign: false, otherUnit: false },
    ...{ sharesStatus: 'as_filed', symbols: [], plan: 'no', planSource: 'none', businessDays: null, late: null },
    ...{ averagePrice: false, lowPrice: null, highPrice: null },
    ...{ ticker: 'EX', priceStatus: 'as_filed', suspectUntil: 0, listed: true, duplicateOf: '', supersededBy: '' },
    ...{ supersededAt: 0, ambiguous: false, profileCiks: owners.map((owner) => owner.cik), significance: 'low' },
    ...{ signals: [], signalled: 'low', routine: false, earlier: [], firstBuyYears: null, previousBuy: null },
    ...changes,
  }
}
