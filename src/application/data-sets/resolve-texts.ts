// Texts of a data set (names, titles, symbols), interpreted by the domain: each distinct text once, a few thousand a
// quarter.
import { filingTime } from '../../domain/filings/acceptance-time.ts'
import type { ReportingOwner } from '../../domain/filings/filing.ts'
import { chiefOffices, ownerTitle, pointsElsewhere } from '../../domain/filings/insider-title.ts'
import { cleanSymbols } from '../../domain/filings/ticker-symbol.ts'
import { wordsOfTexts } from '../../domain/trades/reconciliation/amendment-words.ts'
import { inSlices } from '../shared/time-slices.ts'
import type { DataSetStore, OwnerText, DataSetFiles, ResolvedTexts } from '../ports/data-sets.ts'

const NOWHERE = { remarks: null, footnotes: [] }
/** The end of the years that `filingTime` takes for possible: a data set has no time of receipt. */
const LATEST = 4_133_980_799

export async function resolveTexts(history: DataSetStore, files: DataSetFiles): Promise<ResolvedTexts> {
  const texts = await history.ownerTexts()
  const pointers = new Set(texts.filter((text) => pointsElsewhere(ownerOf(text))).map(({ title }) => title))
  const pointed = await history.pointedTitles([...pointers], files.FOOTNOTES ?? null)
  const chiefs = await history.chiefTexts()
  return {
    titles: await eachOf(texts, (text) => ({ ...text, shown: ownerTitle(ownerOf(text), NOWHERE) })),
    pointed: await eachOf(pointed, ({ accession, cik, companyName, remarks, footnotes, ...text }) => {
      const source = { remarks, footnotes, issuer: issuerOf(companyName) }
      return { accession, cik, shown: ownerTitle(ownerOf(text), source), ...chiefOf(text, source) }
    }),
    chiefs: (
      await eachOf(
        chiefs.filter(({ title }) => !pointers.has(title)),
        (held) => ({
          ...held,
          ...chiefOf(
            { roles: 2, title: held.title, otherText: '' },
            { ...NOWHERE, issuer: issuerOf(held.companyName) },
          ),
        }),
      )
    ).filter(({ ceo, cfo }) => ceo || cfo),
    amendments: (
      await eachOf(await history.amendmentTexts(files.FOOTNOTES ?? null), ({ accession, remarks, footnotes }) => ({
        accession,
        words: wordsOfTexts([remarks, ...footnotes]),
      }))
    ).filter(({ words }) => words.length > 0),
    symbols: await eachOf(await history.symbolTexts(), (symbol) => ({ symbol, symbols: cleanSymbols(symbol) })),
    times: await eachOf(
      await history.undatedFilings(files.OWNER_SIGNATURE ?? null),
      ({ accession, period, originalDate, signed, traded }) => {
        const { at, day, basis } = filingTime(
          {
            header: null,
            periodOfReport: period || null,
            dateOfOriginalSubmission: originalDate || null,
            derivative: [],
            nonDerivative: traded.map((date) => ({ date })),
            signatures: signed.map((date) => ({ name: '', date })),
          },
          LATEST,
        )
        return { accession, filedAt: at, filedDay: day, filedBasis: basis }
      },
    ),
  }
}

async function eachOf<T, R>(texts: readonly T[], interpreted: (text: T) => R): Promise<R[]> {
  const results: R[] = []
  for await (const text of inSlices(texts)) results.push(interpreted(text))
  return results
}

const issuerOf = (name: string) => ({ cik: '', name, tickerRaw: '', foreignTickerRaw: null })

function chiefOf(text: OwnerText, source: Parameters<typeof chiefOffices>[1]): { ceo: boolean; cfo: boolean } {
  const { ceo, cfo } = chiefOffices(ownerOf(text), source)
  return { ceo, cfo }
}

function ownerOf({ roles, title, otherText }: OwnerText): ReportingOwner {
  const has = (bit: number) => (roles & bit) !== 0
  return {
    cik: '',
    name: '',
    officerTitle: title || null,
    otherText: otherText || null,
    isDirector: has(1),
    isOfficer: has(2),
    isTenPercentOwner: has(4),
    isOther: has(8),
  }
}
