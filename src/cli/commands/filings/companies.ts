// The command companies: loads the SEC's company list, with each issuer's current symbols, name and exchange.
import { createHash } from 'node:crypto'
import type { Config } from '../../../config.ts'
import { fetchCompanyList, parseCompanyList } from '../../../infrastructure/edgar/listings/company-list.ts'
import { runJob, type Work } from '../../run-or-queue.ts'
import { usageError, type Output } from '../../output.ts'
import { withLedger } from '../../with-database.ts'
import { counted } from '../../counted.ts'

export const help = `companies FROM: load the SEC's company list from a file or an address

  company_tickers_exchange.json, or company_tickers.json, which has no exchanges. The list before is replaced.
  EDGAR_USER_AGENT   your name and contact, which the SEC requires if FROM is one of its addresses`

export async function run(config: Config, args: string[], out: Output): Promise<void> {
  const [from] = args
  if (args.length !== 1 || !from) throw usageError('companies needs a file or an address: make companies FROM=path')
  const bytes = await fetchCompanyList(from, config.edgarUserAgent ?? undefined).catch((error: Error) => {
    throw new Error(`can't read ${from}: ${error.message}`)
  })
  const companies = parsed(from, bytes)
  await withLedger(config, out, 'companies', async (at) => {
    const sha256 = createHash('sha256').update(bytes).digest()
    await at.companyList.replace(companies, from, sha256)
    const work: Work = ({ refreshCompanies }, progress) => refreshCompanies(progress)
    const result = (await runJob(at, 'companies', work)) as { companies: number; issuersChanged: number }
    out.result({ ...result }, [
      `loaded ${counted(result.companies, 'symbol')}; ${counted(result.issuersChanged, 'issuer')} changed`,
    ])
  })
}

function parsed(from: string, bytes: Buffer) {
  try {
    return parseCompanyList(bytes.toString('utf8'))
  } catch (error) {
    throw new Error(`${from} is not a company list: ${(error as Error).message}`, { cause: error })
  }
}
